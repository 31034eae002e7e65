import { createHash } from "node:crypto";
import { setImmediate as nextRound } from "node:timers/promises";
import { LIMITS } from "../../../contract/limits.ts";
import type { Finding } from "../../store-care.ts";
import { integerIn, type Row } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { damaged, messageOf } from "../database/storage-error.ts";
import { unpackChunk } from "./pack-chunk.ts";

/**
 * Checks every blob against its digest, chunk by chunk; an encrypted one against the checksums of its chunks. Blobs that
 * are still being written are skipped.
 */
export async function* inspectBlobs(db: Connection): AsyncGenerator<Finding> {
  const found = (what: string): Finding => ({ kind: "damage", stream: null, seq: null, what });
  // The digest and the size of an encrypted blob are those of its decrypted contents.
  const isEncrypted = db.get("SELECT sid FROM streams WHERE kind = 'key' LIMIT 1") !== undefined;
  let bid = 0;
  for (;;) {
    const row: Row | undefined = db.get(NEXT, bid);
    if (!row) break;
    bid = integerIn(row, "bid", null);
    const name = `the file with number ${bid}`;
    try {
      const hash = createHash("sha256");
      let size = 0;
      let chunks = 0;
      for (let nth = 0; ; nth += 1) {
        const chunk = db.get(CHUNK, bid, nth);
        if (!chunk) break;
        const bytes = unpackChunk(bid, nth, chunk, () => damaged(null, `${name} is damaged`));
        hash.update(bytes);
        size += bytes.length;
        chunks += 1;
        await nextRound();
      }
      const { digest } = row;
      const isWhole = digest instanceof Uint8Array && hash.digest().equals(digest);
      const isSound = isEncrypted ? chunks === chunksIn(row) : isWhole && size === row.size;
      const isHeld = db.get(HOLDER, bid) !== undefined;
      // It may have been removed meanwhile, with its chunks and its holders.
      if ((isSound && isHeld) || !db.get(STORED, bid)) continue;
      if (!isSound) yield found(`${name} is not what was put there`);
      if (!isHeld) yield found(`${name} belongs to no stream`);
    } catch (error) {
      yield found(messageOf(error));
    }
  }
  for (const row of db.all(LOST)) yield found(`file number ${row.bid} is missing`);
}

function chunksIn(row: Row): number {
  return Math.ceil(integerIn(row, "size", null) / LIMITS.BLOB_CHUNK);
}

const NEXT =
  "SELECT bid, digest, size FROM blobs WHERE bid > ? AND digest IS NOT NULL ORDER BY bid LIMIT 1";
const CHUNK = "SELECT packed, sum, bytes FROM blob_chunks WHERE bid = ? AND nth = ?";
const HOLDER = "SELECT sid FROM blob_holders WHERE bid = ? LIMIT 1";
const STORED = "SELECT bid FROM blobs WHERE bid = ?";
const LOST = `SELECT DISTINCT bid FROM blob_holders WHERE bid NOT IN (SELECT bid FROM blobs)
  UNION SELECT DISTINCT bid FROM blob_chunks WHERE bid NOT IN (SELECT bid FROM blobs)`;
