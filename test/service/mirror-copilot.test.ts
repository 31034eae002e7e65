import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { lastSeqIn } from "../../src/integrations/copilot/mirror-event-log.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { newId } from "../../src/service/new-id.ts";
import { recordSystemFact } from "../../src/service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../src/service/service-context.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { newPlace } from "../cli/run-belay.ts";
import { bundleWorker } from "../crash/bundle-worker.ts";
import { readLines } from "../import/copilot-workspace.ts";

let cwd: string;
let caller: Caller;
let context: ServiceContext;
let service: ReturnType<typeof createService>;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "belay-mirror-"));
  const project = { cwd, repo: null, branch: null };
  caller = { owner: "local", actor: "user:t", interface: "cli", trace_id: newId(), project };
  context = createContext(openMemoryStore());
  service = createService(context);
  const data = { cwd, mirrors: ["copilot" as const] };
  await recordSystemFact(context, caller, { type: "workspace.initialized", data }, newId());
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const state = (): Record<string, unknown> =>
  Object(JSON.parse(readFileSync(join(cwd, ".copilot", "session_state.json"), "utf8")));
const lines = () => readLines(join(cwd, "events.ndjson"));

describe("the state file", () => {
  it("shows the session's task, its completed steps in order, and what runs", async () => {
    await create("sess-1", { task_id: "T1", metadata: { notes: "mind the gap" } });
    await act("sess-1", "fetch");
    await act("sess-1", "build");
    await act("sess-1", "test", "failed");
    await begin("sess-1", "deploy", 4242);
    expect(state()).toMatchObject({
      current_task_id: "T1",
      steps_completed: ["fetch", "build"],
      next_immediate_step: null,
      trace_id: caller.trace_id,
      notes: "mind the gap",
      events_cursor: statSync(join(cwd, "events.ndjson")).size,
      process_map: {
        deploy: { pid: 4242, cmd: "deploy.sh", stdout_path: "/o", stderr_path: "/e" },
      },
    });
    expect(Date.now() - Date.parse(String(state().last_sync))).toBeLessThan(60_000);
    expect(statSync(join(cwd, ".copilot", "session_state.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(cwd, ".copilot"))).toEqual([".gitignore", "session_state.json"]);
  });

  it("shows the agent's process under its current tool call", async () => {
    await create("sess-1");
    const process = { pid: 4243, start_time: 1, boot_id: "b", cmd: "agent --acp" };
    const started: SessionCommand = {
      type: "note_agent_started",
      agent_session_id: "a-1",
      way: "new",
      reopens: true,
      process: { ...process, stdout_path: null, stderr_path: null },
    };
    const turn: SessionCommand = { type: "start_turn", turn_id: "t-1", content: "go" };
    await changeSession(context, caller, { id: "sess-1", commands: () => [started, turn] });
    expect(state()).toMatchObject({ process_map: {} });
    await begin("sess-1", "run the tests", null, "t-1");
    await begin("sess-1", "declared by another");
    expect(state().process_map).toEqual({
      "run the tests": {
        ...{ pid: 4243, cmd: "agent --acp", agent: true, started_at: expect.any(String) },
        ...{ stdout_path: null, stderr_path: null },
      },
    });
    const stopped: SessionCommand = { type: "note_agent_stopped", reason: "idle" };
    await changeSession(context, caller, { id: "sess-1", commands: () => [stopped] });
    expect(state().process_map).toEqual({});
  });

  it("keeps to the newest 200 steps", async () => {
    await create("sess-1");
    const { store, now } = context;
    const quiet = createService({ store, now, newId });
    for (let nth = 0; nth < 204; nth += 1) await act("sess-1", `step ${nth}`, "completed", quiet);
    await act("sess-1", "step 204");
    const { steps_completed } = state();
    expect(steps_completed).toHaveLength(200);
    expect(Object(steps_completed)[199]).toBe("step 204");
  });

  it("shows the session that was started last, until it ends", async () => {
    await create("first");
    await act("first", "of the first");
    await sleep(2);
    await create("second");
    await act("second", "of the second");
    await act("first", "more of the first");
    expect(state()).toMatchObject({ steps_completed: ["of the second"] });
    await service.call("finalize", { id: "second", outcome: "completed" }, caller);
    await act("first", "the rest");
    expect(Object(state().steps_completed)).toContain("the rest");
  });

  it("shows the next step that recovery found, until an action starts", async () => {
    await create("sess-1");
    await act("sess-1", "fetch");
    const said = { type: "note_recovered", status: "ok", steps: [], next_step: "build" } as const;
    await changeSession(context, caller, { id: "sess-1", commands: () => [said] });
    expect(state()).toMatchObject({ next_immediate_step: "build" });
    expect(lines().at(-1)).toMatchObject({ type: "session.recovered", status: "ok" });
    await begin("sess-1", "build");
    expect(state()).toMatchObject({ next_immediate_step: null });
  });

  it("is not created for a session without a driver and without actions; the log has its start", async () => {
    await create("sess-1");
    expect(existsSync(join(cwd, ".copilot", "session_state.json"))).toBe(false);
    expect(lines()).toMatchObject([{ type: "session.start", session_id: "sess-1" }]);
  });
});

describe("the event log", () => {
  it("has the events of a session under the names that its readers know", async () => {
    await create("sess-1");
    await act("sess-1", "fetch");
    expect(lines()).toMatchObject([
      { type: "session.start", session_id: "sess-1", trace_id: caller.trace_id, seq: 1 },
      { type: "action.started", step: "fetch", effects: "unknown" },
      { type: "action.completed", step: "fetch", status: "completed" },
    ]);
    for (const line of lines()) {
      expect(Number.isInteger(line.seq) && !Number.isNaN(Date.parse(String(line.timestamp)))).toBe(
        true,
      );
    }
  });

  it("completes a line that another program left unfinished, and removes nothing", async () => {
    const theirs = `${JSON.stringify({ type: "session.start" })}\n{"type":"act`;
    writeFileSync(join(cwd, "events.ndjson"), theirs);
    await create("sess-1");
    await act("sess-1", "fetch");
    const text = readFileSync(join(cwd, "events.ndjson"), "utf8");
    expect(text.startsWith(`${theirs}\n{"type":"session.start"`)).toBe(true);
  });

  it("gets missed events with the next change, and a failed write fails no change", async () => {
    mkdirSync(join(cwd, "events.ndjson"));
    await create("sess-1");
    await act("sess-1", "fetch");
    rmSync(join(cwd, "events.ndjson"), { recursive: true });
    await act("sess-1", "build");
    expect(lines().map(({ type }) => type)).toEqual([
      "session.start",
      "action.started",
      "action.completed",
      "action.started",
      "action.completed",
    ]);
    expect(state()).toMatchObject({ steps_completed: ["fetch", "build"] });
  });

  it("is continued after any amount of lines of other programs", async () => {
    await create("sess-1");
    await act("sess-1", "fetch");
    const other = `${JSON.stringify({ type: "x", timestamp: new Date().toISOString(), pad: "-".repeat(990) })}\n`;
    appendFileSync(join(cwd, "events.ndjson"), other.repeat(3000));
    const { entity_id } = lines()[0] ?? {};
    const path = join(cwd, "events.ndjson");
    expect(lastSeqIn(path, String(entity_id), 0)).toBe(lines()[2]?.seq);
    expect(lastSeqIn(path, newId(), 0)).toBe(0);
  });

  it.each(["events.ndjson", ".copilot"])(
    "does not follow %s out of the workspace",
    async (name) => {
      const outside = mkdtempSync(join(tmpdir(), "belay-outside-"));
      const target = name === ".copilot" ? outside : join(outside, "theirs");
      if (name !== ".copilot") writeFileSync(target, "");
      symlinkSync(target, join(cwd, name));
      await create("sess-1");
      await act("sess-1", "fetch");
      expect(readdirSync(outside)).toEqual(name === ".copilot" ? [] : ["theirs"]);
      if (name !== ".copilot") expect(readFileSync(target, "utf8")).toBe("");
      rmSync(outside, { recursive: true });
    },
  );
});

describe("killed and concurrent writers", () => {
  let home: string;
  let root: ReturnType<typeof newPlace>;
  beforeEach(async () => {
    root = newPlace();
    home = root.home;
    const { stdout } = await root.belay("init", "--mirror", "claude", "--mirror", "copilot");
    expect(stdout).toContain("mirrors: claude, copilot");
  });
  afterEach(() => root.remove());

  it("leave each event in the log once, and never a partial state", async () => {
    const file = join(root.root, ".copilot", "session_state.json");
    for (let round = 0; round < 6; round += 1) {
      const child = await startWorker("killed", []);
      await once(child.stdout, "data");
      const ended = once(child, "exit");
      const until = Date.now() + 40 + round * 37;
      while (Date.now() < until) {
        expect(() => JSON.parse(readFileSync(file, "utf8"))).not.toThrow();
        await sleep(1);
      }
      child.kill("SIGKILL");
      await ended;
    }
    const last = await startWorker("killed", ["1"]);
    await once(last, "exit");
    await expectOnce("killed");
  });

  it("record once that a backlog was imported", async () => {
    mkdirSync(join(root.root, "doc"));
    writeFileSync(join(root.root, "doc", "todo-archive.ndjson"), '{"id":"T1","title":"First"}\n');
    await root.belay("tasks", "list");
    await root.belay("tasks", "list");
    expect(readLines(join(root.root, "events.ndjson"))).toMatchObject([
      { type: "recovery.sync", rows: 1, session_id: null },
    ]);
  });

  it("from three processes in one session leave each event once", async () => {
    const codes = await Promise.all(
      [1, 2, 3].map(async () => (await once(await startWorker("shared", ["15"]), "exit"))[0]),
    );
    expect(codes).toEqual([0, 0, 0]);
    await expectOnce("shared");
  });

  async function startWorker(session_id: string, more: readonly string[]) {
    const source = new URL("mirror-worker.ts", import.meta.url);
    const script = await bundleWorker("mirror-worker", source);
    return spawn(process.execPath, [script, home, root.root, session_id, ...more], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  /** The file has all events of the session's log, in order, none twice. */
  async function expectOnce(session_id: string): Promise<void> {
    const told = new Set(["session.created", "action.started", "action.completed"]);
    const expected: number[] = [];
    for (let cursor: number | null = 0; cursor !== null; ) {
      const { json } = await root.belay("log", session_id, "--after", `${cursor}`, "--json");
      const page = Object(json);
      for (const { seq, type } of page.events) if (told.has(type)) expected.push(seq);
      cursor = page.next_cursor;
    }
    const written = readLines(join(root.root, "events.ndjson"))
      .filter((line) => line.session_id === session_id)
      .map(({ seq }) => seq);
    expect(written).toEqual(expected);
    expect(written.length).toBeGreaterThan(20);
  }
});

async function create(session_id: string, more: object = {}): Promise<void> {
  await service.call("create", { agent_name: "a", session_id, ...more }, caller);
}

async function act(id: string, type: string, status = "completed", by = service): Promise<void> {
  const { action_id } = await by.call("begin_action", { id, type }, caller);
  await by.call("complete_action", { id, action_id, status }, caller);
}

async function begin(
  id: string,
  action_type: string,
  pid: number | null = null,
  turn_id: string | null = null,
): Promise<void> {
  const process = pid && { pid, start_time: 1, boot_id: "b", cmd: "deploy.sh" };
  await changeSession(context, caller, {
    id,
    commands: () => [
      {
        type: "begin_action",
        action_id: newId(),
        turn_id,
        action_type,
        effects: "local",
        idempotent: false,
        idempotency_key: null,
        detachable: false,
        orphanable: false,
        rollback: [],
        process: process ? { ...process, stdout_path: "/o", stderr_path: "/e" } : null,
        details: {},
      },
    ],
  });
}
