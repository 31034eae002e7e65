import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { countSessions } from "../../src/core/view/count-sessions.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { MINUTE, perform, play, START } from "./session-log.ts";

const finalize = (outcome: "completed" | "failed" | "abandoned"): SessionCommand => ({
  type: "finalize",
  outcome,
  summary: "the end",
  error: null,
});

describe("a run that ends", () => {
  it.each([
    ["completed", "interrupted", "completed"],
    ["failed", "failed", "failed"],
    ["abandoned", "cancelled", "cancelled"],
  ] as const)("by %s gives every open item its one result", (outcome, turn, status) => {
    const before = working();
    const after = play(before, [finalize(outcome)]);
    expect(after.head).toMatchObject({ turn: null, actions: [], approvals: [], queue: [] });
    expect(after.events.slice(before.seq).map(({ type, data }) => ({ type, data }))).toMatchObject([
      { type: "action.completed", data: { action_id: "action-1", status: "interrupted" } },
      { type: "approval.expired", data: { approval_id: "approval-1" } },
      { type: "turn.ended", data: { turn_id: "turn-1", outcome: turn } },
      { type: "turn.ended", data: { turn_id: "turn-2", outcome: "cancelled" } },
      { type: "phase.changed", data: { from: "approval", to: outcome } },
      { type: `session.${status}` },
    ]);
  });

  it("lasts from its own start to its end", () => {
    const { head } = play(sessionIn("active"), [finalize("completed")], START + 5 * MINUTE);
    expect(head.ended).toEqual({
      at: START + 5 * MINUTE,
      duration_ms: 5 * MINUTE,
      summary: "the end",
    });
  });

  it("never has a negative duration, whatever the clock does", () => {
    const { head } = play(sessionIn("active"), [finalize("completed")], START - MINUTE);
    expect(head.ended?.duration_ms).toBe(0);
  });

  it("by archiving keeps its phase", () => {
    const { head } = play(working(), [EXAMPLE.archive]);
    expect(head).toMatchObject({
      status: "archived",
      phase: "approval",
      ended: null,
      turn: null,
      actions: [],
      approvals: [],
      queue: [],
    });
  });
});

describe("a message to a completed session", () => {
  const done = play(sessionIn("active"), [EXAMPLE.record_error, finalize("completed")]);
  const continued = play(done, [EXAMPLE.send_message], START + MINUTE);

  it("starts the next run", () => {
    expect(continued.head).toMatchObject({
      status: "active",
      phase: "initializing",
      run: 2,
      run_started_at: START + MINUTE,
      queue: [{ id: "turn-new" }],
    });
  });

  it("leaves duration and summary with their run", () => {
    expect(continued.head.ended).toEqual(done.head.ended);
  });

  it("leads to a run with its own duration", () => {
    const again = play(continued, [finalize("completed")], START + 4 * MINUTE);
    expect(again.head.ended).toMatchObject({ duration_ms: 3 * MINUTE });
  });
});

describe("a message", () => {
  it("to a suspended session is refused until it is resumed", () => {
    expect(perform(sessionIn("suspended"), EXAMPLE.send_message)).toEqual({
      error: "session_suspended",
      message: "agent-20260108-180530-abc12345 is suspended. Resume it first.",
      details: {
        session_id: "agent-20260108-180530-abc12345",
        status: "suspended",
        command: "send_message",
      },
    });
  });

  it("waits for its turn", () => {
    const busy = working();
    expect(busy.head.queue).toMatchObject([{ id: "turn-2" }]);
    const next = play(busy, [EXAMPLE.end_turn, { ...EXAMPLE.start_turn, turn_id: "turn-2" }]);
    expect(next.head).toMatchObject({ turn: { id: "turn-2" }, queue: [] });
    expect(next.head.turn?.seq).toBe(busy.head.queue[0]?.seq);
  });
});

describe("a session adds up", () => {
  const turns = play(sessionIn("active"), [
    EXAMPLE.record_turn,
    { ...EXAMPLE.start_turn, turn_id: "turn-1" },
    EXAMPLE.end_turn,
    { ...EXAMPLE.record_turn, turn_id: "turn-3", usage: null },
  ]);

  it("the usage of its turns", () => {
    expect(turns.head.usage).toEqual({ input_tokens: 11, output_tokens: 22, cost_usd: 0.75 });
  });

  it("a finite usage, however much its turns report", () => {
    const usage = { input_tokens: 1e308, output_tokens: 1e308, cost_usd: 1e308 };
    const { head } = play(sessionIn("active"), [
      { ...EXAMPLE.record_turn, turn_id: "turn-1", usage },
      { ...EXAMPLE.record_turn, turn_id: "turn-2", usage },
    ]);
    // A stored head must match its log.
    expect(JSON.parse(JSON.stringify(head.usage))).toEqual(head.usage);
    const stats = countSessions([head, head]);
    expect(JSON.parse(JSON.stringify(stats))).toEqual(stats);
  });

  it("its turns, without waiting messages", () => {
    expect(turns.head.counts.turns).toBe(3);
    expect(play(turns, [EXAMPLE.send_message]).head.counts.turns).toBe(3);
  });

  it("not the usage of its parent", () => {
    expect(play(turns, [EXAMPLE.fork]).head.usage).toEqual({
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: 0,
    });
  });
});

describe("resume", () => {
  it("sets the interface and resets the errors", () => {
    const { head } = play(sessionIn("active"), [
      EXAMPLE.record_error,
      EXAMPLE.suspend,
      { type: "resume", interface: "graphql" },
    ]);
    expect(head).toMatchObject({ status: "active", interface: "graphql", error_count: 0 });
    expect(head.counts.resumes).toBe(1);
  });

  it.each<SessionCommand>([EXAMPLE.set_phase, EXAMPLE.begin_action])(
    "happens by itself when the agent continues with $type",
    (command) => {
      const { head } = play(sessionIn("suspended"), [command]);
      expect(head).toMatchObject({ status: "active", interface: "cli" });
    },
  );
});

describe("suspend", () => {
  it("stores reason and checkpoint; the reason stays after the resume", () => {
    const { head } = play(sessionIn("active"), [EXAMPLE.suspend, EXAMPLE.resume]);
    expect(head).toMatchObject({
      suspend_reason: "user_requested",
      checkpoint_id: "checkpoint-1",
    });
  });
});

describe("the trash", () => {
  const removed = play(working(), [EXAMPLE.delete]);

  it("accepts no new work", () => {
    expect(perform(removed, EXAMPLE.send_message)).toMatchObject({ error: "session_deleted" });
    expect(perform(removed, EXAMPLE.delete)).toMatchObject({ error: "session_deleted" });
  });

  it.each<SessionCommand>([EXAMPLE.append_part, EXAMPLE.end_turn, EXAMPLE.complete_action])(
    "still records the end of open work: $type",
    (command) => {
      expect(perform(removed, command)).not.toHaveProperty("error");
    },
  );

  it("restores everything", () => {
    const { undeleted_at, ...back } = play(removed, [EXAMPLE.undelete]).head;
    expect(back).toEqual(working().head);
  });
});
