import { describe, expect, it } from "vitest";
import type { SessionEvent, SessionFact, Usage } from "../../src/contract/events.ts";
import { Conversation } from "../../web/src/session/log/conversation.ts";
import type { Entry } from "../../web/src/session/log/entry.ts";
import { cpuTimeOf } from "../cpu-time.ts";

function numbered(facts: readonly SessionFact[], from = 1): SessionEvent[] {
  return facts.map((fact, nth) => ({
    ...fact,
    seq: from + nth,
    at: 1000 * (from + nth),
    actor: "token:browser",
    interface: "web",
    trace_id: null,
  }));
}

const queued = (turn_id: string, content: string): SessionFact => ({
  type: "message.queued",
  data: { turn_id, content },
});
const started = (turn_id: string, content: string | null = null): SessionFact => ({
  type: "turn.started",
  data: { turn_id, content },
});
const part = (turn_id: string, item: number, offset: number, text: string): SessionFact => ({
  type: "turn.part",
  data: { turn_id, item, kind: "message", offset, text },
});
const ended = (
  turn_id: string,
  outcome: "completed" | "interrupted" | "cancelled" = "completed",
  usage: Usage | null = { input_tokens: 1, output_tokens: 1, cost_usd: 0 },
): SessionFact => ({ type: "turn.ended", data: { turn_id, outcome, error: null, usage } });
const begun = (action_id: string, turn_id: string): SessionFact => ({
  type: "action.started",
  data: {
    action_id,
    turn_id,
    type: "execute",
    effects: "unknown",
    idempotent: false,
    idempotency_key: null,
    detachable: false,
    orphanable: false,
    rollback: [],
    process: null,
    details: { title: `run ${action_id}`, input: { command: "ls" } },
  },
});
const completed = (
  action_id: string,
  status: "completed" | "interrupted" = "completed",
  details: Record<string, unknown> = { output: "done" },
): SessionFact => ({
  type: "action.completed",
  data: { action_id, status, result: "success", details },
});
const asked = (approval_id: string, action_id: string | null = null): SessionFact => ({
  type: "approval.requested",
  data: {
    approval_id,
    kind: "permission",
    title: "May I?",
    body: null,
    action_id,
    awaited: true,
    expires_at: null,
    options: ["allow_once", "reject_once"],
  },
});
const forked: SessionFact = {
  type: "session.forked",
  data: {
    session_id: "child",
    entity_id: "e2",
    owner: "me",
    interface: "web",
    title: null,
    parent: { session_id: "parent", entity_id: "e1", seq: 3 },
  },
};
const live = (item: number, offset: number, text: string, turn_id = "t1") =>
  ({ turn_id, item, kind: "message", offset, text }) as const;

function fold(...events: readonly SessionEvent[]): Conversation {
  const conversation = new Conversation();
  for (const event of events) conversation.add(event);
  return conversation;
}

/** Each entry in a few letters. */
function told(conversation: Conversation): string[] {
  return conversation.rows.map(({ entry }) => shorten(entry));
}
function shorten(entry: Entry): string {
  switch (entry.kind) {
    case "said":
    case "message":
    case "thought":
    case "note":
    case "mark":
      return `${entry.kind}: ${entry.text}`;
    case "call":
      return `call: ${entry.title} ${entry.status}`;
    case "question":
      return `question: ${entry.answer?.decision ?? "open"}`;
    case "end":
      return `end: ${entry.outcome}`;
    case "plan":
      return `plan: ${entry.lines.map(({ content, status }) => `${content} ${status}`).join()}`;
  }
}

const turn = [
  queued("t1", "hello"),
  started("t1"),
  part("t1", 0, 0, "one "),
  begun("a1", "t1"),
  completed("a1"),
  part("t1", 1, 0, "two "),
  part("t1", 1, 4, "three"),
  ended("t1"),
];
const whole = ["said: hello", "message: one ", "call: run a1 completed", "message: two three"];

