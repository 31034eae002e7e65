import { BelayError, refuse } from "../../../contract/errors.ts";
import { LIMITS } from "../../../contract/limits.ts";
import { AS_THEY_ARE, type BlobStore } from "../../blob-store.ts";
import { blobRemoved } from "../../blobs/blob-removed.ts";
import { cutChunks } from "../../blobs/cut-chunks.ts";
import { decodeChunks } from "../../blobs/decode-chunks.ts";
import { freePassingBytes } from "../../blobs/free-passing-bytes.ts";
import { expectRoom } from "../../expect-room.ts";
import { segmentsOf } from "../../log/lineage.ts";
import { streamGone } from "../../stream-gone.ts";
import type { Database, SqlSession } from "../database/database.ts";
import { damaged } from "../database/postgres-error.ts";
import { isStorable } from "../database/storable-text.ts";
import { findStreamRows, type StreamRow } from "../database/stream-row.ts";
import { lockOfId, toLocks } from "../write/locks.ts";
import { readChunk, sumOfChunk } from "./stored-chunk.ts";

/** Each chunk is a transaction of its own; a blob becomes visible with its last one. */
export function postgresBlobs(database: Database): BlobStore {
  return {
    async put(id, source, coding = AS_THEY_ARE, most) {
      const bid = await begin(database);
      try {
        const cut = cutChunks(source);
        let nth = 0;
        let step = await cut.next();
        for (; !step.done; step = await cut.next(), nth += 1) {
          const [row] = await insertChunk(database, bid, nth, coding.encode(step.value, nth));
          if (!row) throw abandoned();
          freePassingBytes();
        }
        const blob = step.value;
        const added = await database.transaction((session) =>
          finishBlob(session, id, bid, { name: coding.nameOf(blob.digest), size: blob.size, most }),
        );
        return { ...blob, added };
      } catch (error) {
        await database.query(REMOVE, [bid]).catch(() => undefined);
        throw error;
      }
    },

    async get(id, digest, coding = AS_THEY_ARE) {
      if (!DIGEST.test(digest)) return undefined;
      const found = await database.read((session) => findHeld(session, id, coding.nameOf(digest)));
      if (!found) return undefined;
      const { bid, size } = found;
      async function* chunks() {
        const count = Math.ceil(size / LIMITS.BLOB_CHUNK);
        const damage = () => damaged(id, `the file ${digest} is damaged`);
        for (let nth = 0; nth < count; nth += 1) {
          if (nth > 0) freePassingBytes();
          const bytes = await readChunk(database, bid, nth, damage);
          const isRemoved = !bytes && (await database.query(STORED, [bid])).length === 0;
          if (isRemoved) throw blobRemoved(digest);
          if (!bytes) throw damaged(id, `a part of the file ${digest} is missing`);
          yield bytes;
        }
      }
      return { digest, size, bytes: () => decodeChunks(digest, chunks(), coding) };
    },

    async drop(id, digest, coding = AS_THEY_ARE) {
      if (!DIGEST.test(digest) || !isStorable(id)) return;
      const name = coding.nameOf(digest);
      await database.transaction(async (session) => {
        await session.query("SELECT belay.lock($1)", [toLocks([lockOfId(id), lockOf(name)])]);
        const dropped = await session.query<{ bid: number }>(DROP, [id, name]);
        const bids = dropped.map(({ bid }) => bid);
        await session.query("SELECT belay.drop_unheld($1)", [bids]);
      });
    },

    used: (owner) => database.read((session) => usedBy(session, owner)),
  };
}

async function usedBy(session: SqlSession, owner: string): Promise<number> {
  const [row] = await session.query<{ bytes: string }>(USED, [owner]);
  return Number(row?.bytes ?? 0);
}

interface FinishedBlob {
  /** Its digest, as it is stored. */
  readonly name: string;
  readonly size: number;
  readonly most: number | undefined;
}

const DIGEST = /^[0-9a-f]{64}$/;

/** Other processes that store or drop the same bytes wait. */
function lockOf(digest: string): string {
  return `blob ${digest}`;
}

async function begin(database: Database): Promise<number> {
  return database.transaction(async (session) => {
    await session.query(REMOVE_ABANDONED, [GIVEN_UP_MS]);
    const [row] = await session.query<{ bid: number }>(BEGIN);
    return row?.bid ?? 0;
  });
}

function insertChunk(database: Database, bid: number, nth: number, chunk: Uint8Array) {
  const bytes = Buffer.from(chunk);
  return database.query<{ bid: number }>(INSERT_CHUNK, [
    bid,
    nth,
    bytes,
    sumOfChunk(bid, nth, bytes),
  ]);
}

