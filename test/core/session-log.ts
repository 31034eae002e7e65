import type { SessionCommand } from "../../src/contract/commands.ts";
import type { Refusal } from "../../src/contract/errors.ts";
import type { SessionEvent, SessionFact } from "../../src/contract/events.ts";
import type { SessionHead } from "../../src/contract/head.ts";
import type { Observation } from "../../src/contract/observation.ts";
import type { NewRow } from "../../src/contract/stream.ts";
import {
  type KnownItems,
  type KnownRows,
  knownItemQueries,
  NO_ROWS,
} from "../../src/core/observation/merge-observation.ts";
import { decideSession } from "../../src/core/session/decide-session.ts";
import { type DecisionContext, isRefusal } from "../../src/core/session/decision.ts";
import { applySessionFacts, type Origin } from "../../src/core/session/run-commands.ts";
import { keepRows, rowsOf } from "./stored-rows.ts";

/** A session as a store would keep it, without a store. */
export interface SessionLog {
  readonly head: SessionHead | null;
  readonly seq: number;
  readonly events: readonly SessionEvent[];
  readonly rows: readonly NewRow[];
  readonly names: readonly string[];
}
/** A log with at least one event. */
export interface LiveLog extends SessionLog {
  readonly head: SessionHead;
}

export const NO_LOG: SessionLog = { head: null, seq: 0, events: [], rows: [], names: [] };

export const START = Date.UTC(2026, 0, 8, 18, 5, 30);
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;

/** No driver, and the caller claims no lease. */
export function undriven(now = START): DecisionContext {
  return { now, lease: null, epoch: null };
}
/** The caller holds the current lease. */
export function driving(now = START): DecisionContext {
  return { now, lease: { epoch: 1, live: true, holder: { name: "belay run" } }, epoch: 1 };
}
/** Another process holds the lease, as when a person answers an agent's question. */
export function driven(now = START): DecisionContext {
  return { ...driving(now), epoch: null };
}

/** The context in which a command can succeed: only an agent with a live driver can be answered. */
export function contextOf({ type }: SessionCommand): DecisionContext {
  return type === "decide_approval" ? driven() : undriven();
}

/** Decides a command and, unless it is refused, appends the result. */
export function perform(
  log: SessionLog,
  command: SessionCommand,
  context: DecisionContext = undriven(),
): SessionLog | Refusal {
  const verdict = decideSession(withRow(command, log), log.head, context);
  return isRefusal(verdict) ? verdict : append(log, verdict, { at: context.now });
}

/** As the service does for metadata updates. */
function withRow(command: SessionCommand, { rows }: SessionLog): SessionCommand {
  const row = rows.findLast(({ kind }) => kind === "metadata")?.data;
  return command.type === "annotate" && row ? { ...command, row } : command;
}

/** Performs commands; none may be refused. */
export function play(log: SessionLog, commands: readonly SessionCommand[], now = START): LiveLog {
  return playAs(log, commands, undriven(now));
}

export function playAs(
  log: SessionLog,
  commands: readonly SessionCommand[],
  context: DecisionContext,
): LiveLog {
  const end = commands.reduce((current: SessionLog, command) => {
    const next = perform(current, command, context);
    if ("error" in next) throw new Error(`${command.type} was refused: ${next.error}`);
    return next;
  }, log);
  return begun(end);
}

export function append(
  log: SessionLog,
  facts: readonly SessionFact[],
  origin: Partial<Origin> = {},
): SessionLog {
  if (facts.length === 0) return log;
  const full = { at: START, actor: "ada", interface: "cli", trace_id: null, ...origin };
  const applied = applySessionFacts(log, facts, full, findKnown(log, facts));
  if (!applied) throw new Error("facts without a session to stand on");
  return {
    head: applied.head,
    seq: log.seq + applied.events.length,
    events: [...log.events, ...applied.events],
    rows: [...log.rows, ...applied.rows, ...applied.events.flatMap(openedBy)],
    names: [...log.names, ...applied.names],
  };
}

/** The row that an event opens itself. */
export function openedBy({
  row,
  seq,
  data,
}: NonNullable<ReturnType<typeof applySessionFacts>>["events"][number]): NewRow[] {
  return row ? [{ ...row, place: seq, nth: 0, seq, data: { ...data } }] : [];
}

export function begun(log: SessionLog): LiveLog {
  if (!log.head) throw new Error("the session has not begun");
  return { ...log, head: log.head };
}

/** The rows that the service reads before an observation is decided. */
function findKnown(log: SessionLog, facts: readonly SessionFact[]): KnownRows {
  const metadata = log.rows.findLast(({ kind }) => kind === "metadata")?.data;
  const observation = facts.find((fact) => fact.type === "observation.submitted");
  if (!observation) return { ...NO_ROWS, metadata };
  return knownFor(log.rows, observation.data);
}

export function knownFor(rows: readonly NewRow[], observation: Observation): KnownItems {
  const queries = knownItemQueries(observation);
  const kept = keepRows(rows.filter((row) => row.kind in queries));
  const read = (kind: keyof KnownItems) =>
    rowsOf(kept, kind).filter((row) => queries[kind].some((query) => query.key === row.key));
  return { action: read("action"), checkpoint: read("checkpoint"), outcome: read("outcome") };
}
