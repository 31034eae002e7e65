import { BelayError, refuse } from "../contract/errors.ts";
import type { Checkpoint } from "../contract/session.ts";
import { isRecord } from "../core/deep-equal.ts";
import type { StreamStore } from "../store/stream-store.ts";
import { unpackState } from "./conversation-state.ts";

/** The newest checkpoint of that name, with its state as it was saved. */
export async function readCheckpoint(
  store: StreamStore,
  id: string,
  name: string,
): Promise<Checkpoint> {
  const rows = await store.readRows(id, { kind: "checkpoint", key: name });
  const row = rows.at(-1);
  if (!row) {
    throw new BelayError(
      refuse("checkpoint_not_found", `this session has no checkpoint ${name}`, { name }),
    );
  }
  const { data } = row;
  return {
    name,
    checkpoint_id: typeof data.checkpoint_id === "string" ? data.checkpoint_id : null,
    timestamp: String(data.timestamp),
    state: isRecord(data.state) ? { ...data.state } : await readSavedState(store, id, data.saved),
  };
}

/** A state that Belay saved stands in the event that saved it, once. */
async function readSavedState(store: StreamStore, id: string, seq: unknown) {
  if (typeof seq !== "number") return {};
  const [event] = await store.readEvents(id, { after: seq - 1, limit: 1 });
  const state = isRecord(event?.data) ? event.data.state : undefined;
  return isRecord(state) ? unpackState({ ...state }) : {};
}
