import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionEvent, SessionFact } from "../../src/contract/events.ts";
import type { Delta, RunEvent } from "../../src/contract/run-event.ts";
import { createRunEvents } from "../../src/core/view/run-events.ts";

const turn_id = "turn-1";
let seq = 0;
const event = (fact: SessionFact): SessionEvent => ({
  ...fact,
  seq: ++seq,
  at: 0,
  actor: "agent:demo",
  interface: "library",
  trace_id: null,
});
const part = (item: number, offset: number, text: string) =>
  event({ type: "turn.part", data: { turn_id, item, kind: "message", offset, text } });
const delta = (item: number, offset: number, text: string): Delta => ({
  turn_id,
  item,
  kind: "message",
  offset,
  text,
  after: 0,
});
const started = (id = turn_id) =>
  event({ type: "turn.started", data: { turn_id: id, content: null } });

function toRunEvents(items: readonly (SessionEvent | Delta)[]): RunEvent[] {
  const tell = createRunEvents("session-1");
  return items.flatMap(tell);
}

/** The text of an item, and whether each piece started where the previous one ended. */
function textOf(told: readonly RunEvent[], item: number): { text: string; gapless: boolean } {
  let text = "";
  let gapless = true;
  for (const one of told) {
    if (one.type !== "message" || one.item !== item) continue;
    gapless &&= one.offset === text.length;
    text += one.text;
  }
  return { text, gapless };
}

/** The text cut at these places. */
function cutAt(text: string, places: readonly number[]): { offset: number; text: string }[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((offset, nth) => ({ offset, text: text.slice(offset, at[nth]) }));
}

/** Both lists in their own order, mixed by the coin. */
function mix<T>(a: readonly T[], b: readonly T[], coin: readonly boolean[]): T[] {
  const [left, right, mixed] = [[...a], [...b], [] as T[]];
  for (let toss = 0; left.length + right.length > 0; toss += 1) {
    const next = coin[toss % coin.length]
      ? (left.shift() ?? right.shift())
      : (right.shift() ?? left.shift());
    if (next !== undefined) mixed.push(next);
  }
  return mixed;
}

const places = fc.array(fc.nat(), { maxLength: 12 });
const coins = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
const texts = fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), {
  minLength: 1,
  maxLength: 3,
});

describe("events for listeners", () => {
  it("contain each text exactly once, in any mix of deltas and stored parts", () => {
    fc.assert(
      fc.property(texts, places, places, coins, (items, heard, kept, coin) => {
        const told = toRunEvents([
          started(),
          ...items.flatMap((text, item) =>
            mix<SessionEvent | Delta>(
              cutAt(text, heard).map((piece) => delta(item, piece.offset, piece.text)),
              cutAt(text, kept).map((piece) => part(item, piece.offset, piece.text)),
              coin,
            ),
          ),
        ]);
        for (const [item, text] of items.entries()) {
          expect(textOf(told, item)).toEqual({ text, gapless: true });
        }
      }),
      { numRuns: 500 },
    );
  });

  it("contain each text exactly once, also after lost deltas", () => {
    const lost = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, places, places, coins, lost, (items, heard, kept, coin, missed) => {
        const told = toRunEvents([
          started(),
          ...items.flatMap((text, item) =>
            mix<SessionEvent | Delta>(
              cutAt(text, heard)
                .filter((_, nth) => !missed[nth % missed.length])
                .map((piece) => delta(item, piece.offset, piece.text)),
              cutAt(text, kept).map((piece) => part(item, piece.offset, piece.text)),
              coin,
            ),
          ),
        ]);
        for (const [item, text] of items.entries()) {
          expect(textOf(told, item)).toEqual({ text, gapless: true });
        }
      }),
      { numRuns: 500 },
    );
  });

  it("contain each text exactly once from the log alone, from any starting point", () => {
    fc.assert(
      fc.property(texts, places, fc.nat(), (items, kept, from) => {
        const all = items.flatMap((text, item) =>
          cutAt(text, kept).map((piece) => part(item, piece.offset, piece.text)),
        );
        const later = all.slice(from % (all.length + 1));
        const expected = later.map(({ data }) => ("text" in data ? data.text : "")).join("");
        const told = toRunEvents(later).map((one) => (one.type === "message" ? one.text : ""));
        expect(told.join("")).toBe(expected);
      }),
    );
  });

  it("start again with each turn", () => {
    const second = "turn-2";
    const told = toRunEvents([
      started(),
      delta(0, 0, "one"),
      started(second),
      { ...delta(0, 0, "two"), turn_id: second },
    ]);
    expect(told.flatMap((one) => (one.type === "message" ? [one.text] : []))).toEqual([
      "one",
      "two",
    ]);
  });

  it("use one name for a tool call at its start and its end", () => {
    const action_id = "action-1";
    const told = toRunEvents([
      event({
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
          details: { title: "ls", input: { command: "ls" } },
        },
      }),
      event({
        type: "action.completed",
        data: {
          action_id,
          status: "interrupted",
          result: "interrupted",
          details: { means: "it may be repeated" },
        },
      }),
    ]);
    expect(told).toEqual([
      {
        type: "tool_call",
        session_id: "session-1",
        action_id,
        tool: "execute",
        title: "ls",
        effects: "unknown",
        status: "started",
        input: { command: "ls" },
        result: null,
        output: null,
        diffs: [],
      },
      {
        type: "tool_call",
        session_id: "session-1",
        action_id,
        tool: "execute",
        title: "ls",
        effects: "unknown",
        status: "interrupted",
        input: null,
        result: "interrupted",
        output: "it may be repeated",
        diffs: [],
      },
    ]);
  });

  it("contain an error if the turn failed, otherwise its end", () => {
    const ended = (outcome: "failed" | "cancelled", error: string | null) =>
      toRunEvents([event({ type: "turn.ended", data: { turn_id, outcome, error, usage: null } })]);
    expect(ended("failed", "no model")).toEqual([
      { type: "error", session_id: "session-1", turn_id, message: "no model" },
    ]);
    expect(ended("cancelled", null)).toMatchObject([{ type: "completed", outcome: "cancelled" }]);
  });
});
