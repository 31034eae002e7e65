import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Belay, openBelay } from "../../src/index.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { openFiles } from "../conformance/open-files.ts";
import { answersOf, type Played, play } from "../parity/scenario.ts";
import { openServiceDoor } from "../parity/service-door.ts";
import { WHOLE_LIFE } from "../parity/whole-life.ts";
import { endAll, newPlace, type RealServer, runBelay, serve } from "../serve/server-process.ts";

const places = [newPlace(), newPlace(), newPlace()] as const;
const root = mkdtempSync(join(tmpdir(), "belay-files-"));

afterAll(async () => {
  vi.unstubAllEnvs();
  await endAll();
  for (const place of places) place.remove();
  rmSync(root, { recursive: true, force: true });
});

describe("a whole life in files", () => {
  let [inSqlite, inFiles]: (Played | undefined)[] = [];
  const [here, there] = places;

  beforeAll(async () => {
    const sqlite = await openServiceDoor(here.home);
    inSqlite = await play(WHOLE_LIFE, sqlite, sqlite, here.root);
    await sqlite.close();
    const store = await openFiles({ folder: there.home, isAlive: () => true });
    const files = await openServiceDoor(there.home, store);
    inFiles = await play(WHOLE_LIFE, files, files, there.root);
    await files.close();
  });

  it("has the same answers and logs as on SQLite", () => {
    if (!inSqlite || !inFiles) throw new Error("nothing was played");
    expect(answersOf(inFiles)).toEqual(answersOf(inSqlite));
    expect(inFiles.logs).toEqual(inSqlite.logs);
  });

  it("verifies, and one changed character in any file of a stream is found", async () => {
    const verify = async () => {
      const store = await openFiles({ folder: there.home, isAlive: () => true });
      try {
        return await createMaintenance(store).verify();
      } finally {
        await store.close();
      }
    };
    expect(await verify()).toEqual({ ok: true, findings: [], settled: 0 });
    const [name = ""] = readdirSync(join(there.home, "streams", "session"));
    for (const file of ["log.ndjson", "state.ndjson"]) {
      const path = join(there.home, "streams", "session", name, file);
      const sound = readFileSync(path, "utf8");
      writeFileSync(path, changeOne(sound));
      expect(await verify()).toMatchObject({ ok: false });
      writeFileSync(path, sound);
    }
    appendFileSync(join(there.home, "streams", "session", name, "log.ndjson"), '{"seq":');
    expect(await verify()).toMatchObject({ ok: true, findings: [{ kind: "crash" }], settled: 1 });
    expect(await verify()).toEqual({ ok: true, findings: [], settled: 0 });
  });
});

