import type { SessionCommand } from "../contract/commands.ts";
import { BelayError, refuse } from "../contract/errors.ts";
import type { SessionHead } from "../contract/head.ts";
import type { RowQuery, StoredRow } from "../contract/stream.ts";
import { isRefusal } from "../core/session/decision.ts";
import { isSessionHead } from "../core/session/known-events.ts";
import type { AppliedSession } from "../core/session/run-commands.ts";
import { joinApplied, runCommands } from "../core/session/run-commands.ts";
import { mergeRows } from "../store/merge-rows.ts";
import { originOf } from "./change-session.ts";
import { redactCommands } from "./redact/redact-commands.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** An event of a session from before Belay recorded it. */
export interface PastStep {
  readonly at: number;
  readonly commands: readonly SessionCommand[];
}

/** Past events to add, decided on the session's state at that time. */
interface Past {
  readonly session_id: string;
  /** The place where a fork leaves its parent. Its first command is the fork itself. */
  readonly base?: { readonly id: string; readonly seq: number; readonly head: SessionHead };
  /** Called within the transaction, possibly more than once. An empty result adds nothing. */
  steps(head: SessionHead | null, rows: readonly StoredRow[]): readonly PastStep[];
  /** Index rows that are passed to `steps`. */
  readonly rows?: RowQuery;
}

/** Imports a session with its own times, all or nothing. False if it already exists. */
export async function importSession(
  context: ServiceContext,
  caller: Caller,
  session_id: string,
  steps: readonly PastStep[],
): Promise<boolean> {
  const added = await addPast(context, caller, {
    session_id,
    steps: (head) => (head ? [] : steps),
  });
  return added !== null;
}

/** Adds past events with their own times, all or nothing. Null if nothing was added. */
export async function addPast(
  context: ServiceContext,
  caller: Caller,
  past: Past,
): Promise<SessionHead | null> {
  const key = { kind: "session", owner: caller.owner, key: past.session_id } as const;
  const { base } = past;
  const redaction = await context.redaction?.();
  const outcome = await context.store.transact({
    streams: base ? [key, { id: base.id }] : [key],
    ...(past.rows && { reads: [{ stream: 0, query: past.rows }] }),
    decide: ({ streams: [stream], rows: [patches = []] }) => {
      const stored = isSessionHead(stream?.head) ? stream.head : null;
      const steps = past.steps(stored, mergeRows(patches));
      if (steps.length === 0) return { appends: [] };
      const parts: AppliedSession[] = [];
      let head = stored ?? base?.head ?? null;
      let seq = stream?.seq ?? base?.seq ?? 0;
      for (const { at, commands } of steps) {
        const now = { now: at, lease: stream?.lease ?? null, epoch: null };
        const hidden = redactCommands(redaction, commands, "cut");
        const next = runCommands(hidden, { head, seq }, now, { at, ...originOf(caller) });
        if (next && isRefusal(next)) return { refused: next };
        if (!next) continue;
        parts.push(next);
        head = next.head;
        seq += next.events.length;
      }
      const done = joinApplied(parts);
      if (!done) return { refused: refuse("internal", "The session has no first event.") };
      const create = { ...key, ...(base && { base: { id: base.id, seq: base.seq } }) };
      return { appends: [{ id: done.head.entity_id, ...(stream ? {} : { create }), ...done }] };
    },
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
  const head = outcome.kind === "committed" ? outcome.streams[0]?.head : undefined;
  return isSessionHead(head) ? head : null;
}
