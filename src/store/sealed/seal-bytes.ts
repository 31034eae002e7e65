import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts bytes with AES-256-GCM, as `header, nonce, encrypted, tag`. The header stays readable; it and `place` are
 * authenticated, so bytes that were moved elsewhere cannot be opened.
 */
export function sealBytes(
  key: KeyObject,
  place: string,
  header: Uint8Array,
  plain: Uint8Array,
): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(authenticated(header, place));
  const encrypted = cipher.update(plain);
  cipher.final();
  return Buffer.concat([header, nonce, encrypted, cipher.getAuthTag()]);
}

/** Throws `storage_damaged` unless this key encrypted the bytes for this place. */
export function openBytes(
  key: KeyObject,
  place: string,
  headerBytes: number,
  sealed: Uint8Array,
): Buffer {
  const header = sealed.subarray(0, headerBytes);
  const nonce = sealed.subarray(headerBytes, headerBytes + NONCE_BYTES);
  const end = sealed.length - TAG_BYTES;
  if (end < headerBytes + NONCE_BYTES) throw cannotOpen();
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce);
    decipher.setAAD(authenticated(header, place));
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(headerBytes + NONCE_BYTES, end));
    decipher.final();
    return plain;
  } catch (cause) {
    throw cannotOpen(cause);
  }
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** Valid until the next call. */
function authenticated(header: Uint8Array, place: string): Uint8Array {
  const most = header.length + 3 * place.length;
  const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(most);
  for (let n = 0; n < header.length; n += 1) bytes[n] = header[n] ?? 0;
  return bytes.subarray(0, header.length + bytes.write(place, header.length));
}

const scratch = Buffer.allocUnsafe(1024);

export function cannotOpen(cause?: unknown): BelayError {
  const message =
    'Encrypted data cannot be decrypted: it was changed, moved or truncated. Run "belay verify".';
  return new BelayError(refuse("storage_damaged", message), cause);
}

export function isDamage(error: unknown): boolean {
  return error instanceof BelayError && error.code === "storage_damaged";
}

/** Requesting many random bytes at once is much faster than a few each time. */
const pool = Buffer.alloc(NONCE_BYTES * 512);
let used = pool.length;

function nextNonce(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += NONCE_BYTES;
  return Buffer.from(pool.subarray(used - NONCE_BYTES, used));
}
