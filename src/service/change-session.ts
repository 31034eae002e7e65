import type { SessionCommand } from "../contract/commands.ts";
import type { Refusal } from "../contract/errors.ts";
import { BelayError, refuse } from "../contract/errors.ts";
import type { SessionHead } from "../contract/head.ts";
import type { StoredRow } from "../contract/stream.ts";
import { type KnownRows, NO_ROWS } from "../core/observation/merge-observation.ts";
import { isRefusal } from "../core/session/decision.ts";
import { followSession } from "../core/session/follow-session.ts";
import { isSessionHead, isTaskHead } from "../core/session/known-events.ts";
import { METADATA_ROW } from "../core/session/metadata.ts";
import { runCommands } from "../core/session/run-commands.ts";
import type { StoredRedaction } from "../redaction/stored-redaction.ts";
import { releaseLease } from "../store/leases.ts";
import { mergeRows } from "../store/merge-rows.ts";
import { loadStream } from "../store/read-streams.ts";
import type {
  Append,
  Decision,
  Lease,
  Loaded,
  Outcome,
  StoredStream,
  StreamRef,
  Transaction,
} from "../store/stream-store.ts";
import { ConditionalTurns } from "./conditional-turns.ts";
import type { Retry } from "./idempotency.ts";
import { idempotencyOf } from "./idempotency.ts";
import { findSession, isEntityId, loadEntity } from "./read/find-session.ts";
import { readHeadAt } from "./read/read-head-at.ts";
import { redactCommands } from "./redact/redact-commands.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** One change of one session: its commands are all accepted or all refused. */
interface Change {
  readonly id: string;
  commands(head: SessionHead | null, loaded: LoadedRows): readonly SessionCommand[];
  readonly retry?: Retry | undefined;
  readonly expected_version?: number | undefined;
  /** The epoch of the driver's lease. */
  readonly epoch?: number | undefined;
  /** Index rows that the commands need. */
  readonly reads?: NonNullable<Transaction["reads"]>;
  readonly known?: (loaded: LoadedRows) => KnownRows;
  /** Set if the commands may include `annotate`, which needs the metadata keys outside the head. */
  readonly annotates?: boolean;
}

/** One list of index rows for each of `reads`. */
interface LoadedRows {
  readonly rows: readonly (readonly StoredRow[])[];
}

export interface ChangedSession {
  readonly head: SessionHead;
  readonly stream: StoredStream;
}

/**
 * Runs a decision on a session in the store. The exact id is tried first, because resolving a prefix costs a read that
 * is rarely needed.
 */
export async function changeSession(
  context: ServiceContext,
  caller: Caller,
  change: Change,
): Promise<ChangedSession> {
  const entity = isEntityId(change.id) ? await loadEntity(context, caller.owner, change.id) : null;
  const exact = entity
    ? { id: entity.id }
    : ({ kind: "session", owner: caller.owner, key: change.id } as const);
  let changed = await attemptInTurn(context, caller, change, exact, entity?.key ?? change.id);
  if (isRefusal(changed) && changed.error === "session_not_found") {
    const { stream } = await findSession(context, caller.owner, change.id);
    changed = await attemptInTurn(context, caller, change, { id: stream.id }, stream.key);
  }
  if (isRefusal(changed)) throw new BelayError(changed);
  const dead = change.epoch === undefined ? findDeadLease(changed) : null;
  if (dead) await releaseLease(context.store, changed.stream.id, dead.epoch);
  if (context.onChanged) await context.onChanged(changed);
  return changed;
}

/**
 * The lease of a dead driver, if a caller without a lease has started the only action of the session. The driver's death
 * must not make that action look abandoned.
 */
function findDeadLease({ head, stream: { lease, seq } }: ChangedSession): Lease | null {
  if (!lease || lease.live || head.turn || head.agent?.running) return null;
  const [begun, ...others] = head.actions;
  return begun?.seq === seq && others.length === 0 ? lease : null;
}

/** Not async, because most changes wait for nothing else, and each promise takes time. */
function attemptInTurn(
  context: ServiceContext,
  caller: Caller,
  change: Change,
  ref: StreamRef,
  key: string,
): Promise<ChangedSession | Refusal> {
  // No name contains a control character.
  const session = `${caller.owner}\n${key}`;
  const turns = new ConditionalTurns(context.store);
  const run = () => attempt(context, caller, change, ref);
  if (change.expected_version !== undefined) return attemptConditional(turns, session, run);
  return turns.isHeld(session) ? turns.wait(session).then(run) : run();
}

async function attemptConditional(
  turns: ConditionalTurns,
  session: string,
  run: () => Promise<ChangedSession | Refusal>,
): Promise<ChangedSession | Refusal> {
  const changed = await run();
  if (!isRefusal(changed)) turns.release(session);
  else if (changed.error === "version_conflict") turns.hold(session);
  return changed;
}

async function attempt(
  context: ServiceContext,
  caller: Caller,
  change: Change,
  session: StreamRef,
): Promise<ChangedSession | Refusal> {
  const redaction = context.redaction && (await context.redaction());
  const transaction = toTransaction(context, caller, change, session, redaction);
  return readOutcome(context, await context.store.transact(transaction), session);
}

