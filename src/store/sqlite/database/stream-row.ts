import { crc32 } from "node:zlib";
import type { Listing } from "../../../contract/stream.ts";
import { STREAM_KINDS, type StreamKind } from "../../../contract/vocabulary.ts";
import { describeLease, type KeptHolder, type LeaseClock } from "../../lease-rules.ts";
import { BYTES } from "../../log/hash-event.ts";
import type { Lineage } from "../../log/lineage.ts";
import type { StoredStream, StreamRef } from "../../stream-store.ts";
import {
  contentOf,
  fromHex,
  hexOf,
  parseJson,
  readContent,
  toColumns,
  toFlag,
  toInteger,
  toText,
  toTextOrNull,
  type Values,
} from "./columns.ts";
import type { Connection } from "./connection.ts";
import { NULL, sumOf } from "./digests.ts";
import { KeptHead } from "./kept-head.ts";
import { readLineage, writeLineage } from "./lineage.ts";
import { type OpenedPlaces, readOpened, writeOpened } from "./opened-places.ts";
import { damaged } from "./storage-error.ts";

/** The part of a row of `streams` that a list shows, with a verified checksum. */
export interface ShownRow {
  readonly sid: number;
  readonly id: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  /** The epoch of the newest grant, which outlives its lease. */
  readonly epoch: number;
  readonly holder: KeptHolder | null;
  readonly head: KeptHead;
}

/** One row of `streams`, with a verified checksum. */
export interface StreamRow extends ShownRow {
  readonly hash: string;
  readonly lineage: Lineage;
  readonly listing: Listing;
  readonly opened: OpenedPlaces;
}

/** The remainder of a purged stream is only found by its sid. */
export function findStreamRow(db: Connection, ref: StreamRef): StreamRow | undefined {
  const values =
    "id" in ref ? db.getValues(BY_ID, ref.id) : db.getValues(BY_KEY, ref.kind, ref.owner, ref.key);
  return values && readStreamRow(values);
}

export function findStreamRowBySid(db: Connection, sid: number): StreamRow | undefined {
  const values = db.getValues(BY_SID, sid);
  return values && readStreamRow(values);
}

export function toStoredStream(
  row: StreamRow,
  clock: LeaseClock,
  head: unknown = row.head.value,
): StoredStream {
  const { id, kind, owner, key, seq } = row;
  return { id, kind, owner, key, seq, head, lease: describeLease(row, clock) };
}

/** `values` are the columns of `SHOWN_VALUES`. Null for a row of an older version, which has no checksum of this part. */
export function readShownRow(values: Values): ShownRow | null {
  if (values[8] === null) return null;
  const id = toText(values[1], "id", null);
  const holder = toTextOrNull(values[7], "holder", id);
  const row = {
    sid: toInteger(values[0], "sid", id),
    id,
    kind: readKind(values[2], id),
    owner: toText(values[3], "owner", id),
    key: toText(values[4], "key", id),
    seq: toInteger(values[5], "seq", id),
    epoch: toInteger(values[6], "epoch", id),
    holder: readHolder(holder, id),
    head: KeptHead.stored(readContent(values[9], "head", id), id),
  };
  if (crcOfShown(row, holder) !== values[8]) throw changed(id);
  return row;
}

