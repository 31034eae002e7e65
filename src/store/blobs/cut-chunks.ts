import { createHash } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { BlobRef, ByteSource } from "../blob-store.ts";

/**
 * Cuts pieces of any size into chunks, and returns the size and digest of all at the end. All
 * chunks share one buffer: each is valid only until the next one is requested.
 */
export async function* cutChunks(source: ByteSource): AsyncGenerator<Uint8Array, BlobRef> {
  const hash = createHash("sha256");
  let size = 0;
  const chunk = Buffer.allocUnsafeSlow(LIMITS.BLOB_CHUNK);
  let filled = 0;
  for await (const piece of source) {
    if (!(piece instanceof Uint8Array)) throw notBytes(piece);
    size += piece.length;
    if (size > LIMITS.BLOB_BYTES) throw tooLarge();
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + LIMITS.BLOB_CHUNK - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < LIMITS.BLOB_CHUNK) continue;
      hash.update(chunk);
      yield chunk;
      filled = 0;
    }
  }
  if (filled > 0) {
    hash.update(chunk.subarray(0, filled));
    yield chunk.subarray(0, filled);
  }
  return { digest: hash.digest("hex"), size };
}

function notBytes(piece: never): BelayError {
  const message = `A file must be given as bytes (Uint8Array), not as ${typeof piece}.`;
  return new BelayError(refuse("invalid_input", message));
}

function tooLarge(): BelayError {
  const limit = LIMITS.BLOB_BYTES;
  const message = `The file is larger than ${limit / 2 ** 20} MB, which is the limit.`;
  return new BelayError(refuse("too_large", message, { limit }));
}
