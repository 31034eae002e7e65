import { createHash } from "node:crypto";
import type { SqlSession } from "../database/database.ts";

/** A checksum of a chunk and its place, so that it cannot be exchanged for another: 64 bits of SHA-256. */
export function sumOfChunk(bid: number | string, nth: number, bytes: Uint8Array): Buffer {
  const hash = createHash("sha256").update(`${bid} ${nth} `).update(bytes);
  return hash.digest().subarray(0, 8);
}

/** The bytes of a chunk; undefined if it is missing. Throws if they do not match their checksum. */
export async function readChunk(
  session: Pick<SqlSession, "query">,
  bid: number | string,
  nth: number,
  damage: () => Error,
): Promise<Uint8Array | undefined> {
  const [row] = await session.query<StoredChunk>(CHUNK, [bid, nth]);
  if (!row) return undefined;
  const { bytes, sum } = row;
  if (!sumOfChunk(bid, nth, bytes).equals(sum)) throw damage();
  return new Uint8Array(bytes);
}

interface StoredChunk {
  readonly bytes: Uint8Array;
  readonly sum: Uint8Array;
}

const CHUNK = "SELECT bytes, sum FROM belay.blob_chunks WHERE bid = $1 AND nth = $2";
