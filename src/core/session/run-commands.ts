import type { SessionCommand } from "../../contract/commands.ts";
import type { Refusal } from "../../contract/errors.ts";
import type { SessionEvent, SessionFact, TaskEvent, TaskFact } from "../../contract/events.ts";
import type { SessionHead, TaskHead } from "../../contract/head.ts";
import type { Listing, NewRow } from "../../contract/stream.ts";
import { type KnownRows, NO_ROWS } from "../observation/merge-observation.ts";
import { evolveTask } from "../task.ts";
import { decideSession } from "./decide-session.ts";
import { type DecisionContext, isRefusal } from "./decision.ts";
import { evolveSession } from "./evolve-session.ts";
import { indexSession, type OpenedRow } from "./index-session.ts";
import { listSession, listTask } from "./list-session.ts";

export interface Origin {
  readonly at: number;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: string | null;
}

/** Numbered events with everything that a store saves for them. */
export interface Applied<Event, Head> {
  readonly events: readonly (Event & { readonly row?: OpenedRow })[];
  readonly head: Head;
  readonly rows: readonly NewRow[];
  readonly names: readonly string[];
  readonly listing: Listing;
}

export type AppliedSession = Applied<SessionEvent, SessionHead>;

/**
 * Decides commands in order, each on the head that the previous one left. Null if they change
 * nothing.
 */
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

/** Joins the changes in order into one. Null if there are none. */
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

export function applySessionFacts(
  from: { readonly head: SessionHead | null; readonly seq: number },
  facts: readonly SessionFact[],
  origin: Origin,
  known: KnownRows = NO_ROWS,
): Applied<SessionEvent, SessionHead> | null {
  const events: Applied<SessionEvent, SessionHead>["events"][number][] = [];
  const rows: NewRow[] = [];
  const names: string[] = [];
  let head = from.head;
  const { at, actor, interface: door, trace_id } = origin;
  let { seq } = from;
  for (const fact of facts) {
    seq += 1;
    // Named one by one: the engine copies only the first object of a literal fast.
    const event = { ...fact, at, actor, interface: door, trace_id, seq };
    const indexed = indexSession(event, head, known);
    events.push(indexed.opens ? { ...event, row: indexed.opens } : event);
    rows.push(...indexed.rows);
    names.push(...indexed.names);
    head = evolveSession(head, event);
  }
  const distinct = names.length < 2 ? names : [...new Set(names)];
  return head && { events, head, rows, names: distinct, listing: listSession(head) };
}

export function applyTaskFacts(
  from: { readonly head: TaskHead | null; readonly seq: number },
  facts: readonly TaskFact[],
  origin: Origin,
): Applied<TaskEvent, TaskHead> | null {
  const events = facts.map((fact, nth) => ({ ...fact, ...origin, seq: from.seq + 1 + nth }));
  const head = events.reduce(evolveTask, from.head);
  return head && { events, head, rows: [], names: [], listing: listTask(head) };
}
