import { hash } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { LIMITS } from "../../../contract/limits.ts";
import { fromHex, type Row } from "../database/columns.ts";

const SAMPLE = 16 * 1024;

interface PackedChunk {
  /** 1 if the bytes are compressed. */
  readonly packed: 0 | 1;
  readonly sum: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Compresses the chunk if a sample from its start shrinks by a tenth. */
export function packChunk(bid: number, nth: number, chunk: Uint8Array): PackedChunk {
  const sample = chunk.subarray(0, SAMPLE);
  const pays = zstdCompressSync(sample).length < sample.length * 0.9;
  const packed = pays ? 1 : 0;
  const bytes = pays ? zstdCompressSync(chunk) : chunk;
  return { packed, bytes, sum: fromHex(sumOf(bid, nth, packed, bytes)) };
}

export function unpackChunk(bid: number, nth: number, row: Row, damage: () => Error): Uint8Array {
  const { packed, sum, bytes } = row;
  if (!(bytes instanceof Uint8Array) || !(sum instanceof Uint8Array)) throw damage();
  if (packed !== 0 && packed !== 1) throw damage();
  if (sumOf(bid, nth, packed, bytes) !== Buffer.from(sum).toString("hex")) throw damage();
  return packed ? zstdDecompressSync(bytes, { maxOutputLength: LIMITS.BLOB_CHUNK }) : bytes;
}

function sumOf(bid: number, nth: number, packed: 0 | 1, bytes: Uint8Array): string {
  return hash("sha256", `${bid} ${nth} ${packed} ${hash("sha256", bytes, "hex")}`, "hex").slice(
    0,
    16,
  );
}