/** The task is loaded only if the status changes, which is rare. */
function toTransaction(
  context: ServiceContext,
  caller: Caller,
  change: Change,
  session: StreamRef,
  redaction: StoredRedaction | undefined,
): Transaction {
  const { actor, interface: door, trace_id } = caller;
  const origin = { actor, interface: door, trace_id, at: context.now() };

  const decide = (loaded: Loaded): Decision => {
    const [stream] = loaded.streams;
    const from = { head: isSessionHead(stream?.head) ? stream.head : null, seq: stream?.seq ?? 0 };
    const stale = refuseOtherVersion(change.expected_version, stream);
    if (stale) return { refused: stale };
    const rows = { rows: loaded.rows.map(mergeRows) };
    const metadata = change.annotates ? (rows.rows.at(-1)?.at(-1)?.data ?? {}) : undefined;
    const parts = change.epoch === undefined ? "whole" : "cut";
    const commands = redactCommands(redaction, change.commands(from.head, rows), parts);
    const applied = runCommands(
      metadata ? commands.map((one) => withRow(one, metadata)) : commands,
      from,
      { now: origin.at, lease: stream?.lease ?? null, epoch: change.epoch ?? null },
      origin,
      metadata ? { ...(change.known?.(rows) ?? NO_ROWS), metadata } : change.known?.(rows),
    );
    if (!applied) return { appends: [] };
    if (isRefusal(applied)) return { refused: applied };
    const { head } = applied;
    const id = head.entity_id;
    const create = { kind: "session", owner: head.owner, key: head.session_id } as const;
    const session = stream ? { ...applied, id } : { ...applied, id, create };
    if (head.status === from.head?.status) return { appends: [session] };
    return {
      load: { kind: "task", owner: caller.owner, key: head.task_id },
      decide: (task) => ({
        appends: [session, ...appendTask(head, task, context.newId(), origin)],
      }),
    };
  };

  const { reads = [] } = change;
  const transaction = {
    streams: [session],
    reads: change.annotates ? [...reads, LAST_METADATA_ROW] : reads,
    decide,
  };
  if (!change.retry) return transaction;
  return { ...transaction, idempotency: idempotencyOf(caller, change.retry) };
}

const LAST_METADATA_ROW = {
  stream: 0,
  query: { kind: METADATA_ROW, before: Number.MAX_SAFE_INTEGER, limit: 1 },
};

function withRow(command: SessionCommand, row: Record<string, unknown>): SessionCommand {
  return command.type === "annotate" || command.type === "merge" ? { ...command, row } : command;
}

/** The append that updates the task after a change of its session. */
export function appendTask(
  session: SessionHead,
  stream: StoredStream | undefined,
  id: string,
  origin: Parameters<typeof followSession>[3],
): Append[] {
  const head = isTaskHead(stream?.head) ? stream.head : null;
  const applied = followSession(session, { head, seq: stream?.seq ?? 0 }, id, origin);
  if (!applied) return [];
  const create = { kind: "task", owner: session.owner, key: session.task_id } as const;
  return [{ id: applied.head.entity_id, ...(stream ? {} : { create }), ...applied }];
}

export function readOutcome(
  context: ServiceContext,
  outcome: Outcome,
  session: StreamRef,
): ChangedSession | Refusal | Promise<ChangedSession | Refusal> {
  if (outcome.kind === "refused") return outcome.refusal;
  const [stream] = outcome.kind === "committed" ? outcome.streams : [];
  return stream ? toChanged(stream) : readUnchanged(context, outcome, session);
}

/** The answer to commands that were run before, or that had no effect and appended nothing. */
async function readUnchanged(
  { store }: ServiceContext,
  outcome: Outcome,
  session: StreamRef,
): Promise<ChangedSession | Refusal> {
  if (outcome.kind !== "replayed") return toChanged(await loadStream(store, session));
  const head = await readHeadAt(store, outcome.id, outcome.to);
  const stream = await loadStream(store, { id: outcome.id });
  if (!head || !stream)
    return refuse(
      "session_not_found",
      "This idempotency key was used for a session that no longer exists. Use a new key.",
    );
  return { head, stream: { ...stream, head, seq: outcome.to } };
}

function toChanged(stream: StoredStream | undefined): ChangedSession | Refusal {
  if (stream && isSessionHead(stream.head)) return { head: stream.head, stream };
  return refuse("session_not_found", "Session not found.");
}

function refuseOtherVersion(
  expected: number | undefined,
  stream: StoredStream | undefined,
): Refusal | null {
  if (expected === undefined || !stream || stream.seq === expected) return null;
  return refuse(
    "version_conflict",
    `${stream.key} is at version ${stream.seq}, not ${expected}. Read it again.`,
    { expected_version: expected, version: stream.seq },
  );
}

export function originOf(caller: Caller) {
  return { actor: caller.actor, interface: caller.interface, trace_id: caller.trace_id };
}
