import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace } from "./run-belay.ts";

let place: ReturnType<typeof newPlace>;
let backlog: string;
beforeEach(() => {
  place = newPlace();
  mkdirSync(join(place.root, "doc"));
  backlog = join(place.root, "doc", "todo-archive.ndjson");
});
afterEach(() => place.remove());

describe("a backlog file", () => {
  it("is imported at the first start: the last line of each id wins, damaged lines are reported by number", async () => {
    writeFileSync(
      backlog,
      [
        '{"id":"T1","title":"First","status":"todo","priority":"high","est_hours":2,"added_at":"2026-01-01"}',
        "not json",
        '{"id":"T1","status":"done"}',
        '{"id":"T2","title":"Second","status":"todo"}',
        "",
      ].join("\n"),
    );
    const started = await place.belay("init", "--json");
    expect(started.json).toMatchObject({ backlog: { rows: 2, damaged: [2] } });
    const { json } = await place.belay("tasks", "list", "--json");
    expect(json).toMatchObject({
      tasks: expect.arrayContaining([
        expect.objectContaining({ task_id: "T1", title: "First", status: "done", est_hours: 2 }),
        expect.objectContaining({ task_id: "T2", status: "todo" }),
      ]),
    });
    const audit = await place.belay("audit", "--json");
    expect(JSON.stringify(audit.json)).toContain('"type":"recovery.sync"');
  });

  it("is also imported by a first belay run", async () => {
    writeFileSync(backlog, '{"id":"T1","title":"First","status":"todo"}\n');
    const ran = await place.belay("run", "demo", "/say hello", "--once");
    expect(ran.code).toBe(0);
    const { json } = await place.belay("audit", "--json");
    expect(JSON.stringify(json)).toContain('"type":"recovery.sync"');
  });

  it("is read from the last position, up to the last complete line", async () => {
    writeFileSync(backlog, '{"id":"T1","title":"First","status":"todo"}\n');
    await place.belay("tasks", "list");
    appendFileSync(backlog, '{"id":"T1","status":"done"}\n{"id":"T2","title":"Sec');
    expect((await place.belay("tasks", "list", "--json")).json).toMatchObject({
      tasks: [{ task_id: "T1", status: "done" }],
    });
    appendFileSync(backlog, 'ond","status":"todo"}\n');
    expect((await place.belay("tasks", "list", "--status", "todo", "--json")).json).toMatchObject({
      tasks: [{ task_id: "T2", title: "Second" }],
    });
  });

  it("gets one complete line for each change of the command line", async () => {
    writeFileSync(backlog, '{"id":"T1","title":"First","status":"todo"}');
    await Promise.all(
      [1, 2, 3, 4].map((n) => place.belay("tasks", "add", `More ${n}`, "--id", `M${n}`)),
    );
    await place.belay("tasks", "update", "M1", "--status", "done");
    const lines = readFileSync(backlog, "utf8").trim().split("\n");
    const ids = lines.map((line): unknown => Object(JSON.parse(line)).id);
    expect(ids.toSorted()).toEqual(["M1", "M1", "M2", "M3", "M4", "T1"]);
    const last: unknown = JSON.parse(lines.at(-1) ?? "");
    expect(last).toMatchObject({ id: "M1", title: "More 1", status: "done" });
    await place.belay("tasks", "list", "--format", "md");
    const markdown = readFileSync(join(place.root, "MASTER_BACKLOG.md"), "utf8");
    expect(markdown).toContain("| M1 | More 1 | done |");
  });

  it("follows the sessions of its tasks, and names the next task", async () => {
    writeFileSync(backlog, '{"id":"T1","title":"First","status":"pending"}\n');
    const before = await place.belay("next", "--json");
    expect(before.json).toMatchObject({ session: null, task: { task_id: "T1" } });
    await place.belay("create", "--agent", "a", "--purpose", "p", "--id", "sess-1", "--task", "T1");
    await place.belay("approvals", "request", "sess-1", "May I?");
    expect((await place.belay("next", "--task", "T1", "--json")).json).toMatchObject({
      session: { session_id: "sess-1", status: "suspended" },
      approvals: [{ title: "May I?" }],
      task: { task_id: "T1", status: "suspended" },
    });
  });
});

describe("an import of state files", () => {
  it("imports sessions with their times, names damaged files, and adds nothing the second time", async () => {
    const folder = join(place.root, "sessions");
    const state = {
      agent_id: "agent-20260108-180530-abc12345",
      agent_name: "terraform-architect",
      purpose: "approval_workflow",
      created_at: "2026-01-08T18:05:30Z",
      last_updated: "2026-01-08T18:10:15Z",
      phase: "approval",
      metadata: { task_id: "T001", tags: ["terraform", "infrastructure"] },
      resume_ready: true,
      history: [
        {
          from_phase: "initializing",
          to_phase: "investigating",
          timestamp: "2026-01-08T18:06:00Z",
        },
        { from_phase: "investigating", to_phase: "approval", timestamp: "2026-01-08T18:10:15Z" },
      ],
      error_count: 1,
      last_error: "timeout",
    };
    const files = {
      good: JSON.stringify(state),
      torn: JSON.stringify(state).slice(0, 80),
      strange: JSON.stringify({ ...state, agent_id: "../../etc", phase: "dreaming" }),
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, "state.json"), text);
    }
    const first = await place.belay("import", "gaia", folder, "--json");
    expect(first.code).toBe(1);
    expect(first.json).toMatchObject({
      imported: [state.agent_id],
      damaged: [
        { file: expect.stringContaining("strange") },
        { file: expect.stringContaining("torn") },
      ],
    });
    const { json } = await place.belay("get", state.agent_id, "--json");
    expect(json).toMatchObject({
      agent_name: state.agent_name,
      phase: "approval",
      created_at: "2026-01-08T18:05:30.000Z",
      last_updated: "2026-01-08T18:10:15.000Z",
      metadata: state.metadata,
      error_count: 1,
      last_error: "timeout",
      history: [{ to_phase: "investigating", timestamp: "2026-01-08T18:06:00.000Z" }, {}],
    });
    const second = await place.belay("import", "gaia", folder, "--json");
    expect(second.json).toMatchObject({ imported: [], known: [state.agent_id] });
    expect((await place.belay("get", state.agent_id, "--json")).json).toEqual(json);
    expect(readFileSync(join(folder, "torn", "state.json"), "utf8")).toBe(files.torn);
    expect((await place.belay("verify", "--json")).json).toMatchObject({ ok: true });
  });
});