describe("a data folder in files", () => {
  const home = join(root, "home");
  let belay: Belay;

  beforeAll(async () => {
    vi.stubEnv("BELAY_STORE", "files");
    belay = await openBelay({ home });
    await belay.sessions.create({
      agent_name: "scribe",
      session_id: "letters",
      metadata: { a: 1 },
    });
    const output = "The quick brown fox. ".repeat(500);
    await belay.turns.record({ id: "letters", input: "Write to Ann", output });
  });
  afterAll(() => belay.close());

  it("can be searched with grep, including large texts", () => {
    const logs = readdirSync(join(home, "streams", "session")).map((id) =>
      readFileSync(join(home, "streams", "session", id, "log.ndjson"), "utf8"),
    );
    expect(logs.join("")).toContain("Write to Ann");
    expect(logs.join("")).toContain("The quick brown fox. The quick brown fox.");
  });

  it("has a readable file for each session and its checkpoint", async () => {
    await belay.sessions.suspend({ id: "letters", reason: "lunch" });
    const { checkpoint_id, task_id } = await belay.sessions.get({ id: "letters" });
    const session = readJson(join(home, "agent_sessions", "letters.json"));
    expect(session).toEqual({
      session_id: "letters",
      task_id,
      agent_name: "scribe",
      interface: "library",
      state: "suspended",
      created_at: expect.any(String),
      updated_at: expect.any(String),
      metadata: expect.objectContaining({ a: 1, suspend_reason: "lunch" }),
      checkpoint_id,
      parent_session_id: null,
    });
    expect(Object.keys(Object(session))[0]).toBe("session_id");
    const checkpoint = readJson(join(home, "agent_checkpoints", `${checkpoint_id}.json`));
    expect(checkpoint).toMatchObject({ checkpoint_id, session_id: "letters" });
    expect(JSON.stringify(checkpoint)).toContain("Write to Ann");
    await belay.sessions.delete({ id: "letters" });
    expect(readdirSync(join(home, "agent_sessions"))).toEqual([]);
    expect(readdirSync(join(home, "agent_checkpoints"))).toEqual([]);
    await belay.sessions.undelete({ id: "letters" });
    expect(readdirSync(join(home, "agent_sessions"))).toEqual(["letters.json"]);
  });

  it("is copied by backup, and the copy verifies", async () => {
    const copy = join(root, "copy");
    const report = await belay.maintenance.backup(copy);
    expect(report.left_out).toContain("agent_sessions");
    const copied = await openBelay({ home: copy });
    expect(await copied.sessions.get({ id: "letters" })).toMatchObject({ agent_name: "scribe" });
    expect(await copied.maintenance.verify()).toMatchObject({ ok: true, findings: [] });
    await copied.close();
    await expect(belay.maintenance.backup(copy)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("reports that it always syncs", async () => {
    await belay.maintenance.chooseDurability("power");
    await expect(belay.maintenance.chooseDurability("process")).rejects.toMatchObject({
      code: "storage_unsupported",
    });
    const facts = await belay.maintenance.describe();
    expect(facts.find(({ name }) => name === "store")?.value).toContain("files");
    expect(facts.filter(({ ok }) => !ok)).toEqual([]);
  });

  it("is opened by its own kind of store, and refused by another kind", async () => {
    vi.stubEnv("BELAY_STORE", undefined);
    const again = await openBelay({ home });
    expect(await again.sessions.get({ id: "letters" })).toMatchObject({ agent_name: "scribe" });
    await again.close();
    expect(existsSync(join(home, "belay.db"))).toBe(false);
    vi.stubEnv("BELAY_STORE", "sqlite");
    await expect(openBelay({ home })).rejects.toMatchObject({ code: "storage_unsupported" });
    vi.stubEnv("BELAY_STORE", "files");
    const [sqlite] = places;
    await expect(openBelay({ home: sqlite.home })).rejects.toMatchObject({
      code: "storage_unsupported",
    });
    vi.stubEnv("BELAY_STORE", "cupboard");
    await expect(openBelay({ home: join(root, "new") })).rejects.toMatchObject({ code: "usage" });
    vi.stubEnv("BELAY_STORE", "files");
  });
});

describe("belay serve with files", () => {
  const [, , place] = places;
  const env = { BELAY_STORE: "files" };
  let served: RealServer;
  beforeAll(async () => {
    served = await serve(place, { env });
  });

  it("shares the folder with the command line, and runs agents", async () => {
    const created = { agent_name: "demo", session_id: "shared" };
    expect(await served.ask("POST", "/sessions", { body: created })).toMatchObject({ status: 201 });
    const body = { message: "/say hello" };
    const sent = await served.ask("POST", "/sessions/shared/messages", { body });
    expect(sent.status).toBeLessThan(300);
    await vi.waitFor(
      async () => {
        const shown = await runBelay(place, ["log", "shared", "--json"], {});
        expect(shown.stdout).toContain("turn.ended");
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(readJson(join(place.home, "agent_sessions", "shared.json"))).toMatchObject({
      agent_name: "demo",
    });
    const noted = await runBelay(place, ["update", "shared", "--metadata", '{"by":"cli"}'], {});
    expect(noted).toMatchObject({ code: 0 });
    const found = await served.ask("GET", "/sessions/shared", {});
    expect(JSON.stringify(found)).toContain('"by":"cli"');
  });
});

/** Another character in the middle, of the same length. */
function changeOne(text: string): string {
  const at = text.indexOf(":", text.length / 2) + 1;
  return `${text.slice(0, at)} ${text.slice(at + 1)}`;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
