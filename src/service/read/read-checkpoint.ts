import { CheckpointFiles } from "../../contract/branch/checkpoint-files.ts";
import { BelayError, type ErrorCode, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Checkpoint } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { checkpointIdName } from "../../core/session/index-session.ts";
import { readEvents, readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { unpackState } from "./conversation-state.ts";
import { showsMerged } from "./shows-merged.ts";

/** The newest checkpoint with that name, or the one with that id, with its saved state. */
export async function readCheckpoint(
  store: StreamStore,
  id: string,
  name: string,
): Promise<Checkpoint> {
  return viewCheckpoint(store, id, await findCheckpoint(store, id, name));
}

/** The saved state of that checkpoint; null if it no longer exists, or is not visible. */
export async function readStateIfAny(
  store: StreamStore,
  id: string,
  name: string,
): Promise<Checkpoint["state"] | null> {
  try {
    return (await readCheckpoint(store, id, name)).state;
  } catch (error) {
    if (error instanceof BelayError && LOST.has(error.code)) return null;
    throw error;
  }
}

const LOST: ReadonlySet<ErrorCode> = new Set(["checkpoint_not_found", "file_not_found"]);

/** The checkpoint's row; its place is the event that saved it here. */
export async function findCheckpoint(
  store: StreamStore,
  id: string,
  name: string,
): Promise<StoredRow> {
  const rows = await readRows(store, id, { kind: "checkpoint", key: name });
  const row = rows.at(-1) ?? (await findById(store, id, name));
  if (row) return row;
  const message = `This session has no checkpoint ${name}. List its checkpoints to find the name.`;
  throw new BelayError(refuse("checkpoint_not_found", message, { name }));
}

/** The checkpoint with that id, in any session of its owner. */
export async function readCheckpointById(
  store: StreamStore,
  owner: string,
  checkpoint_id: string,
): Promise<Checkpoint> {
  const name = checkpointIdName(checkpoint_id);
  const [place] = await store.findByName(owner, name, { limit: 1 });
  const row = place && (await findById(store, place.id, checkpoint_id, place.seq + 1));
  if (row) return viewCheckpoint(store, place.id, row);
  const message = `Checkpoint ${checkpoint_id} not found. Use its name with the id of its session.`;
  throw new BelayError(refuse("checkpoint_not_found", message, { name: checkpoint_id }));
}

/** True if a checkpoint with that id was saved in any session of this owner. */
export async function hasCheckpoint(
  store: StreamStore,
  owner: string,
  checkpoint_id: string,
): Promise<boolean> {
  return (await store.findByName(owner, checkpointIdName(checkpoint_id), { limit: 1 })).length > 0;
}

async function viewCheckpoint(
  store: StreamStore,
  id: string,
  { data }: StoredRow,
): Promise<Checkpoint> {
  return {
    name: String(data.name),
    checkpoint_id: typeof data.checkpoint_id === "string" ? data.checkpoint_id : null,
    timestamp: String(data.timestamp),
    state: isRecord(data.state) ? { ...data.state } : await readSavedState(store, id, data),
    ...viewFiles(data),
    ...(typeof data.merged_from === "string" && { merged_from: data.merged_from }),
  };
}

/** The files that were recorded with a checkpoint, or the reason why none were. */
export function viewFiles({ files, files_skipped }: StoredRow["data"]) {
  const recorded = CheckpointFiles.safeParse(files);
  return {
    ...(recorded.success && { files: recorded.data }),
    ...(typeof files_skipped === "string" && { files_skipped }),
  };
}

const PAGE = 50;

/** Newest first, because a checkpoint's id is mostly used soon after it was saved. */
async function findById(
  store: StreamStore,
  id: string,
  checkpoint_id: string,
  end = Number.MAX_SAFE_INTEGER,
): Promise<StoredRow | undefined> {
  let before = end;
  for (;;) {
    const rows = await readRows(store, id, { kind: "checkpoint", before, limit: PAGE });
    const row = rows.find(({ data }) => data.checkpoint_id === checkpoint_id);
    const first = rows[0];
    if (row || !first) return row;
    before = first.place;
  }
}

/** A state is in the event that saved it, or in a blob that this event names. */
async function readSavedState(
  store: StreamStore,
  session: string,
  { name, saved, ...data }: StoredRow["data"],
) {
  if (typeof saved !== "number") return {};
  const id = typeof data.in === "string" ? data.in : session;
  const isShown = id === session || (await showsMerged(store, session, id));
  const [event] = isShown ? await readEvents(store, id, { after: saved - 1, limit: 1 }) : [];
  if (!event) throw stateElsewhere(String(name), String(data.merged_from));
  const { state, state_file: file } = isRecord(event.data) ? event.data : {};
  if (isRecord(file)) return readStateFile(store, id, String(file.digest));
  return isRecord(state) ? unpackState({ ...state }) : {};
}

/** A merge brings only the names of checkpoints. Their states stay in the session that was merged. */
function stateElsewhere(name: string, session_id: string): BelayError {
  const message = `The state of checkpoint ${name} is in session ${session_id}, which was purged or is not shared with you. Use another checkpoint.`;
  return new BelayError(refuse("checkpoint_not_found", message, { name, session_id }));
}

async function readStateFile(store: StreamStore, id: string, digest: string) {
  const file = await store.blobs?.get(id, digest);
  if (!file) {
    const message = `The state of this checkpoint was removed (file ${digest}). Restore another checkpoint.`;
    throw new BelayError(refuse("file_not_found", message, { digest }));
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytes()) chunks.push(chunk);
  const state: unknown = JSON.parse(Buffer.concat(chunks).toString());
  return isRecord(state) ? { ...state } : {};
}
