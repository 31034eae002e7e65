import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openBelay } from "../../src/index.ts";
import { atOnce } from "./at-once.ts";
import { freshCopy } from "./damage-trial.ts";
import { openService } from "./open-service.ts";
import { type PreparedData, prepareData } from "./prepared-data.ts";
import { runBelay } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
let data: PreparedData;

beforeAll(async () => {
  data = await prepareData(root);
});

describe("events that are missing at the end", () => {
  it("are found if the write-ahead log is cut at any point", async () => {
    const size = statSync(join(data.logged, "belay.db-wal")).size;
    const count = sampleSize({ full: 40, sample: 6 });
    const cuts = Array.from({ length: count }, (_, n) => Math.floor((n * size) / count));
    const exits = await atOnce(2, cuts, async (cut) => {
      const { exit } = await verifyAfter(data.logged, `cut-${cut}`, (home) => {
        truncateSync(join(home, "belay.db-wal"), cut);
      });
      return { cut, exit };
    });
    const found = exits.filter(({ exit }) => exit === 5).length;
    say(`log of writes cut short at ${cuts.length} places (simulated): ${found} found, exit 5`);
    expect(exits.filter(({ exit }) => exit !== 5)).toEqual([]);
  });

  it("are found if someone deletes the last events and resets everything else", async () => {
    const home = join(root, "set-back");
    freshCopy(data.checkpointed, home);
    const before = readStream(home, "beta-session");
    await append(home, "beta-session", 3);
    expect(await verify(home)).toMatchObject({ exit: 0, findings: [] });
    setBack(home, before);
    const { exit, findings } = await verify(home);
    say(`deleted tail, all else set back: exit ${exit}, ${findings[0]?.what}`);
    expect(exit).toBe(5);
    expect(findings.map(({ kind }) => kind)).toContain("damage");
  });

  it("control: are not found without the anchor, because the rest of the database is sound", async () => {
    const home = join(root, "set-back-anchor-too");
    freshCopy(data.checkpointed, home);
    const anchored = statSync(join(home, "anchor.log")).size;
    const before = readStream(home, "beta-session");
    await append(home, "beta-session", 3);
    setBack(home, before);
    truncateSync(join(home, "anchor.log"), anchored);
    expect(await verify(home)).toMatchObject({ exit: 0, findings: [] });
  });
});

