import { STREAM_KINDS, type StreamKind } from "../../contract/vocabulary.ts";
import type { Holder, Lease, Listing, StoredStream, StreamRef } from "../stream-store.ts";
import { fromHex, hexIn, integerIn, parseJson, type Row, textIn, textOrNullIn } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { sumOf } from "./digests.ts";
import { type Lineage, readLineage, writeLineage } from "./lineage.ts";
import { readHolder } from "./read-holder.ts";
import { damaged } from "./storage-error.ts";

/** One row of `streams`, its sum checked. */
export interface StreamRow {
  readonly sid: number;
  readonly id: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  readonly hash: string;
  readonly lineage: Lineage;
  /** Of the newest grant, which outlives its lease. */
  readonly epoch: number;
  readonly holder: Holder | null;
  readonly listing: Listing;
  /** As JSON, so that nobody who was shown it can alter it. */
  readonly head: string;
}

export function findStreamRow(db: Connection, ref: StreamRef): StreamRow | undefined {
  const row = "id" in ref ? db.get(BY_ID, ref.id) : db.get(BY_KEY, ref.kind, ref.owner, ref.key);
  return row && readStreamRow(row);
}

export function findStreamRowBySid(db: Connection, sid: number): StreamRow | undefined {
  const row = db.get(BY_SID, sid);
  return row && readStreamRow(row);
}

export function toStoredStream(row: StreamRow, isAlive: (holder: Holder) => boolean): StoredStream {
  const { id, kind, owner, key, seq } = row;
  return { id, kind, owner, key, seq, head: parseHead(row), lease: leaseOf(row, isAlive) };
}

export function leaseOf(
  { epoch, holder }: Pick<StreamRow, "epoch" | "holder">,
  isAlive: (holder: Holder) => boolean,
): Lease | null {
  return holder && { epoch, holder, live: isAlive(holder) };
}

export function parseHead({ head, id }: Pick<StreamRow, "head" | "id">): unknown {
  return parseJson(head, id, "head");
}

export function readStreamRow(row: Row): StreamRow {
  const id = textIn(row, "id", null);
  const lineage = textOrNullIn(row, "lineage", id);
  const holder = textOrNullIn(row, "holder", id);
  const kind = textIn(row, "kind", id);
  const read = {
    sid: integerIn(row, "sid", id),
    id,
    kind: STREAM_KINDS.find((known) => known === kind) ?? unknownKind(id),
    owner: textIn(row, "owner", id),
    key: textIn(row, "key", id),
    seq: integerIn(row, "seq", id),
    hash: hexIn(row, "hash", id),
    epoch: integerIn(row, "epoch", id),
    listing: {
      status: textIn(row, "status", id),
      phase: textIn(row, "phase", id),
      agent: textIn(row, "agent", id),
      interface: textIn(row, "interface", id),
      project: textIn(row, "project", id),
      task: textIn(row, "task", id),
      waiting: integerIn(row, "waiting", id),
      created: integerIn(row, "created", id),
      activity: integerIn(row, "activity", id),
    },
    head: textIn(row, "head", id),
  };
  if (sumOfStream(read, lineage, holder) !== hexIn(row, "sum", id)) {
    throw damaged(id, "its head is not as it was written");
  }
  return { ...read, lineage: readLineage(lineage, id), holder: readHolder(holder, id) };
}

export function insertStreamRow(db: Connection, row: StreamRow): void {
  const { sid, id, kind, owner, key, seq, hash, epoch, listing, head } = row;
  const { status, phase, agent, project, task, waiting, created, activity } = listing;
  const lineage = writeLineage(row.lineage);
  const holder = row.holder && JSON.stringify(row.holder);
  const sum = fromHex(sumOfStream(row, lineage, holder));
  db.run(
    INSERT,
    sid,
    id,
    kind,
    owner,
    key,
    seq,
    fromHex(hash),
    lineage,
    epoch,
    holder,
    status,
    phase,
    agent,
    listing.interface,
    project,
    task,
    waiting,
    created,
    activity,
    sum,
    head,
  );
}

export function deleteStreamRow(db: Connection, { sid }: StreamRow): void {
  db.run("DELETE FROM streams WHERE sid = ?", sid);
}

/** Touches no index unless the listing has changed. */
export function updateStreamRow(db: Connection, row: StreamRow, isListingNew: boolean): void {
  const { sid, seq, hash, epoch, listing, head } = row;
  const holder = row.holder && JSON.stringify(row.holder);
  const sum = fromHex(sumOfStream(row, writeLineage(row.lineage), holder));
  if (!isListingNew) {
    db.run(UPDATE_HEAD, seq, fromHex(hash), epoch, holder, sum, head, sid);
    return;
  }
  const { status, phase, agent, project, task, waiting, created, activity } = listing;
  db.run(
    UPDATE_LISTING,
    seq,
    fromHex(hash),
    epoch,
    holder,
    status,
    phase,
    agent,
    listing.interface,
    project,
    task,
    waiting,
    created,
    activity,
    sum,
    head,
    sid,
  );
}

export const STREAM_COLUMNS =
  "sid, id, kind, owner, key, seq, hash, lineage, epoch, holder, status, phase, agent, interface, project, task, waiting, created, activity, sum, head";

const BY_ID = `SELECT ${STREAM_COLUMNS} FROM streams WHERE id = ?`;
const BY_KEY = `SELECT ${STREAM_COLUMNS} FROM streams WHERE kind = ? AND owner = ? AND key = ?`;
const BY_SID = `SELECT ${STREAM_COLUMNS} FROM streams WHERE sid = ?`;
const INSERT = `INSERT INTO streams (${STREAM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE_HEAD =
  "UPDATE streams SET seq = ?, hash = ?, epoch = ?, holder = ?, sum = ?, head = ? WHERE sid = ?";
const UPDATE_LISTING = `UPDATE streams SET seq = ?, hash = ?, epoch = ?, holder = ?, status = ?, phase = ?, agent = ?,
  interface = ?, project = ?, task = ?, waiting = ?, created = ?, activity = ?, sum = ?, head = ? WHERE sid = ?`;

function sumOfStream(
  row: Omit<StreamRow, "lineage" | "holder">,
  lineage: string | null,
  holder: string | null,
): string {
  const { sid, id, kind, owner, key, seq, hash, epoch, listing, head } = row;
  const { status, phase, agent, project, task, waiting, created, activity } = listing;
  const own = [sid, id, kind, owner, key, seq, hash, lineage, epoch, holder];
  const listed = [
    status,
    phase,
    agent,
    listing.interface,
    project,
    task,
    waiting,
    created,
    activity,
  ];
  return sumOf([...own, ...listed], head);
}

function unknownKind(id: string): never {
  throw damaged(id, "its kind is none that there is");
}
