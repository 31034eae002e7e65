import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/service/new-id.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import {
  CALLER,
  event,
  newWorkspace,
  processWith,
  SESSION,
  stateWith,
  type TestWorkspace,
  TRACE,
} from "./copilot-workspace.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = newWorkspace();
});
afterEach(() => place.remove());

const start = (step: string) => event("action.started", { step });
const end = (step: string) => event("action.completed", { step });

describe("a damaged event log", () => {
  it("yields every complete record, and reports unusable lines by number", async () => {
    place.writeLog(
      event("session.start"),
      `${JSON.stringify(start("a"))}${JSON.stringify(end("a"))}`,
      '{"type":"action.started","step":"tor',
      '{"speed":3}',
      "not json at all",
      `${"\0".repeat(40)}${JSON.stringify(start("b"))}`,
      "\0".repeat(64),
      `{"type":"action.sta${JSON.stringify(end("b"))}`,
      `{"type":"action.started","data":${JSON.stringify(end("c"))}`,
      event("action.started", {}),
      start("c"),
    );
    appendFileSync(place.log, JSON.stringify(end("c")));
    place.writeState(stateWith());
    const before = readFileSync(place.log, "utf8");
    const report = await place.restore();
    expect(report.damaged.map(({ line, why }) => [line, why])).toEqual([
      [2, "records run together"],
      [3, "not a complete record"],
      [4, "not an event of such a workspace"],
      [5, "not a complete record"],
      [6, "filled with NUL"],
      [7, "filled with NUL"],
      [8, "not a complete record"],
      [9, "not a complete record"],
      [10, "names no step"],
    ]);
    expect(report.recovery).toMatchObject({ status: "ok", actions: [] });
    expect(place.state()).toMatchObject({ steps_completed: ["a", "b", "c"] });
    // The existing bytes stay; the last line is ended, not cut.
    expect(readFileSync(place.log, "utf8").startsWith(`${before}\n`)).toBe(true);
  });

  it("adds only events after the cursor to the timeline", async () => {
    const early = [event("session.start"), start("a"), end("a")];
    place.writeLog(...early);
    const cursor = readFileSync(place.log).length;
    place.writeLog(
      ...early,
      start("b"),
      event("action.completed", { step: "b", status: "failed" }),
    );
    place.writeState(stateWith({ events_cursor: cursor }));
    const { timeline } = await place.restore();
    const lines = readFileSync(timeline ?? "", "utf8")
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => line.split("\t").slice(1))).toEqual([
      ["action.started", "b", "-"],
      ["action.completed", "b", "failed"],
    ]);
    expect(place.state()).toMatchObject({ events_cursor: readFileSync(place.log).length });
  });

  it("treats a cursor after its end as the end, and reports it", async () => {
    place.writeLog(event("session.start"), start("a"), end("a"));
    place.writeState(stateWith({ events_cursor: 1_000_000 }));
    const report = await place.restore();
    expect(report.damaged).toMatchObject([{ why: expect.stringContaining("1000000") }]);
    expect(readFileSync(report.timeline ?? "", "utf8")).toBe("");
    expect((await place.restore()).damaged).toEqual([]);
  });

  it("leaves out events of another session", async () => {
    const other = { trace_id: newId() };
    place.writeLog(
      event("session.start", other),
      event("action.started", { step: "theirs", ...other }),
      event("session.start"),
      start("a"),
      end("a"),
    );
    place.writeState(stateWith());
    const { recovery, records } = await place.restore();
    expect(records).toEqual({ used: 3, of_other_sessions: 2 });
    expect(recovery).toMatchObject({ status: "ok", actions: [] });
  });

  it("is not written to if it leads outside the workspace", async () => {
    const outside = newWorkspace();
    writeFileSync(outside.log, "");
    symlinkSync(outside.log, place.log);
    place.writeState(stateWith());
    await expect(place.restore()).rejects.toMatchObject({ code: "storage_failed" });
    expect(readFileSync(outside.log, "utf8")).toBe("");
    outside.remove();
  });
});

