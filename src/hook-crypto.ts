import { closeSync, openSync, readSync } from "node:fs";
import { sha256 } from "./files/sha256.ts";

/**
 * The parts of node:crypto that hooks use, without loading it, which takes longer than the rest of a hook. The hooks'
 * bundle contains this file instead. Larger inputs use the real module, which is faster once loaded.
 */
const FEW_BYTES = 16 * 1024;
let hashed = 0;

type Data = string | Uint8Array;

export function hash(algorithm: "sha256", data: Data, encoding: BufferEncoding = "hex"): string {
  return createHash(algorithm).update(data).digest(encoding);
}

export function createHash(algorithm: "sha256") {
  const pieces: Buffer[] = [];
  const made = {
    update(data: Data) {
      pieces.push(typeof data === "string" ? Buffer.from(data) : Buffer.from(data));
      return made;
    },
    digest,
  };
  return made;

  function digest(): Buffer;
  function digest(encoding: BufferEncoding): string;
  function digest(encoding?: BufferEncoding): Buffer | string {
    const whole = Buffer.concat(pieces);
    hashed += whole.length;
    const sum =
      hashed > FEW_BYTES
        ? process.getBuiltinModule("node:crypto").createHash(algorithm).update(whole).digest()
        : sha256(whole);
    return encoding === undefined ? sum : sum.toString(encoding);
  }
}

/** Reads the system's own random source, which only seeds node:crypto. */
export function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  const file = openSync("/dev/urandom", "r");
  try {
    for (let done = 0; done < size; ) done += readSync(file, bytes, done, size - done, null);
  } finally {
    closeSync(file);
  }
  return bytes;
}

/** A version 4 UUID. */
export function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