describe("the anchor", () => {
  it.each([
    ["ends before its last record, as after a crash", (text: string) => text.lastIndexOf("\n")],
    ["ends within its last record, as after a power cut", (text: string) => text.length - 9],
  ])("that %s is not reported as damage, and is repaired", async (_, end) => {
    const home = join(root, `anchor-${end("\nabc")}`);
    freshCopy(data.checkpointed, home);
    const path = join(home, "anchor.log");
    truncateSync(path, end(readFileSync(path, "latin1")));
    const first = await verify(home);
    const second = await verify(home);
    expect(first.exit).toBe(0);
    expect(first.findings.map(({ kind }) => kind)).toEqual(["crash"]);
    expect(first.settled).toBe(1);
    expect(second).toEqual({ exit: 0, findings: [], settled: 0 });
  });

  it.each([
    [0, 0],
    [1, 0],
    [0, 30],
  ])(
    "is not reported as missing if a power cut left zeros between %d of its records and the last %d bytes",
    async (kept, tail) => {
      const home = join(root, `anchor-zeros-${kept}-${tail}`);
      freshCopy(data.checkpointed, home);
      const path = join(home, "anchor.log");
      const text = readFileSync(path, "latin1");
      const lines = text.split("\n");
      const start = lines.slice(0, lines.indexOf("belay-anchor 1") + 1 + kept).join("\n");
      const end = text.slice(text.length - tail);
      writeFileSync(path, `${start}${"\0".repeat(text.length - start.length - tail)}${end}`);
      const first = await verify(home);
      expect(first.exit).toBe(0);
      expect(new Set(first.findings.map(({ kind }) => kind))).toEqual(new Set(["crash"]));
      expect(await verify(home)).toEqual({ exit: 0, findings: [], settled: 0 });
    },
  );

  it("is complete again after a torn line was repaired", async () => {
    const home = join(root, "anchor-torn");
    freshCopy(data.checkpointed, home);
    const path = join(home, "anchor.log");
    truncateSync(path, statSync(path).size - 9);
    await append(home, "gamma-other", 0);
    const first = await verify(home);
    expect(first.exit).toBe(0);
    expect(new Set(first.findings.map(({ kind }) => kind))).toEqual(new Set(["crash"]));
    expect((await verify(home)).exit).toBe(0);
  });

  it("is reported if it is missing", async () => {
    const home = join(root, "anchor-gone");
    freshCopy(data.checkpointed, home);
    rmSync(join(home, "anchor.log"));
    const { exit, findings } = await verify(home);
    say(`anchor deleted: exit ${exit}, ${findings[0]?.what}`);
    expect(exit).toBe(5);
    expect(findings[0]?.what).toContain("anchor is missing");
  });

  it("can be accepted as missing, which is recorded, and protects from then on", async () => {
    const home = join(root, "anchor-accepted");
    freshCopy(data.checkpointed, home);
    rmSync(join(home, "anchor.log"));
    const belay = await openBelay({ home });
    const accepted = await belay.maintenance.verify(undefined, { accept_anchor: true });
    expect(accepted).toMatchObject({ ok: true, accepted_anchor: true });
    expect(await belay.maintenance.verify()).toEqual({ ok: true, findings: [], settled: 0 });
    const { events } = await belay.past.audit({ limit: 1000 });
    expect(events.filter(({ type }) => type === "anchor.accepted")).toHaveLength(1);
    await belay.close();
    const before = readStream(home, "beta-session");
    await append(home, "beta-session", 3);
    setBack(home, before);
    expect(await verify(home)).toMatchObject({ exit: 5 });
  });

  it("restarts after a power cut lost acknowledged events, if the durability allows that", async () => {
    const home = join(root, "process-cut");
    freshCopy(data.checkpointed, home);
    expect(await runBelay(home, ["durability", "process"])).toMatchObject({ code: 0 });
    const before = readStream(home, "beta-session");
    await append(home, "beta-session", 3);
    setBack(home, before);
    // Work goes on before anybody looks: other events now have the numbers of the lost ones.
    await append(home, "beta-session", 1);
    const lost = await verify(home);
    expect(lost.exit).toBe(5);
    expect(lost.findings[0]?.what).toContain("belay verify --accept-anchor");
    expect(await runBelay(home, ["verify", "--accept-anchor"])).toMatchObject({ code: 0 });
    expect(await verify(home)).toMatchObject({ exit: 0, findings: [] });
    const after = readStream(home, "beta-session");
    await append(home, "beta-session", 2);
    expect(await verify(home)).toMatchObject({ exit: 0, findings: [] });
    setBack(home, after);
    expect(await verify(home)).toMatchObject({ exit: 5 });
  });

  it("is accepted as missing only on request, and only if everything else is sound", async () => {
    const home = join(root, "anchor-not-accepted");
    freshCopy(data.checkpointed, home);
    const before = readStream(home, "beta-session");
    await append(home, "beta-session", 3);
    setBack(home, before);
    const belay = await openBelay({ home });
    const refused = await belay.maintenance.verify(undefined, { accept_anchor: true });
    expect(refused).toMatchObject({ ok: false, settled: 0 });
    expect(refused).not.toHaveProperty("accepted_anchor");
    const { events } = await belay.past.audit({ limit: 1000 });
    expect(events.filter(({ type }) => type === "anchor.accepted")).toEqual([]);
    await belay.close();
  });
});

const Verified = z.object({
  findings: z.array(z.object({ kind: z.string(), what: z.string() })),
  settled: z.number(),
});

async function verify(home: string) {
  const { code, stdout } = await runBelay(home, ["verify", "--json"]);
  return { exit: code, ...Verified.parse(JSON.parse(stdout)) };
}

async function verifyAfter(from: string, name: string, damage: (home: string) => void) {
  const home = join(root, name);
  freshCopy(from, home);
  damage(home);
  const { code } = await runBelay(home, ["verify", "--json"]);
  rmSync(home, { recursive: true });
  return { exit: code };
}

/** This many turns on a session, which is created if needed. */
async function append(home: string, id: string, turns: number): Promise<void> {
  const service = await openService(home);
  if (turns === 0) await service.call("create", { agent_name: "worker", session_id: id });
  for (let n = 1; n <= turns; n += 1) {
    await service.call("record_turn", { id, input: `the end ${n}`, output: "" });
  }
  await service.store.close();
}

type Row = Record<string, string | number | bigint | null | Uint8Array>;

function readStream(home: string, key: string): Row {
  const database = new DatabaseSync(join(home, "belay.db"));
  const row = database.prepare("SELECT * FROM streams WHERE key = ?").get(key);
  database.close();
  if (!row) throw new Error(`there is no ${key}`);
  return row;
}

/** An attack by someone with the file, an older copy of it, and time. */
function setBack(home: string, stream: Row): void {
  const { sid = null, seq = null } = stream;
  const database = new DatabaseSync(join(home, "belay.db"));
  for (const table of ["events", "rows", "heads", "names"]) {
    database.prepare(`DELETE FROM ${table} WHERE sid = ? AND seq > ?`).run(sid, seq);
  }
  database.exec("UPDATE meta SET value = 0 WHERE name = 'position_floor'");
  const columns = Object.keys(stream);
  const set = columns.map((column) => `${column} = ?`).join(", ");
  database.prepare(`UPDATE streams SET ${set} WHERE sid = ?`).run(...Object.values(stream), sid);
  database.close();
}
