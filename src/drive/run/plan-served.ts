import type { SessionHead } from "../../contract/head.ts";
import type { SuspendReason } from "../../contract/vocabulary.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { suspendWith } from "../../core/session/suspend-with.ts";
import type { SharedChange } from "../../service/change-together.ts";
import { readConversationState } from "../../service/read/conversation-state.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StoredStream } from "../../store/stream-store.ts";

/**
 * How to suspend those of these sessions (entity ids) that are active and that nobody drives, with what was really said.
 * One after the other: what is read of them is small, and there may be thousands.
 */
export async function planServed(
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
      // Someone may have taken it, or answered for it, since it was looked at.
      commands: (head, now) => (isLeftAlone(head, now) ? commands : []),
    });
  }
  return changes;
}

/** One that waits for an answer about a crash is suspended already. */
function isLeftAlone({ status, deleted }: SessionHead, { lease }: StoredStream): boolean {
  return status === "active" && !deleted && !lease?.live;
}
