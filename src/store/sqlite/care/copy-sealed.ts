import { createHash } from "node:crypto";
import { LIMITS } from "../../../contract/limits.ts";
import { type ListingDeclaration, SESSION_LISTING } from "../../../contract/stream.ts";
import type { ContentSealer, SealedWriter } from "../../content-sealer.ts";
import { ListingColumns } from "../../listing-columns.ts";
import { NO_HASH } from "../../log/hash-event.ts";
import { sealEvent } from "../../log/seal-event.ts";
import { packChunk, unpackChunk } from "../blobs/pack-chunk.ts";
import { fromHex, integerIn, textIn, toInteger, toText } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import {
  checkEvent,
  EVENT_VALUES,
  hashBefore,
  insertEvent,
  readEventRow,
} from "../database/event-log.ts";
import { insertPatchRow, PATCH_VALUES, readPatchRow } from "../database/index-rows.ts";
import { KeptHead } from "../database/kept-head.ts";
import { insertNameRow, NAME_VALUES, readNameRow } from "../database/named-places.ts";
import { lastPosition, lastSid } from "../database/positions.ts";
import { damaged } from "../database/storage-error.ts";
import { HEAD_VALUES, insertHeadRow, readHeadRow } from "../database/stored-heads.ts";
import { findStreamRowBySid, insertStreamRow, type StreamRow } from "../database/stream-row.ts";
import { writersOf } from "../database/writers.ts";

/** Keeps the numbers of streams and the positions of events free that the copy will need. */
export function reserveNumbers(from: Connection, to: Connection): void {
  to.exec("BEGIN IMMEDIATE");
  to.run("DELETE FROM sqlite_sequence WHERE name = 'streams'");
  to.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('streams', ?)", lastSid(from));
  to.run("UPDATE meta SET value = ? WHERE name = 'position_floor'", lastPosition(from));
  to.exec("COMMIT");
}

/** All streams that have written events, ancestors first. */
export function listWriters(from: Connection): SealedWriter[] {
  const writers = new Map<string, SealedWriter>();
  for (const row of everyStream(from)) {
    const { id, sid, owner, lineage } = row;
    let base: SealedWriter["base"] = null;
    for (const values of from.allValues(COPIES, sid)) {
      const [writer, seq] = [toText(values[0], "origin", id), toInteger(values[1], "seq", id)];
      if (writer === id) continue;
      if (!writers.has(writer)) writers.set(writer, { writer, owner, base });
      base = { writer, seq };
    }
    const parent = lineage.at(-1);
    if (parent) {
      const writer = writersOf(from, row, segmentsOfParent(row))(parent.upto);
      base = { writer, seq: parent.upto };
    }
    writers.set(id, { writer: id, owner, base });
  }
  return [...writers.values()];
}

/**
 * Copies everything, encrypted. Skips data that an interrupted call has copied. Numbers, positions and times stay the
 * same.
 */
export function copySealed(
  from: Connection,
  to: Connection,
  sealer: ContentSealer,
  declared: ListingDeclaration = SESSION_LISTING,
): void {
  const columns = new ListingColumns(declared);
  for (const row of everyStream(from)) {
    if (to.get("SELECT 1 FROM streams WHERE sid = ?", row.sid)) continue;
    to.exec("BEGIN IMMEDIATE");
    try {
      const hash = copyEvents(from, to, row, sealer);
      copyIndexes(from, to, row, sealer);
      const place = { writer: row.id, seq: row.seq, streamKey: row.key };
      const sealed = sealer.head(place, row.head.content);
      const isPurged = row.kind === "purged";
      insertStreamRow(to, {
        ...row,
        hash,
        key: isPurged ? row.key : sealer.streamKey(row.key),
        listing: columns.toColumns(sealer.listing(row.listing)),
        head: isPurged ? row.head : KeptHead.stored(sealed, row.id),
      });
      to.exec("COMMIT");
    } catch (error) {
      to.rollback();
      throw error;
    }
  }
  copyBlobs(from, to, sealer);
  for (const { id, seq, hash, at } of from.all("SELECT id, seq, hash, at FROM tombstones")) {
    to.run(
      "INSERT OR IGNORE INTO tombstones (id, seq, hash, at) VALUES (?, ?, ?, ?)",
      id ?? null,
      seq ?? null,
      hash ?? null,
      at ?? null,
    );
  }
}

/** Differs after any change of the data to copy. */
export function stampOf(from: Connection): string {
  const hash = createHash("sha256");
  for (let after = 0; ; ) {
    const page = from.allValues(SUMS, after);
    for (const values of page) hash.update(`${values.join(" ")}\n`);
    const last = page.at(-1);
    if (!last) break;
    after = toInteger(last[0], "sid", null);
  }
  for (const sql of [HOLDERS, TOMBSTONES]) {
    for (const values of from.allValues(sql)) hash.update(`${values.join(" ")}\n`);
  }
  return hash.digest("hex");
}

function* everyStream(db: Connection): Generator<StreamRow> {
  const last = lastSid(db);
  for (let sid = 1; sid <= last; sid += 1) {
    const row = findStreamRowBySid(db, sid);
    if (row) yield row;
  }
}

function segmentsOfParent({ lineage }: StreamRow) {
  let from = 1;
  return lineage.map(({ sid, upto }) => {
    const segment = { sid, from, to: upto };
    from = upto + 1;
    return segment;
  });
}