/** `values` are the columns of `STREAM_VALUES`. */
export function readStreamRow(values: Values): StreamRow {
  const id = toText(values[1], "id", null);
  const lineage = toTextOrNull(values[7], "lineage", id);
  const holder = toTextOrNull(values[9], "holder", id);
  const opened = toTextOrNull(values[23], "opened", id);
  const row = {
    sid: toInteger(values[0], "sid", id),
    id,
    kind: readKind(values[2], id),
    owner: toText(values[3], "owner", id),
    key: toText(values[4], "key", id),
    seq: toInteger(values[5], "seq", id),
    hash: toText(values[6], "hash", id),
    lineage: readLineage(lineage, id),
    epoch: toInteger(values[8], "epoch", id),
    holder: readHolder(holder, id),
    listing: {
      status: toText(values[10], "status", id),
      phase: toText(values[11], "phase", id),
      agent: toText(values[12], "agent", id),
      interface: toText(values[13], "interface", id),
      project: toText(values[14], "project", id),
      task: toText(values[15], "task", id),
      waiting: toInteger(values[16], "waiting", id),
      unsettled: toFlag(values[21], "unsettled", id),
      pinned: toFlag(values[22], "pinned", id),
      created: toInteger(values[17], "created", id),
      activity: toInteger(values[18], "activity", id),
    },
    opened: readOpened(opened, id),
    head: KeptHead.stored(readContent(values[20], "head", id), id),
  };
  const sum = sumOfStream(row, lineage, holder, opened).toUpperCase();
  if (sum !== sumIn(values)) throw changed(id);
  return row;
}

/** The checksum of a row, as SQLite writes hex. */
export function sumIn(values: Values): Values[number] | undefined {
  return values[19];
}

export function insertStreamRow(db: Connection, row: StreamRow): void {
  const { sid, id, kind, owner, key, seq, hash, epoch, listing, head } = row;
  const lineage = writeLineage(row.lineage);
  const holder = row.holder && JSON.stringify(row.holder);
  const opened = writeOpened(row.opened);
  const sum = fromHex(sumOfStream(row, lineage, holder, opened));
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
    ...listed(listing),
    sum,
    ...toColumns(head.content),
    listing.unsettled,
    listing.pinned,
    opened,
    crcOfShown(row, holder),
  );
}

export function deleteStreamRow(db: Connection, { sid }: StreamRow): void {
  db.run("DELETE FROM streams WHERE sid = ?", sid);
}

/**
 * Updates no index unless the listing changed, and only one if work started or ended, which is
 * frequent.
 */
export function updateStreamRow(db: Connection, row: StreamRow, stored: Listing): void {
  const { sid, seq, hash, epoch, listing, head } = row;
  const { unsettled } = listing;
  const holder = row.holder && JSON.stringify(row.holder);
  const opened = writeOpened(row.opened);
  const sum = fromHex(sumOfStream(row, writeLineage(row.lineage), holder, opened));
  const crc = crcOfShown(row, holder);
  const [text, bytes] = toColumns(head.content);
  const isListed = isListedAlike(stored, listing);
  if (isListed && stored.unsettled === unsettled) {
    const update = db.statement(UPDATE_HEAD);
    update.get(seq, fromHex(hash), epoch, holder, opened, sum, crc, text, bytes, sid);
    return;
  }
  const values = [seq, fromHex(hash), epoch, holder, opened, sum, crc, text, bytes] as const;
  if (isListed) db.run(UPDATE_UNSETTLED, ...values, unsettled, sid);
  else db.run(UPDATE_LISTING, ...values, unsettled, listing.pinned, ...listed(listing), sid);
}

const STREAM_COLUMNS =
  "sid, id, kind, owner, key, seq, hash, lineage, epoch, holder, status, phase, agent, interface, project, task, waiting, created, activity, sum, head, bytes, unsettled, pinned, opened, crc";

export const SHOWN_VALUES = `sid, id, kind, owner, key, seq, epoch, holder, crc, ${contentOf("head")}`;

export const STREAM_VALUES = `sid, id, kind, owner, key, seq, ${hexOf("hash")}, lineage, epoch, holder, status, phase, agent,
  interface, project, task, waiting, created, activity, hex(sum), ${contentOf("head")}, unsettled, pinned, opened`;

