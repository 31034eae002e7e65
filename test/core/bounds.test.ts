import { describe, expect, it } from "vitest";
import type { SessionCommand, TaskCommand } from "../../src/contract/commands.ts";
import { applyTaskFacts } from "../../src/core/session/run-commands.ts";
import { decideTask } from "../../src/core/task.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { NO_LOG, perform, play, START } from "./session-log.ts";

const LONG = "x".repeat(10_000);

describe("a text for the head is refused if it is too long", () => {
  it.each<[string, SessionCommand]>([
    ["owner", { ...EXAMPLE.create, owner: LONG }],
    ["agent_name", { ...EXAMPLE.create, agent_name: LONG }],
    ["purpose", { ...EXAMPLE.create, purpose: LONG }],
    ["title", { ...EXAMPLE.create, title: LONG }],
    ["task_id", { ...EXAMPLE.create, task_id: LONG }],
    ["project", { ...EXAMPLE.create, project: { cwd: LONG, repo: null, branch: null } }],
  ])("%s at the beginning", (field, command) => {
    expect(perform(NO_LOG, command)).toMatchObject({ error: "too_large", details: { field } });
  });

  it.each<[string, SessionCommand]>([
    ["title", { ...EXAMPLE.rename, title: LONG }],
    ["title", { ...EXAMPLE.fork, title: LONG }],
    ["owner", { ...EXAMPLE.fork, owner: LONG }],
    ["turn_id", { ...EXAMPLE.send_message, turn_id: LONG }],
    ["turn_id", { ...EXAMPLE.start_turn, turn_id: LONG }],
    ["turn_id", { ...EXAMPLE.record_turn, turn_id: LONG }],
    ["action_id", { ...EXAMPLE.begin_action, action_id: LONG }],
    ["approval_id", { ...EXAMPLE.request_approval, approval_id: LONG }],
    ["checkpoint_id", { ...EXAMPLE.save_checkpoint, checkpoint_id: LONG }],
    ["checkpoint_id", { ...EXAMPLE.restore_checkpoint, checkpoint_id: LONG }],
    ["checkpoint_id", { ...EXAMPLE.suspend, checkpoint_id: LONG }],
  ])("%s later on", (field, command) => {
    expect(perform(sessionIn("active"), command)).toMatchObject({
      error: "too_large",
      details: { field },
    });
  });

  it("but shortened if it is an error or a summary", () => {
    const { head } = play(sessionIn("active"), [
      { type: "record_error", error: LONG },
      { type: "finalize", outcome: "completed", summary: LONG, error: null },
    ]);
    expect(head.last_error).toBe(`${"x".repeat(197)}…`);
    expect(head.ended?.summary).toBe(`${"x".repeat(197)}…`);
  });
});

describe("limits of open actions, approvals and messages", () => {
  const many = (make: (nth: number) => SessionCommand, count: number) =>
    play(
      sessionIn("active"),
      Array.from({ length: count }, (_, nth) => make(nth)),
    );

  it("10 queued messages", () => {
    const send = (nth: number): SessionCommand => ({
      ...EXAMPLE.send_message,
      turn_id: `t-${nth}`,
    });
    expect(perform(many(send, 10), send(10))).toMatchObject({
      error: "limit_reached",
      details: { limit: 10 },
    });
  });

  it("8 approvals", () => {
    const ask = (nth: number): SessionCommand => ({
      ...EXAMPLE.request_approval,
      approval_id: `p-${nth}`,
      awaited: true,
    });
    expect(perform(many(ask, 8), ask(8))).toMatchObject({
      error: "limit_reached",
      details: { limit: 8 },
    });
  });

  it("16 actions, each with its own id", () => {
    const begin = (nth: number): SessionCommand => ({
      ...EXAMPLE.begin_action,
      action_id: `a-${nth}`,
    });
    let log = many(begin, 1);
    expect(perform(log, begin(0))).toMatchObject({ error: "action_exists" });
    for (let nth = 1; nth < 100; nth += 1) {
      const next = perform(log, begin(nth));
      if ("error" in next) return expect(next.error).toBe("limit_reached");
      log = play(log, [begin(nth)]);
    }
    throw new Error("a hundred actions are open");
  });
});

describe("the head of a task stays under 8 KB", () => {
  const create: TaskCommand = {
    type: "create_task",
    task_id: "T001",
    entity_id: "019b9f00-0000-7000-8000-000000000009",
    owner: "local",
    title: "a task",
    source: "cli",
    status: "pending",
    priority: null,
    est_hours: null,
    added_at: null,
  };

  it.each<[string, TaskCommand]>([
    ["task_id", { ...create, task_id: LONG }],
    ["title", { ...create, title: LONG }],
    ["owner", { ...create, owner: LONG }],
    ["source", { ...create, source: LONG }],
    ["priority", { ...create, priority: LONG }],
    ["added_at", { ...create, added_at: LONG }],
  ])("however long its %s", (_, command) => {
    const facts = decideTask(command, null);
    if ("error" in facts) return;
    const origin = { at: START, actor: "ada", interface: "cli", trace_id: null };
    const made = applyTaskFacts({ head: null, seq: 0 }, facts, origin);
    expect(JSON.stringify(made?.head).length).toBeLessThanOrEqual(8192);
  });
});