/** The hash of the last event. */
function copyEvents(
  from: Connection,
  to: Connection,
  row: StreamRow,
  sealer: ContentSealer,
): string {
  const { sid, id, lineage } = row;
  const first = (lineage.at(-1)?.upto ?? 0) + 1;
  let hash = first === 1 ? NO_HASH : hashBefore(to, row, first);
  for (const { pos } of from.all("SELECT pos FROM events WHERE sid = ? ORDER BY seq", sid)) {
    const values = from.getValues(`SELECT ${EVENT_VALUES} FROM events WHERE pos = ?`, pos ?? null);
    if (!values) throw damaged(id, "an event is missing");
    const event = readEventRow(values, id);
    checkEvent(event, id, id, () => hashBefore(from, row, event.seq));
    const writer = event.origin ?? id;
    const copied = event.origin === null ? undefined : to.getValues(ORIGINAL, writer, event.seq);
    const original = copied && readEventRow(copied, writer);
    const sealed = sealEvent(sealer, { writer, previous: hash }, event, event.body, original);
    hash = sealed.hash;
    insertEvent(
      to,
      integerIn({ pos: pos ?? null }, "pos", id),
      sid,
      writer,
      sealed.meta,
      hash,
      sealed.body,
      event.origin,
    );
  }
  return hash;
}

function copyIndexes(
  from: Connection,
  to: Connection,
  row: StreamRow,
  sealer: ContentSealer,
): void {
  const { sid, id, owner } = row;
  const own = { sid, id, seq: row.seq, lineage: [] };
  const writerOf = writersOf(from, own, [{ sid, from: 1, to: Number.MAX_SAFE_INTEGER }]);
  for (const values of from.allValues(`SELECT ${PATCH_VALUES} FROM rows WHERE sid = ?`, sid)) {
    const patch = readPatchRow(values, sid, id);
    const data = sealer.patch(writerOf(patch.seq), patch);
    insertPatchRow(to, sid, { ...patch, key: sealer.rowKey(patch.kind, patch.key), data });
  }
  for (const values of from.allValues(`SELECT ${HEAD_VALUES} FROM heads WHERE sid = ?`, sid)) {
    const { seq, head } = readHeadRow(values, sid, id);
    const place = { writer: writerOf(seq), seq, streamKey: row.key };
    insertHeadRow(to, sid, { seq, head: sealer.head(place, head) });
  }
  for (const values of from.allValues(`SELECT ${NAME_VALUES} FROM names WHERE sid = ?`, sid)) {
    const named = readNameRow(values);
    insertNameRow(to, { ...named, name: sealer.name(owner, named.name) });
  }
}

/** Once for each stream that holds it, under the key of that stream. */
function copyBlobs(from: Connection, to: Connection, sealer: ContentSealer): void {
  for (const held of from.all(HELD)) {
    const id = textIn(held, "id", null);
    const [sid, bid] = [integerIn(held, "sid", id), integerIn(held, "bid", id)];
    const [size, seq] = [integerIn(held, "size", id), integerIn(held, "seq", id)];
    const coding = sealer.blob(id);
    const name = fromHex(coding.nameOf(textIn(held, "digest", id)));
    if (to.get("SELECT 1 FROM blobs WHERE digest = ?", name)) continue;
    to.exec("BEGIN IMMEDIATE");
    const made = to.get("INSERT INTO blobs (digest, size) VALUES (?, ?) RETURNING bid", name, size);
    const next = integerIn(made ?? {}, "bid", id);
    for (let nth = 0; nth < Math.ceil(size / LIMITS.BLOB_CHUNK); nth += 1) {
      const row = from.get(CHUNK, bid, nth);
      if (!row) throw damaged(id, "a part of a file is missing");
      const chunk = unpackChunk(bid, nth, row, () => damaged(id, "a file is damaged"));
      const { packed, sum, bytes } = packChunk(next, nth, coding.encode(chunk, nth));
      to.run(INSERT_CHUNK, next, nth, packed, sum, bytes);
    }
    to.run("INSERT INTO blob_holders (sid, bid, seq) VALUES (?, ?, ?)", sid, next, seq);
    to.exec("COMMIT");
  }
}

const COPIES =
  "SELECT origin, max(seq) FROM events WHERE sid = ? AND origin IS NOT NULL GROUP BY origin ORDER BY 2";
const ORIGINAL = `SELECT ${EVENT_VALUES} FROM events WHERE sid = (SELECT sid FROM streams WHERE id = ?) AND seq = ?`;
const SUMS = "SELECT sid, hex(sum) FROM streams WHERE sid > ? ORDER BY sid LIMIT 10000";
const HOLDERS = "SELECT sid, bid, seq FROM blob_holders ORDER BY sid, bid";
const TOMBSTONES = "SELECT id FROM tombstones ORDER BY id";
const HELD = `SELECT streams.id AS id, blob_holders.sid AS sid, bid, blob_holders.seq AS seq, size, lower(hex(digest)) AS digest
  FROM blob_holders JOIN blobs USING (bid) JOIN streams ON streams.sid = blob_holders.sid WHERE digest IS NOT NULL`;
const CHUNK = "SELECT packed, sum, bytes FROM blob_chunks WHERE bid = ? AND nth = ?";
const INSERT_CHUNK =
  "INSERT INTO blob_chunks (bid, nth, packed, sum, bytes) VALUES (?, ?, ?, ?, ?)";