const BY_ID = `SELECT ${STREAM_VALUES} FROM streams WHERE id = ? AND kind <> 'purged'`;
const BY_KEY = `SELECT ${STREAM_VALUES} FROM streams WHERE kind = ? AND owner = ? AND key = ?`;
const BY_SID = `SELECT ${STREAM_VALUES} FROM streams WHERE sid = ?`;
const INSERT = `INSERT INTO streams (${STREAM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const CHANGED =
  "seq = ?, hash = ?, epoch = ?, holder = ?, opened = ?, sum = ?, crc = ?, head = ?, bytes = ?";
const UPDATE_HEAD = `UPDATE streams SET ${CHANGED} WHERE sid = ?`;
const UPDATE_UNSETTLED = `UPDATE streams SET ${CHANGED}, unsettled = ? WHERE sid = ?`;
const UPDATE_LISTING = `UPDATE streams SET ${CHANGED}, unsettled = ?, pinned = ?, status = ?, phase = ?, agent = ?, interface = ?,
  project = ?, task = ?, waiting = ?, created = ?, activity = ? WHERE sid = ?`;

function sumOfStream(
  row: Omit<StreamRow, "lineage" | "holder" | "opened">,
  lineage: string | null,
  holder: string | null,
  opened: string | null,
): string {
  const { sid, id, kind, owner, key, seq, hash, epoch, listing, head } = row;
  const columns = [sid, id, kind, owner, key, seq, hash, lineage, epoch, holder];
  columns.push(...listed(listing));
  addLater(columns, listing, opened);
  return sumOf(columns, head.content);
}

/** A checksum of what a list shows, to detect accidental changes. It takes a third of the time of `sumOfStream`. */
function crcOfShown(row: ShownRow, holder: string | null): number {
  const { sid, id, kind, owner, key, seq, epoch } = row;
  const { content } = row.head;
  const meta = `${sid}\0${id}\0${kind}\0${owner}\0${key}\0${seq}\0${epoch}\0${holder ?? NULL}\0`;
  return typeof content === "string" ? crc32(meta + content) : crc32(content, crc32(meta + BYTES));
}

/**
 * Columns of later versions. A row from before `unsettled` has 1 there and a checksum without it,
 * so a checksum omits a 1 and covers a 0: old rows stay valid, and the values cannot be confused.
 * For `pinned` it omits a 0, for `opened` a null.
 */
function addLater(
  columns: (number | string | null)[],
  { unsettled, pinned }: Listing,
  opened: string | null,
): void {
  if (unsettled !== 1) columns.push(unsettled);
  if (pinned !== 0) columns.push("pinned");
  if (opened !== null) columns.push(opened);
}

/** In the order of the columns, without the later ones. */
function listed(listing: Listing) {
  const { status, phase, agent, project, task, waiting, created, activity } = listing;
  return [status, phase, agent, listing.interface, project, task, waiting, created, activity];
}

/** True if the listings are equal except for `unsettled`. */
function isListedAlike(a: Listing, b: Listing): boolean {
  return (
    a.activity === b.activity &&
    a.status === b.status &&
    a.phase === b.phase &&
    a.agent === b.agent &&
    a.interface === b.interface &&
    a.project === b.project &&
    a.task === b.task &&
    a.waiting === b.waiting &&
    a.pinned === b.pinned &&
    a.created === b.created
  );
}

function changed(id: string): Error {
  return damaged(id, "its head was changed after it was written");
}

function readKind(value: Values[number] | undefined, id: string): StreamKind {
  const kind = STREAM_KINDS.find((known) => known === value);
  if (kind === undefined) throw damaged(id, "its kind is unknown");
  return kind;
}

function readHolder(text: string | null, stream: string): KeptHolder | null {
  if (text === null) return null;
  const value = parseJson(text, stream, "holder");
  if (isHolder(value)) return value;
  throw damaged(stream, "its holder cannot be read");
}

function isHolder(value: unknown): value is KeptHolder {
  if (typeof value !== "object" || value === null) return false;
  if (!("name" in value && "pid" in value && "start_time" in value && "boot_id" in value)) {
    return false;
  }
  return (
    typeof value.name === "string" &&
    typeof value.pid === "number" &&
    (value.start_time === null || typeof value.start_time === "number") &&
    (value.boot_id === null || typeof value.boot_id === "string") &&
    (!("node" in value) || value.node === null || typeof value.node === "string") &&
    (!("machine" in value) || value.machine === null || typeof value.machine === "string") &&
    (!("renewed" in value) || typeof value.renewed === "number")
  );
}