async function finishBlob(
  session: SqlSession,
  id: string,
  bid: number,
  { name: digest, size, most }: FinishedBlob,
): Promise<boolean> {
  const owner = most === undefined ? undefined : (await findStream(session, id))?.owner;
  const counted = owner === undefined ? [] : [`files ${owner}`];
  await session.query("SELECT belay.lock($1)", [
    toLocks([lockOfId(id), lockOf(digest), ...counted]),
  ]);
  const row = await findStream(session, id);
  if (!row) throw streamGone(id);
  if (most !== undefined) {
    const [held] = await session.query(HELD_BY, [[row.sid], digest]);
    if (!held) expectRoom(row.owner, await usedBy(session, row.owner), size, most);
  }
  const [known] = await session.query<{ bid: number }>(KNOWN, [digest]);
  if (known) await session.query(REMOVE, [bid]);
  else {
    const [finished] = await session.query<{ bid: number }>(FINISH, [digest, size, bid]);
    if (!finished) throw abandoned();
  }
  const [held] = await session.query(HOLD, [row.sid, known?.bid ?? bid, row.seq]);
  return held !== undefined;
}

async function findStream(session: SqlSession, id: string): Promise<StreamRow | undefined> {
  if (!isStorable(id)) return undefined;
  return (await findStreamRows(session, [{ id }])).rows[0];
}

interface Held {
  readonly sid: number;
  readonly bid: number;
  readonly seq: number;
  readonly size: number;
}

async function findHeld(
  session: SqlSession,
  id: string,
  digest: string,
): Promise<Held | undefined> {
  const row = await findStream(session, id);
  if (!row) return undefined;
  const segments = segmentsOf(row);
  const sids = segments.map(({ sid }) => sid);
  const held = await session.query<Held>(HELD_BY, [sids, digest]);
  // An ancestor's blob counts if this stream has the event that may refer to it.
  return held.find(({ sid, seq }) => {
    const to = segments.find((segment) => segment.sid === sid)?.to ?? 0;
    return sid === row.sid || seq < to;
  });
}

function abandoned(): BelayError {
  const message =
    "The upload was stopped, because no data arrived for a minute. Send the file again.";
  return new BelayError(refuse("request_timeout", message));
}

const GIVEN_UP_MS = 60_000;
const STORED = "SELECT bid FROM belay.blobs WHERE bid = $1";
const BEGIN = "INSERT INTO belay.blobs DEFAULT VALUES RETURNING bid";
const INSERT_CHUNK = `WITH renewed AS (
    UPDATE belay.blobs SET renewed = clock_timestamp() WHERE bid = $1 AND digest IS NULL RETURNING bid
  )
  INSERT INTO belay.blob_chunks (bid, nth, bytes, sum) SELECT bid, $2, $3, $4 FROM renewed
  ON CONFLICT (bid, nth) DO UPDATE SET bytes = excluded.bytes, sum = excluded.sum RETURNING bid`;
const KNOWN = "SELECT bid FROM belay.blobs WHERE digest = decode($1, 'hex')";
const FINISH = `UPDATE belay.blobs SET digest = decode($1, 'hex'), size = $2, renewed = NULL
  WHERE bid = $3 AND digest IS NULL RETURNING bid`;
const HOLD = `INSERT INTO belay.blob_holders (sid, bid, seq) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING RETURNING bid`;
const HELD_BY = `SELECT h.sid, h.bid, h.seq, b.size FROM belay.blob_holders h JOIN belay.blobs b USING (bid)
  WHERE h.sid = ANY ($1::bigint[]) AND b.digest = decode($2, 'hex')`;
/** The blobs of a purged stream count for the owners of the forks that need them. */
const USED = `WITH RECURSIVE purged AS (
    SELECT p.sid, p.parent FROM belay.streams f JOIN belay.streams p ON p.sid = f.parent
      WHERE f.owner = $1 AND p.kind = 'purged'
    UNION SELECT p.sid, p.parent FROM purged f JOIN belay.streams p ON p.sid = f.parent WHERE p.kind = 'purged'
  )
  SELECT coalesce(sum(b.size), 0)::text AS bytes FROM belay.blob_holders h
  JOIN belay.blobs b USING (bid) JOIN belay.streams s USING (sid)
  WHERE s.owner = $1 OR s.sid IN (SELECT sid FROM purged)`;
const DROP = `DELETE FROM belay.blob_holders h USING belay.blobs b, belay.streams s
  WHERE b.digest = decode($2, 'hex') AND s.id = $1 AND h.bid = b.bid AND h.sid = s.sid RETURNING h.bid`;
const REMOVE = `WITH removed AS (DELETE FROM belay.blobs WHERE bid = $1 AND digest IS NULL RETURNING bid)
  DELETE FROM belay.blob_chunks c USING removed r WHERE c.bid = r.bid`;
const REMOVE_ABANDONED = `WITH removed AS (
    DELETE FROM belay.blobs WHERE digest IS NULL AND renewed < clock_timestamp() - $1 * interval '1 ms' RETURNING bid
  )
  DELETE FROM belay.blob_chunks c USING removed r WHERE c.bid = r.bid`;
