import { isRecord } from "../../../../src/contract/is-record.ts";
import { diffsOf, outputOf } from "../../../../src/core/view/run-events.ts";
import { isUnknown } from "../../../../src/core/view/to-spans.ts";
import type { Call, EventOf } from "./entry.ts";

/** The loaded events of one tool call. Pages come in any order, so any of them may be missing. */
export interface CallFacts {
  readonly begun?: EventOf<"action.started">;
  readonly described?: EventOf<"action.described">;
  readonly ended?: EventOf<"action.completed">;
}

type CallEvent = EventOf<"action.started" | "action.described" | "action.completed">;

export function addCallFact(facts: CallFacts, event: CallEvent): CallFacts {
  switch (event.type) {
    case "action.started":
      return { ...facts, begun: event };
    case "action.completed":
      return { ...facts, ended: event };
    case "action.described":
      return (facts.described?.seq ?? 0) > event.seq ? facts : { ...facts, described: event };
  }
}

/** `isDropped`: a fork happened before it ended. `waited`: milliseconds spent waiting for an answer. */
export function toCall(
  action_id: string,
  facts: CallFacts,
  isDropped: boolean,
  waited: number,
): Call {
  const { begun, described, ended } = facts;
  const first = begun ?? described ?? ended;
  const effects = described?.data.effects ?? begun?.data.effects ?? null;
  const tool = described?.data.type ?? begun?.data.type;
  const texts = [ended, described, begun].map((event) => textOf(event?.data.details.title));
  const diffs = [ended, described, begun].map((event) => diffsOf(event?.data.details.diffs));
  const input = [described, begun].map((event) => event?.data.details.input ?? null);
  const status = ended?.data.status ?? (isDropped ? "dropped" : "started");
  return {
    kind: "call",
    seq: first?.seq ?? null,
    turn_id: begun?.data.turn_id ?? null,
    at: begun?.at ?? null,
    action_id,
    tool: tool ?? "tool",
    title: texts.find((text) => text !== null) ?? tool ?? "a tool call",
    status,
    effects,
    isUnknown: isUnknown({ status, output: ended?.data.details }, effects ?? "unknown"),
    input: input.find((value) => value !== null && !isEmpty(value)) ?? null,
    output: ended ? outputOf(ended.data.details) : null,
    diffs: diffs.find((list) => list.length > 0) ?? [],
    ended_at: ended?.at ?? null,
    waited,
  };
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
