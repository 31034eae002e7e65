import { isRecord } from "../../contract/is-record.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StoredStream } from "../../store/stream-store.ts";
import type { Caller } from "../service-context.ts";
import { recordSeen } from "./access-log.ts";
import { type GrantContext, readGrants } from "./read-grants.ts";

/** How often a follower's access to a shared session is checked. */
const LOOK_MS = 500;

/** Follows a session as long as the caller may see it. */
export async function* whileGranted<T>(
  context: GrantContext,
  caller: Caller,
  entity_id: string,
  signal: AbortSignal,
  follow: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const stream = await loadStream(context.store, { id: entity_id });
  if (stream?.owner === caller.owner) {
    yield* whileStored(context, stream, signal, follow);
    return;
  }
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    const grant = (await readGrants(context, caller.owner, [entity_id])).get(entity_id);
    if (grant) await recordSeen(context, caller.owner, [grant.stream]);
    else ended.abort();
  };
  // If the store cannot be read now, the next check retries.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS).unref();
  try {
    await look();
    for await (const item of follow(AbortSignal.any([signal, ended.signal]))) {
      if (mayEnd(item)) await look();
      if (ended.signal.aborted) return;
      yield item;
    }
  } finally {
    clearInterval(timer);
  }
}

/** Follows an own session until it is purged. Only a session in the trash can be, so no other one is checked. */
async function* whileStored<T>(
  { store }: GrantContext,
  { id, head }: StoredStream,
  signal: AbortSignal,
  follow: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    if (!(await loadStream(store, { id }))) ended.abort();
  };
  let timer: NodeJS.Timeout | undefined;
  const startLooking = (): void => {
    timer ??= setInterval(() => void look().catch(() => {}), LOOK_MS).unref();
  };
  if (isSessionHead(head) && head.deleted) startLooking();
  try {
    for await (const item of follow(AbortSignal.any([signal, ended.signal]))) {
      if (isRecord(item) && item.type === "session.deleted") startLooking();
      yield item;
    }
  } finally {
    clearInterval(timer);
  }
}

/** True for events that can end others' access to a session. */
function mayEnd(item: unknown): boolean {
  return isRecord(item) && (item.type === "session.unshared" || item.type === "session.deleted");
}
