import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { readConversation } from "./read-conversation.ts";

const WHOLE_TURNS = 5;
/** Below this many characters packing saves nothing worth having. */
const WORTH_PACKING = 4096;

/** What a checkpoint keeps of a conversation: the newest turns whole, and where in the log the rest stands. */
export async function readConversationState(
  store: StreamStore,
  found: { readonly id: string; readonly seq: number; readonly head: SessionHead },
  reason: string,
): Promise<Record<string, unknown>> {
  const { turns } = await readConversation(store, found.id, { limit: WHOLE_TURNS });
  const { phase, counts, agent } = found.head;
  return packState({
    reason,
    phase,
    turn_count: counts.turns,
    ...(agent?.session_id ? { agent_session: agent.session_id } : {}),
    as_of_seq: found.seq,
    history: turns,
  });
}

function packState(state: Record<string, unknown>): Record<string, unknown> {
  const { history, ...rest } = state;
  const text = JSON.stringify(history);
  if (text.length < WORTH_PACKING) return state;
  return { ...rest, packed_history: deflateRawSync(text).toString("base64") };
}

/** The state as it was before it was packed; one that never was stays as it is. */
export function unpackState(state: Record<string, unknown>): Record<string, unknown> {
  const { packed_history: packed, ...rest } = state;
  if (typeof packed !== "string") return state;
  const history: unknown = JSON.parse(inflateRawSync(Buffer.from(packed, "base64")).toString());
  return isRecord(history) || Array.isArray(history) ? { ...rest, history } : state;
}
