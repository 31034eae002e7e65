import { createHash } from "node:crypto";
import { LIMITS } from "../../../contract/limits.ts";
import type { Finding } from "../../store-care.ts";
import { readChunk } from "../blobs/stored-chunk.ts";
import type { Database } from "../database/database.ts";
import { damaged, isDamage } from "../database/postgres-error.ts";

/** Reports problems of the tables themselves. Logs, heads and rows are checked above the port. */
export async function* inspectStore(database: Database): AsyncGenerator<Finding> {
  for (const { id, seq } of await database.query<EventPosition>(SHORT_LOGS)) {
    yield damage(id, seq, `its log does not end at event ${seq}`);
  }
  for (const { id, seq } of await database.query<EventPosition>(LOST_KEYS)) {
    yield damage(
      id,
      seq,
      "an idempotency key leads to an event that is missing or has another key",
    );
  }
  for (const { id, seq } of await database.query<EventPosition>(LOST_NAMES)) {
    yield damage(id, seq, "a name leads to a stream that is missing");
  }
  yield* inspectBlobs(database);
}

interface EventPosition {
  readonly id: string | null;
  readonly seq: number;
}

/** Checks every blob against its digest, chunk by chunk. Blobs that are still being written are skipped. */
async function* inspectBlobs(database: Database): AsyncGenerator<Finding> {
  for (let after = 0; ; ) {
    const blob: Blob | undefined = (await database.query<Blob>(NEXT_BLOB, [after]))[0];
    if (!blob) return;
    after = blob.bid;
    const name = `the file with number ${blob.bid}`;
    // It may have been removed meanwhile, with its chunks.
    if (!(await isSound(database, blob)) && (await database.query(STORED, [blob.bid])).length > 0) {
      yield damage(null, null, `${name} is not what was put there`);
    }
    if (!blob.is_held) yield damage(null, null, `${name} belongs to no stream`);
  }
}

async function isSound(database: Database, blob: Blob): Promise<boolean> {
  const hash = createHash("sha256");
  let size = 0;
  let chunks = 0;
  try {
    for (; ; chunks += 1) {
      const bytes = await readChunk(database, blob.bid, chunks, altered);
      if (!bytes) break;
      hash.update(bytes);
      size += bytes.length;
    }
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
  // The digest and the size of an encrypted blob are those of its decrypted contents.
  if (blob.is_encrypted) return chunks === Math.ceil(blob.size / LIMITS.BLOB_CHUNK);
  return hash.digest("hex") === blob.digest && size === blob.size;
}

const altered = () => damaged(null, "a part of a file was altered");

interface Blob {
  readonly bid: number;
  readonly digest: string;
  readonly size: number;
  readonly is_held: boolean;
  readonly is_encrypted: boolean;
}

function damage(stream: string | null, seq: number | null, what: string): Finding {
  return { kind: "damage", stream, seq, what };
}

const SHORT_LOGS = `SELECT s.id, s.seq FROM belay.streams s
  WHERE (SELECT count(*) FROM belay.events e WHERE e.sid = s.sid AND e.seq <= s.seq)
      <> s.seq - coalesce(s.parent_upto, 0)
    OR EXISTS (SELECT 1 FROM belay.events e WHERE e.sid = s.sid AND e.seq > s.seq)
  ORDER BY s.sid`;
const LOST_KEYS = `SELECT s.id, k.seq FROM belay.keys k LEFT JOIN belay.streams s USING (sid)
  LEFT JOIN belay.events e ON e.sid = k.sid AND e.seq = k.seq
  WHERE s.id IS NULL OR e.idem IS NULL OR sha256(convert_to(e.idem, 'UTF8')) <> k.idem`;
const LOST_NAMES = `SELECT NULL::text AS id, n.seq FROM belay.names n
  WHERE NOT EXISTS (SELECT 1 FROM belay.streams s WHERE s.sid = n.sid)`;
const NEXT_BLOB = `SELECT b.bid, encode(b.digest, 'hex') AS digest, b.size,
  EXISTS (SELECT 1 FROM belay.blob_holders h WHERE h.bid = b.bid) AS is_held,
  EXISTS (SELECT 1 FROM belay.streams WHERE kind = 'key') AS is_encrypted
  FROM belay.blobs b WHERE b.bid > $1 AND b.digest IS NOT NULL ORDER BY b.bid LIMIT 1`;
const STORED = "SELECT bid FROM belay.blobs WHERE bid = $1";
