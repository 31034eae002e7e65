import type { SessionCommand } from "../contract/commands.ts";
import type { Refusal } from "../contract/errors.ts";
import type { SessionEvent } from "../contract/events.ts";
import type { SessionHead } from "../contract/head.ts";
import type { Applied, Origin } from "./apply-facts.ts";
import { applySessionFacts } from "./apply-facts.ts";
import { decideSession } from "./decide-session.ts";
import type { DecisionContext } from "./decision.ts";
import { isRefusal } from "./decision.ts";
import type { KnownItems } from "./merge-observation.ts";

export type AppliedSession = Applied<SessionEvent, SessionHead>;

/** Decides commands one after the other, each on the head the one before it left. Null when they change nothing. */
export function runCommands(
  commands: readonly SessionCommand[],
  from: { readonly head: SessionHead | null; readonly seq: number },
  context: DecisionContext,
  origin: Origin,
  known?: KnownItems,
): AppliedSession | Refusal | null {
  let done: AppliedSession | null = null;
  for (const command of commands) {
    const head: SessionHead | null = done?.head ?? from.head;
    const facts = decideSession(command, head, context);
    if (isRefusal(facts)) return facts;
    if (facts.length === 0) continue;
    const seq = from.seq + (done?.events.length ?? 0);
    const next = applySessionFacts({ head, seq }, facts, origin, known);
    done = done && next ? joinApplied(done, next) : next;
  }
  return done;
}

export function joinApplied(first: AppliedSession, second: AppliedSession): AppliedSession {
  return {
    ...second,
    events: [...first.events, ...second.events],
    rows: [...first.rows, ...second.rows],
    names: [...new Set([...first.names, ...second.names])],
  };
}
