import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { SessionSnapshot } from "../../contract/observation.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { iso } from "../../core/view/view-session.ts";
import { readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import type { FoundSession } from "./find-session.ts";
import { readCheckpoint } from "./read-checkpoint.ts";

/** A session with all that was submitted of it, or recorded while Belay drove it. */
export async function readSnapshot(
  store: StreamStore,
  { stream, head }: FoundSession,
): Promise<SessionSnapshot> {
  const { id, seq } = stream;
  const [actions, checkpoints, outcomes] = await Promise.all(
    ["action", "checkpoint", "outcome"].map((kind) => readRows(store, id, { kind, at: seq })),
  );
  const ended_at = endOf(head);
  const duration = durationOf(head);
  return {
    session_id: head.session_id,
    actions: (actions ?? []).map(viewAction),
    checkpoints: await Promise.all(
      newestOfEachName(checkpoints ?? []).map((row) => viewCheckpoint(store, id, row)),
    ),
    outcomes: (outcomes ?? []).map(viewOutcome),
    ...(duration !== null && { duration }),
    started_at: startOf(head),
    ...(ended_at !== null && { ended_at }),
  };
}

/** As the agent said it, where it has said it. */
export function startOf(head: SessionHead): string {
  return head.observation?.started_at ?? iso(head.created_at);
}

export function endOf(head: SessionHead): string | null {
  return head.observation?.ended_at ?? (head.ended ? iso(head.ended.at) : null);
}

/** Of an end that the agent gave itself, only it knows how long it took to get there. */
function durationOf({ observation, ended }: SessionHead): number | null {
  if (observation?.duration != null) return observation.duration;
  return ended && observation?.ended_at == null ? ended.duration_ms / 1000 : null;
}

type Snapshot<K extends "actions" | "checkpoints" | "outcomes"> = SessionSnapshot[K][number];

/** One that was begun here and has no result yet tells how far it has come. */
function viewAction({ data }: StoredRow): Snapshot<"actions"> {
  const { action_id, type, result, status, timestamp } = data;
  const details = detailsOf(data);
  return {
    type: String(type),
    result: String(result ?? status),
    ...(details && { details }),
    ...(typeof timestamp === "string" && { timestamp }),
    ...(typeof action_id === "string" && { action_id }),
  };
}

/** What came out of an action stands beside what it was begun with. */
function detailsOf({ action_id, details, output }: StoredRow["data"]) {
  if (action_id === undefined) return isRecord(details) ? { ...details } : null;
  const all = {
    ...(isRecord(details) ? details : {}),
    ...(isRecord(output) ? { output } : {}),
  };
  return Object.keys(all).length > 0 ? all : null;
}

/** A name that was saved again is one checkpoint, as it is for whoever restores it. */
function newestOfEachName(rows: readonly StoredRow[]): StoredRow[] {
  const last = new Map(rows.map((row) => [row.key, row]));
  return rows.filter((row) => last.get(row.key) === row);
}

async function viewCheckpoint(
  store: StreamStore,
  id: string,
  { data }: StoredRow,
): Promise<Snapshot<"checkpoints">> {
  const name = String(data.name);
  const timestamp = String(data.timestamp);
  if (isRecord(data.state)) return { name, state: { ...data.state }, timestamp };
  if (data.saved === undefined) return { name, timestamp };
  const { state } = await readCheckpoint(store, id, name);
  return { name, state, timestamp };
}

function viewOutcome({ data }: StoredRow): Snapshot<"outcomes"> {
  return {
    type: String(data.type),
    ...(typeof data.id === "string" && { id: data.id }),
    ...(isRecord(data.details) && { details: { ...data.details } }),
  };
}
