import { describe, expect, it } from "vitest";
import type { TaskCommand } from "../../src/contract/commands.ts";
import type { TaskHead } from "../../src/contract/head.ts";
import type { Status } from "../../src/contract/vocabulary.ts";
import { followSession } from "../../src/core/session/follow-session.ts";
import { applyTaskFacts, type Origin } from "../../src/core/session/run-commands.ts";
import { decideTask } from "../../src/core/task.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { MINUTE, NO_LOG, play, START } from "./session-log.ts";

const origin: Origin = { at: START, actor: "ada", interface: "cli", trace_id: null };
const create: TaskCommand = {
  type: "create_task",
  task_id: "T001",
  entity_id: "019b9f00-0000-7000-8000-000000000009",
  owner: "local",
  title: "Add sources table",
  source: "cli",
  status: "pending",
  priority: "high",
  est_hours: 2,
  added_at: "2026-01-08",
};

function perform(head: TaskHead | null, command: TaskCommand, at = START) {
  const verdict = decideTask(command, head);
  if ("error" in verdict) return verdict;
  return applyTaskFacts({ head, seq: 0 }, verdict, { ...origin, at })?.head ?? null;
}

function existing(): TaskHead {
  const head = perform(null, create);
  if (!head || "error" in head) throw new Error("no task");
  return head;
}

describe("a task", () => {
  it("starts with the given fields", () => {
    const { type, ...data } = create;
    expect(existing()).toEqual({
      kind: "task",
      ...data,
      session_id: null,
      created_at: START,
      updated_at: START,
    });
  });

  it("starts once", () => {
    expect(perform(existing(), create)).toMatchObject({ error: "task_exists" });
  });

  it("gets the fields of an update and keeps the others", () => {
    const update: TaskCommand = { type: "update_task", status: "completed", priority: null };
    expect(perform(existing(), update, START + MINUTE)).toEqual({
      ...existing(),
      status: "completed",
      priority: null,
      updated_at: START + MINUTE,
    });
  });

  it("that does not exist cannot be updated, nor follow anything", () => {
    expect(perform(null, { type: "update_task" })).toMatchObject({ error: "task_not_found" });
    expect(
      decideTask({ type: "follow_session", session_id: "agent-1", status: "running" }, null),
    ).toEqual([]);
  });
});

describe("a task follows its session", () => {
  it.each<[Status, string]>([
    ["created", "running"],
    ["active", "running"],
    ["suspended", "suspended"],
    ["completed", "completed"],
    ["failed", "failed"],
  ])("that is %s by being %s", (status, task) => {
    const session = sessionIn(status).head;
    const followed = followSession(session, { head: existing(), seq: 1 }, "unused", origin);
    expect(followed?.head).toMatchObject({ status: task, session_id: session.session_id });
  });

  it("and stays unchanged when the session is archived", () => {
    const session = sessionIn("archived").head;
    expect(followSession(session, { head: existing(), seq: 1 }, "unused", origin)).toBeNull();
  });

  it("once: the same status again adds no event", () => {
    const session = sessionIn("active").head;
    const head =
      followSession(session, { head: existing(), seq: 1 }, "unused", origin)?.head ?? null;
    expect(followSession(session, { head, seq: 2 }, "unused", origin)).toBeNull();
  });

  it("and is created with it if there is none", () => {
    const { head } = play(NO_LOG, [EXAMPLE.create]);
    const made = followSession(head, { head: null, seq: 0 }, "entity", origin);
    expect(made?.head).toMatchObject({
      task_id: "T001",
      title: "agent:terraform-architect",
      source: "cli",
      status: "running",
      session_id: head.session_id,
    });
  });

  it("with an agent name of any length", () => {
    const named = { ...EXAMPLE.create, agent_name: "a".repeat(96) };
    const made = followSession(
      play(NO_LOG, [named]).head,
      { head: null, seq: 0 },
      "entity",
      origin,
    );
    expect(made?.head.title).toBe(`agent:${"a".repeat(96)}`);
  });
});
