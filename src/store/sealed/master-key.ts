import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";

/** The key outside the data folder, which all other keys depend on. */
export interface MasterKey {
  /** Identifies the key, and reveals nothing about it. */
  readonly fingerprint: string;
  readonly secret: KeyObject;
}

/** A new ring and a rotation use the first key; the others open what they wrapped before. */
export type LoadMasterKeys = () => Promise<readonly MasterKey[]>;

/** One key on each line: 64 hexadecimal digits, or 32 bytes in base64. */
export function parseMasterKeys(text: string, source: string): MasterKey[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== "").map((line) => parseKey(line, source));
  if (keys.length > 0) return keys;
  const message = `${source} contains no encryption key. Put 64 hexadecimal digits there: openssl rand -hex 32`;
  throw new BelayError(refuse("encryption_key_missing", message, { source }));
}

export function toMasterKey(bytes: Uint8Array): MasterKey {
  const fingerprint = createHmac("sha256", bytes).update("belay master key").digest("hex");
  return { fingerprint: fingerprint.slice(0, 16), secret: createSecretKey(bytes) };
}

function parseKey(line: string, source: string): MasterKey {
  const bytes = /^[0-9a-fA-F]{64}$/.test(line)
    ? Buffer.from(line, "hex")
    : Buffer.from(line, "base64");
  if (bytes.length === 32 && /^[\w+/=-]+$/.test(line)) return toMasterKey(bytes);
  const message = `${source} contains a line that is not an encryption key. Each line must have 64 hexadecimal digits, or 32 bytes in base64.`;
  throw new BelayError(refuse("encryption_key_wrong", message, { source }));
}
