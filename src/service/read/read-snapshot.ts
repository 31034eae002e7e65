import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { SessionSnapshot } from "../../contract/observation.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { iso } from "../../core/view/view-session.ts";
import { readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { readNewDecisions } from "../approval/read-new-decisions.ts";
import type { FoundSession } from "./find-session.ts";
import type { PageRoom } from "./page-room.ts";
import { readStateIfAny } from "./read-checkpoint.ts";

/** How much of a session was read: rows of one kind up to a place, and all kinds before it. */
export interface SnapshotPlace {
  readonly kind: number;
  readonly place: number;
  readonly nth: number;
}

const KINDS = ["action", "checkpoint", "outcome"] as const;

/**
 * A session with everything that was submitted or recorded: the items after a place, as far as they fit. Returns the
 * place to continue from, null at the end.
 */
export async function readSnapshot(
  store: StreamStore,
  { stream, head }: FoundSession,
  from: SnapshotPlace | null,
  room: PageRoom,
): Promise<{ readonly snapshot: SessionSnapshot; readonly next: SnapshotPlace | null }> {
  const ended_at = endOf(head);
  const duration = durationOf(head);
  const decisions = from === null ? await readNewDecisions(store, stream, head) : [];
  const snapshot: SessionSnapshot = {
    session_id: head.session_id,
    actions: [],
    checkpoints: [],
    outcomes: [],
    ...(duration !== null && { duration }),
    started_at: startOf(head),
    ...(ended_at !== null && { ended_at }),
    ...(decisions.length > 0 && { decisions }),
  };
  let last = from ?? { kind: 0, place: 0, nth: -1 };
  for (const [kind, name] of KINDS.entries()) {
    if (kind < last.kind) continue;
    const start = kind === last.kind ? last : { kind, place: 0, nth: -1 };
    for await (const row of rowsAfter(store, stream, name, start)) {
      const { place, nth } = row;
      if (!(await addRow(store, stream.id, snapshot, name, row, room))) {
        return { snapshot, next: last };
      }
      last = { kind, place, nth };
    }
  }
  return { snapshot, next: null };
}

/** False if it does not fit. */
async function addRow(
  store: StreamStore,
  id: string,
  snapshot: SessionSnapshot,
  kind: (typeof KINDS)[number],
  row: StoredRow,
  room: PageRoom,
): Promise<boolean> {
  if (kind === "action") return addTo(snapshot.actions, viewAction(row), room);
  if (kind === "outcome") return addTo(snapshot.outcomes, viewOutcome(row), room);
  return addTo(snapshot.checkpoints, await viewCheckpoint(store, id, row), room);
}

function addTo<T>(list: T[], item: T, room: PageRoom): boolean {
  const fits = room.fits(item);
  if (fits) list.push(item);
  return fits;
}

async function* rowsAfter(
  store: StreamStore,
  stream: FoundSession["stream"],
  kind: (typeof KINDS)[number],
  { place, nth }: SnapshotPlace,
): AsyncGenerator<StoredRow> {
  const newest = kind === "checkpoint" ? await findNewest(store, stream, kind) : null;
  for await (const row of everyRow(store, stream, kind, place - 1)) {
    if (row.place === place && row.nth <= nth) continue;
    if (!newest || newest.get(row.key) === placeOf(row)) yield row;
  }
}

/**
 * The place of the newest item of each name. A checkpoint that was saved again counts once, as it does for restoring.
 */
async function findNewest(store: StreamStore, stream: FoundSession["stream"], kind: string) {
  const newest = new Map<StoredRow["key"], string>();
  for await (const row of everyRow(store, stream, kind, 0)) newest.set(row.key, placeOf(row));
  return newest;
}

function placeOf({ place, nth }: StoredRow): string {
  return `${place}.${nth}`;
}

/** Reads in pages, so that memory use is limited. */
async function* everyRow(
  store: StreamStore,
  { id, seq }: FoundSession["stream"],
  kind: string,
  from: number,
): AsyncGenerator<StoredRow> {
  for (let after = from; ; ) {
    const query = { kind, at: seq, after, limit: ROWS_AT_ONCE, bytes: LIMITS.PAGE_BYTES };
    const rows = await readRows(store, id, query);
    if (rows.length === 0) return;
    yield* rows;
    after = rows.at(-1)?.place ?? after;
  }
}

const ROWS_AT_ONCE = 500;

/** The start time that the agent reported, if it did. */
export function startOf(head: SessionHead): string {
  return head.observation?.started_at ?? iso(head.created_at);
}

export function endOf(head: SessionHead): string | null {
  return head.observation?.ended_at ?? (head.ended ? iso(head.ended.at) : null);
}

/** If the agent reported its own end, only it knows the duration. */
function durationOf({ observation, ended }: SessionHead): number | null {
  if (observation?.duration != null) return observation.duration;
  return ended && observation?.ended_at == null ? ended.duration_ms / 1000 : null;
}

type Snapshot<K extends "actions" | "checkpoints" | "outcomes"> = SessionSnapshot[K][number];

/** An action that started here and has no result yet shows its progress. */
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

/** Adds the output of an action to its details. */
function detailsOf({ action_id, details, output }: StoredRow["data"]) {
  if (action_id === undefined) return isRecord(details) ? { ...details } : null;
  const all = {
    ...(isRecord(details) ? details : {}),
    ...(isRecord(output) ? { output } : {}),
  };
  return Object.keys(all).length > 0 ? all : null;
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
  const state = await readStateIfAny(store, id, name);
  return { name, ...(state && { state }), timestamp };
}

function viewOutcome({ data }: StoredRow): Snapshot<"outcomes"> {
  return {
    type: String(data.type),
    ...(typeof data.id === "string" && { id: data.id }),
    ...(isRecord(data.details) && { details: { ...data.details } }),
  };
}
