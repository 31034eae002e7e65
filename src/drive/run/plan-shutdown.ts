import type { SessionHead } from "../../contract/head.ts";
import type { SuspendReason } from "../../contract/vocabulary.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { suspendWith } from "../../core/session/suspend-with.ts";
import type { SharedChange } from "../../service/change-sessions.ts";
import { readConversationState } from "../../service/read/conversation-state.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StoredStream } from "../../store/stream-store.ts";

/**
 * Plans the suspension of those of these sessions (entity ids) that are active and not driven, with the real
 * conversation. It reads one after the other, because there may be thousands.
 */
export async function planShutdown(
  { store, newId }: ServiceContext,
  ids: readonly string[],
  reason: SuspendReason,
): Promise<SharedChange[]> {
  const changes: SharedChange[] = [];
  for (const id of ids) {
    const stream = await loadStream(store, { id });
    if (!stream || !isSessionHead(stream.head) || !isLeftAlone(stream.head, stream)) continue;
    const { owner, task_id } = stream.head;
    const found = { id, seq: stream.seq, head: stream.head };
    const state = await readConversationState(store, found, reason);
    const commands = suspendWith(state, reason, newId());
    changes.push({
      id,
      owner,
      task_id,
      epoch: null,
      // Another process may have started driving it since it was read.
      commands: (head, now) => (isLeftAlone(head, now) ? commands : []),
    });
  }
  return changes;
}

/** A session with a recovery question is already suspended. */
function isLeftAlone({ status, deleted }: SessionHead, { lease }: StoredStream): boolean {
  return status === "active" && !deleted && !lease?.live;
}