describe("a state file that cannot be trusted", () => {
  const whole = JSON.stringify(stateWith({ steps_completed: ["a"] }));
  it.each([
    ["cut off", whole.slice(0, 40)],
    ["empty", ""],
    ["NUL", "\0".repeat(100)],
    ["a list", "[]"],
    ["steps that are no list", JSON.stringify(stateWith({ steps_completed: "a" }))],
    ["a pid that is a word", JSON.stringify(stateWith({ process_map: { a: { pid: "12" } } }))],
    ["a negative cursor", JSON.stringify(stateWith({ events_cursor: -4 }))],
  ])("is set aside, and the session comes from the log alone: %s", async (_, text) => {
    place.writeLog(event("session.start"), start("a"), end("a"), start("b"));
    place.writeState(text);
    const report = await place.restore();
    expect(report.quarantined).toHaveLength(1);
    expect(readFileSync(report.quarantined[0] ?? "", "utf8")).toBe(text);
    expect(readdirSync(join(place.cwd, ".tmp", "corrupt"))).toHaveLength(1);
    expect(report).toMatchObject({
      session_id: SESSION,
      recovery: { status: "manual-review", actions: [{ title: "b" }] },
    });
    expect(place.state()).toMatchObject({ trace_id: TRACE, steps_completed: ["a"] });
    const files = place.contents();
    expect((await place.restore()).changed).toBe(false);
    expect(place.contents()).toEqual(files);
  });

  it("leads to a question even about a harmless step, because a process may still run", async () => {
    place.writeLog(event("action.started", { step: "test", effects: "local" }));
    place.writeState("{");
    expect((await place.restore()).recovery).toMatchObject({ status: "manual-review" });
  });

  it("is written again if it was lost with its folder", async () => {
    place.writeLog(event("session.start"), start("a"), end("a"));
    rmSync(join(place.cwd, ".copilot"), { recursive: true });
    expect(await place.restore()).toMatchObject({
      damaged: [{ file: place.file, why: "missing" }],
      recovery: { status: "ok" },
    });
    expect(place.state()).toMatchObject({ trace_id: TRACE, steps_completed: ["a"] });
  });

  it("without other files leaves nothing to restore", async () => {
    place.writeState("{");
    expect(await place.restore()).toMatchObject({ session_id: null, recovery: null });
    await expect(place.restore()).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("a dry run", () => {
  it("reports its plan and writes nothing, in the workspace or the database", async () => {
    place.writeLog(event("session.start"), start("a"));
    place.writeState(stateWith({ process_map: { a: processWith(2 ** 22 + 1) } }));
    makeDatabase("CREATE TABLE audit (ts TEXT, event TEXT, details TEXT)");
    const before = place.contents();
    expect(await place.restore({ dry_run: true })).toMatchObject({
      session_id: SESSION,
      changed: false,
      recovery: { status: "manual-review", actions: [{ title: "a", step: "ask" }] },
    });
    expect(place.contents()).toEqual(before);
    expect(await place.events()).toEqual([]);
    await place.restore();
    const after = place.contents();
    expect((await place.restore({ dry_run: true })).recovery?.approval_id).not.toBeNull();
    expect(place.contents()).toEqual(after);
  });
});

describe("a database of the workspace", () => {
  beforeEach(() => {
    mkdirSync(join(place.cwd, "doc"));
    writeFileSync(
      join(place.cwd, "doc", "todo-archive.ndjson"),
      '{"id":"T1","title":"From the file","status":"todo"}\n{"id":"T2","title":"Second","status":"todo"}\n',
    );
    place.writeLog(event("session.start"), start("a"), end("a"));
    place.writeState(stateWith({ current_task_id: "T1" }));
  });

  it("takes precedence over the backlog file, with any order of columns", async () => {
    makeDatabase(
      "CREATE TABLE backlog (est_hours REAL, STATUS TEXT, id TEXT, title TEXT)",
      "INSERT INTO backlog VALUES (2.5, 'done', 'T1', 'From the database')",
    );
    await place.restore();
    expect(await task("T1")).toMatchObject({ title: "From the database", est_hours: 2.5 });
    expect(await task("T2")).toMatchObject({ title: "Second", status: "todo" });
    expect(place.lines().filter(({ type }) => type === "recovery.sync")).toMatchObject([
      { rows: 2, trace_id: TRACE },
    ]);
    expect((await place.restore()).changed).toBe(false);
  });

  it("gets one record of the recovery, in its existing columns", async () => {
    const path = makeDatabase(
      "CREATE TABLE audit (id INTEGER PRIMARY KEY, payload TEXT, created_at REAL NOT NULL, trace_id TEXT, event_type TEXT)",
      "INSERT INTO audit (created_at, event_type) VALUES (1, 'theirs')",
    );
    await place.restore();
    await place.restore();
    const rows = all(path, "SELECT event_type, trace_id FROM audit ORDER BY id");
    expect(rows).toEqual([
      { event_type: "theirs", trace_id: null },
      { event_type: "recovery.sync", trace_id: TRACE },
      { event_type: "session.recovered", trace_id: TRACE },
    ]);
  });

  it("with an audit table that cannot be written stays unchanged, and this is reported", async () => {
    const path = makeDatabase("CREATE TABLE audit (event TEXT, ts TEXT, signature BLOB NOT NULL)");
    const before = readFileSync(path);
    const { damaged } = await place.restore();
    expect(damaged).toMatchObject([{ file: "gaia.db", why: expect.stringContaining("signature") }]);
    expect(readFileSync(path)).toEqual(before);
  });

  it("that cannot be read is reported and left alone", async () => {
    const path = join(place.cwd, "gaia.db");
    writeFileSync(path, "this is no database");
    const { damaged, recovery } = await place.restore();
    expect(damaged).toEqual([{ file: "gaia.db", line: null, why: "not a database" }]);
    expect(recovery).toMatchObject({ status: "ok" });
    expect(readFileSync(path, "utf8")).toBe("this is no database");
    expect(existsSync(`${path}-journal`)).toBe(false);
  });
});

function makeDatabase(...statements: readonly string[]): string {
  const path = join(place.cwd, "gaia.db");
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
  return path;
}

function all(path: string, query: string) {
  const database = new DatabaseSync(path);
  const rows = database
    .prepare(query)
    .all()
    .map((row) => ({ ...row }));
  database.close();
  return rows;
}

async function task(key: string): Promise<unknown> {
  const stream = await loadStream(place.context.store, { kind: "task", owner: CALLER.owner, key });
  return stream?.head;
}
