import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { readConversation } from "./read-conversation.ts";

const WHOLE_TURNS = 5;
/** Packing shorter texts saves nothing. */
const WORTH_PACKING = 4096;

/** The conversation state of a checkpoint: the newest turns in full, and the place of the rest in the log. */
export async function readConversationState(
  store: StreamStore,
  found: { readonly id: string; readonly seq: number; readonly head: SessionHead },
  reason: string,
): Promise<Record<string, unknown>> {
  const read = await readConversation(store, found.id, { limit: WHOLE_TURNS });
  // The turns of a merged session stay in its own log, because this session may be shared without it.
  const turns = read.turns.map((turn) => (turn.merged ? { ...turn, output: "" } : turn));
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

/** The unpacked state; a state that was never packed stays unchanged. */
export function unpackState(state: Record<string, unknown>): Record<string, unknown> {
  const { packed_history: packed, ...rest } = state;
  if (typeof packed !== "string") return state;
  const history: unknown = JSON.parse(inflateRawSync(Buffer.from(packed, "base64")).toString());
  return isRecord(history) || Array.isArray(history) ? { ...rest, history } : state;
}
