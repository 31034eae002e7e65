import { createHash } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { BlobCoding, ByteSource } from "../blob-store.ts";

/**
 * Decodes the stored chunks of a blob. The last one is returned only after the digest of all of them was checked: stored
 * bytes that were altered, or exchanged for those of another blob, are never returned completely.
 */
export async function* decodeChunks(
  digest: string,
  stored: ByteSource,
  coding: BlobCoding,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let held: Uint8Array | undefined;
  let nth = 0;
  for await (const bytes of stored) {
    if (held) yield held;
    held = coding.decode(bytes, nth);
    hash.update(held);
    nth += 1;
  }
  if (hash.digest("hex") !== digest) throw altered(digest);
  if (held) yield held;
}

function altered(digest: string): BelayError {
  const message = `The stored bytes of the file ${digest} were changed after they were written. Run: belay verify. If it reports damage, restore a backup.`;
  return new BelayError(refuse("storage_damaged", message, { digest }));
}
