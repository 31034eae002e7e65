import type { SessionCommand } from "../../contract/commands.ts";
import type { Refusal } from "../../contract/errors.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { KnownRows } from "../observation/merge-observation.ts";
import type { Applied, Origin } from "./apply-facts.ts";
import { applySessionFacts } from "./apply-facts.ts";
import { decideSession } from "./decide-session.ts";
import type { DecisionContext } from "./decision.ts";
import { isRefusal } from "./decision.ts";

export type AppliedSession = Applied<SessionEvent, SessionHead>;

/** Decides commands one after the other, each on the head the one before it left. Null when they change nothing. */
export function runCommands(
  commands: readonly SessionCommand[],
  from: { readonly head: SessionHead | null; readonly seq: number },
  context: DecisionContext,
  origin: Origin,
  known?: KnownRows,
): AppliedSession | Refusal | null {
  const parts: AppliedSession[] = [];
  let { head, seq } = from;
  for (const command of commands) {
    const facts = decideSession(command, head, context);
    if (isRefusal(facts)) return facts;
    const part = facts.length > 0 ? applySessionFacts({ head, seq }, facts, origin, known) : null;
    if (!part) continue;
    parts.push(part);
    head = part.head;
    seq += part.events.length;
  }
  return joinApplied(parts);
}

/** One after the other, as one. Null when there are none. */
export function joinApplied(parts: readonly AppliedSession[]): AppliedSession | null {
  const last = parts.at(-1);
  if (!last || parts.length === 1) return last ?? null;
  return {
    ...last,
    events: parts.flatMap((part) => part.events),
    rows: parts.flatMap((part) => part.rows),
    names: [...new Set(parts.flatMap((part) => part.names))],
  };
}
