import { BelayError, refuse } from "../../../contract/errors.ts";
import { LIMITS } from "../../../contract/limits.ts";
import { AS_THEY_ARE, type BlobStore } from "../../blob-store.ts";
import { blobRemoved } from "../../blobs/blob-removed.ts";
import { cutChunks } from "../../blobs/cut-chunks.ts";
import { decodeChunks } from "../../blobs/decode-chunks.ts";
import { freePassingBytes } from "../../blobs/free-passing-bytes.ts";
import { expectRoom } from "../../expect-room.ts";
import { LEASE_MS } from "../../lease-rules.ts";
import { segmentsOf } from "../../log/lineage.ts";
import { streamGone } from "../../stream-gone.ts";
import { fromHex, integerIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { damaged } from "../database/storage-error.ts";
import type { StreamRow } from "../database/stream-row.ts";
import type { WriteBatch } from "../write/write-batch.ts";
import { packChunk, unpackChunk } from "./pack-chunk.ts";

interface BlobAccess {
  readonly db: Connection;
  read<T>(attempt: () => T): Promise<T>;
  write<T>(run: (batch: WriteBatch) => T): Promise<T>;
  find(id: string): StreamRow | undefined;
  now(): number;
}

/** Each chunk is a commit of its own, so that other writers get their turn. */
export function sqliteBlobs({ db, read, write, find, now }: BlobAccess): BlobStore {
  return {
    async put(id, source, coding = AS_THEY_ARE, most) {
      const bid = await write((batch) => {
        removeAbandoned(batch.db, now());
        return integerIn(batch.db.get(BEGIN, now()) ?? {}, "bid", null);
      });
      try {
        const cut = cutChunks(source);
        let nth = 0;
        let step = await cut.next();
        for (; !step.done; step = await cut.next(), nth += 1) {
          const { packed, sum, bytes } = packChunk(bid, nth, coding.encode(step.value, nth));
          const place = nth;
          await write((batch) => {
            batch.bytes += bytes.length;
            if (!batch.db.get(RENEW, now(), bid)) throw abandoned();
            batch.db.run(INSERT_CHUNK, bid, place, packed, sum, bytes);
          });
          passOn(db);
        }
        const blob = step.value;
        const added = await write((batch) =>
          finishBlob(batch, id, bid, { name: coding.nameOf(blob.digest), size: blob.size, most }),
        );
        return { ...blob, added };
      } catch (error) {
        await write((batch) => remove(batch.db, bid)).catch(() => undefined);
        throw error;
      }
    },

    async get(id, digest, coding = AS_THEY_ARE) {
      if (!DIGEST.test(digest)) return undefined;
      const found = await read(() => findHeld(db, find(id), coding.nameOf(digest)));
      if (!found) return undefined;
      const { bid, size } = found;
      async function* chunks() {
        const count = Math.ceil(size / LIMITS.BLOB_CHUNK);
        for (let nth = 0; nth < count; nth += 1) {
          if (nth > 0) passOn(db);
          const row = await read(() => db.get(READ_CHUNK, bid, nth));
          if (!row && !(await read(() => db.get(STORED, bid)))) throw blobRemoved(digest);
          if (!row) throw damaged(id, `a part of the file ${digest} is missing`);
          const damage = () => damaged(id, `the file ${digest} is damaged`);
          yield unpackChunk(bid, nth, row, damage);
        }
      }
      return { digest, size, bytes: () => decodeChunks(digest, chunks(), coding) };
    },

    async drop(id, digest, coding = AS_THEY_ARE) {
      if (!DIGEST.test(digest)) return;
      const name = coding.nameOf(digest);
      await write((batch) => {
        const sid = batch.load({ id })?.row.sid;
        const row = sid === undefined ? undefined : batch.db.get(HELD_BY, sid, fromHex(name));
        if (!row || sid === undefined) return;
        const bid = integerIn(row, "bid", id);
        batch.db.run("DELETE FROM blob_holders WHERE sid = ? AND bid = ?", sid, bid);
        removeUnheld(batch.db, bid);
      });
    },

    used: (owner) => read(() => usedBy(db, owner)),
  };
}

function usedBy(db: Connection, owner: string): number {
  return integerIn(db.get(USED, owner) ?? {}, "bytes", null);
}

/** Chunks are used once, so neither Belay nor SQLite should cache them. */
function passOn(db: Connection): void {
  freePassingBytes();
  db.exec("PRAGMA shrink_memory");
}

/** Releases the blobs of a removed stream, except those before event `seq`, which forks share. */
export function dropBlobsAfter(db: Connection, sid: number, seq: number): void {
  const rows = db.all("SELECT bid FROM blob_holders WHERE sid = ? AND seq >= ?", sid, seq);
  db.run("DELETE FROM blob_holders WHERE sid = ? AND seq >= ?", sid, seq);
  for (const row of rows) removeUnheld(db, integerIn(row, "bid", null));
}

const DIGEST = /^[0-9a-f]{64}$/;

interface FinishedBlob {
  /** Its digest, as it is stored. */
  readonly name: string;
  readonly size: number;
  readonly most: number | undefined;
}

function finishBlob(
  batch: WriteBatch,
  id: string,
  bid: number,
  { name: digest, size, most }: FinishedBlob,
): boolean {
  const { db } = batch;
  const row = batch.load({ id })?.row;
  if (!row) throw streamGone(id);
  const isHeld = db.get(HELD_BY, row.sid, fromHex(digest)) !== undefined;
  if (!isHeld && most !== undefined) expectRoom(row.owner, usedBy(db, row.owner), size, most);
  const known = db.get("SELECT bid FROM blobs WHERE digest = ?", fromHex(digest));
  if (known) remove(db, bid);
  else if (!db.get(FINISH, fromHex(digest), size, bid)) throw abandoned();
  const kept = known ? integerIn(known, "bid", null) : bid;
  return db.get(HOLD, row.sid, kept, row.seq) !== undefined;
}

function findHeld(db: Connection, row: StreamRow | undefined, digest: string) {
  if (!row) return undefined;
  for (const { sid, to } of segmentsOf(row)) {
    const held = db.get(HELD_BY, sid, fromHex(digest));
    if (!held) continue;
    // An ancestor's blob counts if this stream has the event that may refer to it.
    if (sid !== row.sid && integerIn(held, "seq", row.id) >= to) continue;
    return { bid: integerIn(held, "bid", row.id), size: integerIn(held, "size", row.id) };
  }
  return undefined;
}

/** Removes unfinished blobs of processes that ended. */
function removeAbandoned(db: Connection, now: number): void {
  for (const row of db.all(ABANDONED, now, now - LEASE_MS)) remove(db, integerIn(row, "bid", null));
}

function removeUnheld(db: Connection, bid: number): void {
  if (!db.get("SELECT sid FROM blob_holders WHERE bid = ? LIMIT 1", bid)) remove(db, bid);
}

function remove(db: Connection, bid: number): void {
  db.run("DELETE FROM blob_chunks WHERE bid = ?", bid);
  db.run("DELETE FROM blobs WHERE bid = ?", bid);
}

function abandoned(): BelayError {
  const message = "The upload timed out. Send the file again.";
  return new BelayError(refuse("request_timeout", message));
}

const BEGIN = "INSERT INTO blobs (size, renewed) VALUES (0, ?) RETURNING bid";
const RENEW = "UPDATE blobs SET renewed = ? WHERE bid = ? AND digest IS NULL RETURNING bid";
const FINISH = `UPDATE blobs SET digest = ?, size = ?, renewed = NULL WHERE bid = ? AND digest IS NULL
  RETURNING bid`;
const INSERT_CHUNK =
  "INSERT INTO blob_chunks (bid, nth, packed, sum, bytes) VALUES (?, ?, ?, ?, ?)";
const HOLD = `INSERT OR IGNORE INTO blob_holders (sid, bid, seq) VALUES (?, ?, ?) RETURNING sid`;
const READ_CHUNK = "SELECT packed, sum, bytes FROM blob_chunks WHERE bid = ? AND nth = ?";
const STORED = "SELECT bid FROM blobs WHERE bid = ?";
const HELD_BY = `SELECT bid, seq, size FROM blob_holders JOIN blobs USING (bid)
  WHERE sid = ? AND digest = ?`;
const USED = `SELECT coalesce(sum(b.size), 0) AS bytes FROM blob_holders h
  JOIN blobs b USING (bid) JOIN streams s USING (sid) WHERE s.owner = ?`;
const ABANDONED =
  "SELECT bid FROM blobs WHERE digest IS NULL AND NOT (renewed <= ? AND renewed > ?)";
