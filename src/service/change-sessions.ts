import type { SessionCommand } from "../contract/commands.ts";
import { BelayError } from "../contract/errors.ts";
import type { SessionHead } from "../contract/head.ts";
import { isRefusal } from "../core/session/decision.ts";
import { isSessionHead } from "../core/session/known-events.ts";
import { runCommands } from "../core/session/run-commands.ts";
import type {
  Append,
  Loaded,
  StoredStream,
  StreamRef,
  StreamStore,
} from "../store/stream-store.ts";
import { appendTask, originOf } from "./change-session.ts";
import { redactCommands } from "./redact/redact-commands.ts";
import { notifyChanged } from "./retention/remove-sessions.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

export interface SharedChange {
  readonly id: string;
  readonly owner: string;
  readonly task_id: string;
  /** The epoch of the driver's lease; null for a session that is not driven. */
  readonly epoch: number | null;
  /** An empty list leaves the session unchanged. */
  commands(head: SessionHead, stream: StoredStream): readonly SessionCommand[];
}

/**
 * Changes sessions of any owners and their tasks. A session that refuses is skipped. This is one transaction, unless the
 * store has several nodes: then many sessions are changed in several transactions.
 */
export async function changeSessions(
  context: ServiceContext,
  caller: Caller,
  changes: readonly SharedChange[],
): Promise<void> {
  const most = sessionsAtOnce(context.store, changes.length);
  for (let at = 0; at < changes.length; at += most) {
    await changeTogether(context, caller, changes.slice(at, at + most));
  }
}

/** The number of sessions for one transaction: `most`, or fewer if the store has a limit. Each may have its own task. */
export function sessionsAtOnce({ nodes }: StreamStore, most: number): number {
  return nodes ? Math.min(most, Math.floor(nodes.most_streams / 2)) : most;
}

async function changeTogether(
  context: ServiceContext,
  caller: Caller,
  changes: readonly SharedChange[],
): Promise<void> {
  const origin = { at: context.now(), ...originOf(caller) };
  const redaction = await context.redaction?.();
  const tasks = new Map<string, StreamRef>();
  for (const change of changes) {
    const { owner, task_id: key } = change;
    tasks.set(taskOf(change), { kind: "task", owner, key });
  }
  const places = new Map([...tasks.keys()].map((key, nth) => [key, changes.length + nth]));

  const decide = ({ streams }: Loaded): Append[] => {
    const appends = new Map<string, Append>();
    for (const [nth, change] of changes.entries()) {
      const stream = streams[nth];
      if (!stream || !isSessionHead(stream.head)) continue;
      const applied = runCommands(
        redactCommands(redaction, change.commands(stream.head, stream)),
        { head: stream.head, seq: stream.seq },
        { now: origin.at, lease: stream.lease, epoch: change.epoch },
        origin,
      );
      if (!applied || isRefusal(applied)) continue;
      appends.set(stream.id, { id: stream.id, ...applied });
      const task = streams[places.get(taskOf(change)) ?? -1];
      // The sessions of one task get the same status here, so the first decides for all.
      for (const append of appendTask(applied.head, task, context.newId(), origin)) {
        if (!appends.has(append.id)) appends.set(append.id, append);
      }
    }
    return [...appends.values()];
  };

  const outcome = await context.store.transact({
    streams: [...changes.map(({ id }): StreamRef => ({ id })), ...tasks.values()],
    decide: (loaded) => ({ appends: decide(loaded) }),
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
  await notifyChanged(context, outcome);
}

function taskOf({ owner, task_id }: SharedChange): string {
  return `${owner}/${task_id}`;
}
