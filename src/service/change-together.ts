import type { SessionCommand } from "../contract/commands.ts";
import { BelayError } from "../contract/errors.ts";
import type { SessionHead } from "../contract/head.ts";
import { isRefusal } from "../core/decision.ts";
import { isSessionHead } from "../core/known-events.ts";
import { runCommands } from "../core/run-commands.ts";
import type { Append, Loaded, StreamRef } from "../store/stream-store.ts";
import { appendTask, originOf } from "./change-session.ts";
import type { Caller, ServiceContext } from "./context.ts";

export interface SharedChange {
  readonly id: string;
  readonly owner: string;
  readonly task_id: string;
  /** Of the lease that a driver holds. */
  readonly epoch: number;
  commands(head: SessionHead): readonly SessionCommand[];
}

/** Changes of several sessions and their tasks, all of them kept or none. A session that refuses is left out. */
export async function changeTogether(
  context: ServiceContext,
  caller: Caller,
  changes: readonly SharedChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const origin = { at: context.now(), ...originOf(caller) };
  const keyOf = ({ owner, task_id }: SharedChange): string => `${owner}/${task_id}`;
  const tasks = [...new Map(changes.map((change) => [keyOf(change), change])).values()];
  const places = tasks.map(keyOf);

  const decide = (loaded: Loaded): Append[] => {
    const appends = new Map<string, Append>();
    for (const [nth, change] of changes.entries()) {
      const stream = loaded.streams[nth];
      if (!stream || !isSessionHead(stream.head)) continue;
      const applied = runCommands(
        change.commands(stream.head),
        { head: stream.head, seq: stream.seq },
        { now: origin.at, lease: stream.lease, epoch: change.epoch },
        origin,
      );
      if (!applied || isRefusal(applied)) continue;
      appends.set(stream.id, { id: stream.id, ...applied });
      const task = loaded.streams[changes.length + places.indexOf(keyOf(change))];
      // Sessions of one task are of one mind here: the first says it for all.
      for (const append of appendTask(applied.head, task, context.newId(), origin)) {
        if (!appends.has(append.id)) appends.set(append.id, append);
      }
    }
    return [...appends.values()];
  };

  const outcome = await context.store.transact({
    streams: [
      ...changes.map(({ id }): StreamRef => ({ id })),
      ...tasks.map(({ owner, task_id }): StreamRef => ({ kind: "task", owner, key: task_id })),
    ],
    decide: (loaded) => ({ appends: decide(loaded) }),
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
  if (outcome.kind === "replayed") return;
  for (const stream of outcome.streams) {
    if (isSessionHead(stream.head)) await context.onChanged?.({ head: stream.head, stream });
  }
}
