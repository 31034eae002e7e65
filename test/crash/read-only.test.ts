import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Belay, openBelay } from "../../src/index.ts";
import { copyData } from "./copy-data.ts";
import { belay, runBelay, runWorker } from "./run-worker.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
chmodSync(root, 0o755);
const id = "public-session";
const mounted: (() => Promise<void>)[] = [];

describe("a folder that cannot be written to", () => {
  it.each(["closed", "crashed"] as const)(
    "refuses writes as storage_read_only, and is read by itself: %s",
    async (state) => {
      const home = await prepare(state);
      const before = contents(home);
      const { read, write, browse } = await visit(home);
      say(`read-only folder, ${state}: read ${read}; write ${write}; for reading only ${browse}`);
      expect(write).toBe("storage_read_only");
      expect(read).toBe("3 events");
      expect(browse).toBe("3 events");
      expect(contents(home)).toEqual(before);
    },
  );

  it("control: the same user writes into a writable folder", async () => {
    const home = await prepare("closed");
    for (const name of readdirSync(home)) allow(join(home, name), 0o666);
    allow(home, 0o777);
    expect(await visit(home)).toMatchObject({ write: "version 4" });
  });
});

describe("a folder that cannot be read", () => {
  it.each(["folder", "database"] as const)(
    "is reported as a matter of permissions, not as missing data: %s",
    async (what) => {
      const home = await prepare("closed");
      allow(what === "folder" ? home : join(home, "belay.db"), 0o000);
      const { read, write, browse, command } = await visit(home, belay);
      expect([read, write, browse]).toEqual(Array(3).fill("storage_failed"));
      expect(command).toMatch(/^5 .*No permission to read .*BELAY_HOME/s);
    },
  );

  it("control: a folder without data is reported as empty", async () => {
    const home = join(root, "empty");
    mkdirSync(home);
    allow(home, 0o755);
    expect((await visit(home, belay)).command).toMatch(/^3 .*No Belay data/s);
  });
});

describe("a file system that is mounted for reading only", () => {
  const isMountable = tryMount();
  afterEach(async () => {
    for (const release of mounted.splice(0)) await release();
  });

  it.skipIf(!isMountable).each(["closed", "crashed", "in use"] as const)(
    "is read, verified and backed up, and refuses writes: %s",
    async (state) => {
      const { home, origin } = await mountReadOnly(state);
      const before = contents(origin);
      const belay = await openBelay({ home });
      expect(await belay.sessions.list({})).toMatchObject({ sessions: [{ session_id: id }] });
      expect((await belay.sessions.log({ id })).events).toHaveLength(3);
      expect(await belay.sessions.get({ id })).toMatchObject({ version: 3 });
      expect(await belay.maintenance.verify()).toEqual({ ok: true, findings: [], settled: 0 });
      const copy = join(root, `copy-${state}`);
      await belay.maintenance.backup(copy);
      const refused = { code: "storage_read_only", message: expect.stringContaining(home) };
      await expect(recordTurn(belay)).rejects.toMatchObject(refused);
      await belay.close();
      expect(contents(origin)).toEqual(before);
      const restored = await openBelay({ home: copy });
      expect((await restored.sessions.log({ id })).events).toHaveLength(3);
      expect(await restored.maintenance.verify()).toMatchObject({ ok: true });
      await restored.close();
    },
  );

  it.skipIf(!isMountable)(
    "is read by commands, and commands that write report why they cannot",
    async () => {
      const { home } = await mountReadOnly("in use");
      const [list, verify, pin] = await Promise.all([
        runBelay(home, ["list", "--json"]),
        runBelay(home, ["verify"]),
        runBelay(home, ["pin", id]),
      ]);
      expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
      expect(verify).toMatchObject({ code: 0 });
      expect(pin).toMatchObject({
        code: 5,
        stderr: expect.stringContaining("cannot be written to"),
      });
    },
  );

  it.skipIf(!isMountable)("control: nothing can be written there", async () => {
    const { home } = await mountReadOnly("closed");
    expect(() => writeFileSync(join(home, "file"), "")).toThrow(/EROFS/);
  });
});

const Visit = z.object({
  read: z.string(),
  write: z.string(),
  browse: z.string(),
  command: z.string(),
});

async function visit(home: string, program = "") {
  return Visit.parse(JSON.parse((await runWorker("visitor", [home, id, program])).stdout));
}

function tryMount(): boolean {
  const folder = join(root, "mountable");
  mkdirSync(folder);
  try {
    execFileSync("mount", ["--bind", folder, folder], { stdio: "ignore" });
    execFileSync("umount", [folder]);
    return true;
  } catch {
    say("nothing can be mounted here: read-only file systems are not tested");
    return false;
  }
}

/** A session on a read-only file system. `in use`: another process has it open elsewhere. */
async function mountReadOnly(state: "closed" | "crashed" | "in use") {
  const place = join(root, `mount-${readdirSync(root).length}`);
  const [live, origin, home] = ["live", "origin", "home"].map((name) => join(place, name));
  if (!live || !origin || !home) throw new Error("unreachable");
  mkdirSync(home, { recursive: true });
  const belay = await openBelay({ home: state === "crashed" ? live : origin });
  await write(belay);
  if (state === "crashed") copyData(live, origin);
  if (state !== "in use") await belay.close();
  execFileSync("mount", ["--bind", origin, home]);
  execFileSync("mount", ["-o", "remount,bind,ro", home]);
  mounted.push(async () => {
    execFileSync("umount", ["--lazy", home]);
    if (state === "in use") await belay.close();
  });
  return { home, origin };
}

/** A session that everyone can read and nobody can change, with or without a write-ahead log. */
async function prepare(state: string): Promise<string> {
  const home = join(root, `${state}-${readdirSync(root).length}`);
  const origin = join(home, "origin");
  mkdirSync(home);
  const belay = await openBelay({ home: state === "closed" ? home : origin });
  await write(belay);
  if (state === "crashed") copyData(origin, home);
  await belay.close();
  for (const name of ["belay.db", "belay.db-wal", "anchor.log"]) allow(join(home, name), 0o444);
  allow(home, 0o555);
  return home;
}

async function write(belay: Belay): Promise<void> {
  await belay.sessions.create({ agent_name: "worker", session_id: id });
  await recordTurn(belay);
}

function recordTurn(belay: Belay) {
  return belay.turns.record({ id, input: "hello", output: "world" });
}

function allow(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch {
    // A closed database has no write-ahead log.
  }
}

function contents(home: string) {
  // The shared memory is not content: readers write their position to it.
  const files = readdirSync(home, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith("-shm"),
  );
  return files.map(({ name }) => [name, readFileSync(join(home, name), "base64")]);
}