describe("a conversation, folded from a session's log", () => {
  it("has the message, the work in order, and the end", () => {
    expect(told(fold(...numbered(turn)))).toEqual([...whole, "end: completed"]);
  });

  it("is the same for any order of its pages", () => {
    const events = numbered(turn);
    const pages = [events.slice(0, 3), events.slice(3, 5), events.slice(5)];
    for (const order of [
      [2, 1, 0],
      [1, 2, 0],
      [0, 2, 1],
    ]) {
      const conversation = fold(...order.flatMap((nth) => pages[nth] ?? []));
      expect(told(conversation)).toEqual([...whole, "end: completed"]);
      expect(conversation.runningTurn).toBeNull();
      expect(conversation.queued).toEqual([]);
    }
  });

  it("excludes the wait for an approval from a tool call's duration, in any order of events", () => {
    const answered: SessionFact = {
      type: "approval.decided",
      data: { approval_id: "q1", decision: "approved", note: null },
    };
    const events = numbered([
      started("t1"),
      begun("a1", "t1"),
      asked("q1", "a1"),
      answered,
      completed("a1"),
    ]);
    for (const order of [events, events.toReversed()]) {
      expect(fold(...order).callOf("a1")).toMatchObject({ at: 2000, ended_at: 5000, waited: 1000 });
    }
  });

  it("does not show a turn as completed if no model may have answered", () => {
    const facts = [started("t1", "hi"), ended("t1", "completed", null), started("t2", "hi")];
    const events = numbered([...facts, ended("t2", "interrupted", null)]);
    expect(told(fold(...events))).toEqual([
      "said: hi",
      "end: without_usage",
      "said: hi",
      "end: interrupted",
    ]);
  });

  it("shows a repeated event once", () => {
    const events = numbered(turn);
    expect(told(fold(...events, ...events.slice(2)))).toEqual([...whole, "end: completed"]);
  });

  it("shows text once that arrives live and is then stored", () => {
    const conversation = fold(...numbered([started("t1", "hi")]));
    conversation.addLive(live(0, 0, "some "));
    conversation.addLive(live(0, 5, "words"));
    expect(told(conversation)).toEqual(["said: hi", "message: some words"]);
    for (const event of numbered([part("t1", 0, 0, "some words"), ended("t1")], 2)) {
      conversation.add(event);
    }
    expect(told(conversation)).toEqual(["said: hi", "message: some words", "end: completed"]);
  });

  it("adds only the new text of a part that is cut differently", () => {
    const conversation = fold(...numbered([started("t1", "hi")]));
    conversation.addLive(live(0, 0, "some words"));
    for (const event of numbered(
      [part("t1", 0, 0, "some"), part("t1", 0, 4, " words and mo")],
      2,
    )) {
      conversation.add(event);
    }
    conversation.addLive(live(0, 8, "ds and more"));
    conversation.addLive(live(0, 0, "some"));
    expect(told(conversation)).toEqual(["said: hi", "message: some words and more"]);
  });

  it("leaves out text with a gap before it, which the log brings later", () => {
    const conversation = fold(...numbered([started("t1", "hi")]));
    conversation.addLive(live(0, 5, "words"));
    expect(told(conversation)).toEqual(["said: hi"]);
    for (const event of numbered([part("t1", 0, 0, "some words")], 2)) conversation.add(event);
    expect(told(conversation)).toEqual(["said: hi", "message: some words"]);
  });

  it("knows the position of a reopened stream", () => {
    const conversation = fold(...numbered([started("t1", "hi"), part("t1", 0, 0, "some ")]));
    expect(conversation.livePlace).toBeNull();
    conversation.addLive(live(0, 5, "words"));
    expect(conversation.livePlace).toEqual({ turn_id: "t1", item: 0, offset: 10 });
  });

  it("drops text at the end of a turn that was never stored", () => {
    const conversation = fold(...numbered([started("t1", "hi"), part("t1", 0, 0, "some ")]));
    conversation.addLive(live(0, 5, "words"));
    conversation.addLive(live(1, 0, "lost"));
    for (const event of numbered([ended("t1", "interrupted")], 3)) conversation.add(event);
    conversation.addLive(live(0, 5, "words"));
    expect(told(conversation)).toEqual(["said: hi", "message: some ", "end: interrupted"]);
  });

  it("shows a turn whose start is not loaded, and completes it later", () => {
    const events = numbered(turn);
    const conversation = fold(...events.slice(6));
    expect(told(conversation)).toEqual(["message: three", "end: completed"]);
    expect(conversation.rows[0]?.entry).toMatchObject({ isCut: true });
    for (const event of events.slice(0, 6)) conversation.add(event);
    expect(told(conversation)).toEqual([...whole, "end: completed"]);
    expect(conversation.rows.at(-1)?.entry).toMatchObject({ took: 6000 });
  });

  it("finds a message that was queued before the loaded part", () => {
    const events = numbered([queued("t1", "hello"), started("t1")]);
    const conversation = fold(...events.slice(1));
    expect(told(conversation)).toEqual(["said: null"]);
    for (const event of events.slice(0, 1)) conversation.add(event);
    expect(told(conversation)).toEqual(["said: hello"]);
  });

  it("shows waiting messages separately", () => {
    const conversation = fold(
      ...numbered([queued("t1", "a"), started("t1"), queued("t2", "b"), queued("t3", "c")]),
    );
    expect(conversation.runningTurn).toBe("t1");
    expect(conversation.queued.map(({ text }) => text)).toEqual(["b", "c"]);
    for (const event of numbered([ended("t1"), started("t2"), ended("t3", "cancelled")], 5)) {
      conversation.add(event);
    }
    expect(conversation.queued).toEqual([]);
    expect(told(conversation)).toEqual([
      "said: a",
      "end: completed",
      "said: b",
      "said: c",
      "end: cancelled",
    ]);
  });

  it("shows who answered a question, and which are open", () => {
    const conversation = fold(
      ...numbered([started("t1", "x"), begun("a1", "t1"), asked("q1", "a1"), asked("q2")]),
    );
    expect(conversation.openQuestions.map(({ approval_id }) => approval_id)).toEqual(["q1", "q2"]);
    const decided: SessionFact = {
      type: "approval.decided",
      data: { approval_id: "q1", decision: "approved", note: "go", always: true },
    };
    for (const event of numbered([decided], 5)) conversation.add(event);
    expect(conversation.openQuestions.map(({ approval_id }) => approval_id)).toEqual(["q2"]);
    expect(conversation.rows[2]?.entry).toMatchObject({
      turn_id: "t1",
      answer: { decision: "approved", note: "go", always: true, door: "web" },
    });
  });

  it("accepts an answer that is loaded before its question", () => {
    const expired: SessionFact = {
      type: "approval.expired",
      data: { approval_id: "q1", reason: "its process ended" },
    };
    const [question, answer] = numbered([asked("q1"), expired]);
    if (!question || !answer) throw new Error("two events");
    expect(told(fold(answer, question))).toEqual(["question: expired"]);
  });

  it("shows calls with an unknown outcome", () => {
    const cut = completed("a1", "interrupted", { outcome: "unknown", means: "not known" });
    const safe = completed("a2", "interrupted", { outcome: "never_ran", means: "it did not run" });
    const conversation = fold(...numbered([begun("a1", "t1"), begun("a2", "t1"), cut, safe]));
    expect(conversation.rows.map(({ entry }) => entry)).toMatchObject([
      { isUnknown: true, output: "not known" },
      { isUnknown: false, output: "it did not run" },
    ]);
  });

  it("drops unfinished work at the start of a fork, in either order of pages", () => {
    const events = numbered([
      started("t1", "x"),
      begun("a1", "t1"),
      asked("q1", "a1"),
      queued("t2", "later"),
      forked,
      started("t3", "y"),
    ]);
    for (const order of [events, [...events.slice(4), ...events.slice(0, 4)]]) {
      const conversation = fold(...order);
      expect(conversation.runningTurn).toBe("t3");
      expect(conversation.queued).toEqual([]);
      expect(conversation.openQuestions).toEqual([]);
      expect(told(conversation)).toEqual([
        "said: x",
        "call: run a1 dropped",
        "question: dropped",
        "end: dropped",
        expect.stringContaining("Forked from parent"),
        "said: y",
      ]);
    }
  });

  it("keeps running work after the start of a fork that is loaded later", () => {
    const events = numbered([forked, started("t1", "x"), queued("t2", "later")]);
    const conversation = fold(...events.slice(1), ...events.slice(0, 1));
    expect(conversation.runningTurn).toBe("t1");
    expect(conversation.queued).toHaveLength(1);
  });

  it("shows the current plan of a turn once", () => {
    const plan = (status: string): SessionFact => ({
      type: "turn.part",
      data: {
        turn_id: "t1",
        item: 0,
        kind: "plan",
        offset: 0,
        text: JSON.stringify([{ content: "A", status }]),
      },
    });
    const events = numbered([plan("pending"), part("t1", 1, 0, "ok"), plan("completed")]);
    const expected = ["plan: A completed", "message: ok"];
    expect(told(fold(...events))).toEqual(expected);
    expect(told(fold(...events.toReversed()))).toEqual(expected);
  });

  it("finds the row that shows an event", () => {
    const conversation = fold(...numbered(turn));
    expect(conversation.indexOf(5)).toBe(2);
    expect(conversation.indexOf(7)).toBe(3);
    expect(conversation.indexOf(1)).toBe(0);
    expect(conversation.indexOf(99)).toBe(4);
  });

  it("adds text to a long conversation as fast as to a short one", async () => {
    const conversation = new Conversation();
    for (let nth = 0; nth < 5000; nth += 1) {
      const events = [started(`t${nth}`, "x"), part(`t${nth}`, 0, 0, "y"), ended(`t${nth}`)];
      for (const event of numbered(events, nth * 3 + 1)) conversation.add(event);
    }
    for (const event of numbered([started("t1x", "x")], 15_001)) conversation.add(event);
    const took = await cpuTimeOf(() => {
      for (let nth = 0; nth < 10_000; nth += 1) conversation.addLive(live(0, nth, "z", "t1x"));
    });
    expect(took).toBeLessThan(500);
    expect(conversation.rows).toHaveLength(15_002);
  });
});
