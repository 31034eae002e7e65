import { closeSync, openSync, readSync } from "node:fs";
import { sha256 } from "./files/sha256.ts";

/**
 * What hooks use of node:crypto, without it: loading that module takes longer than the rest of a hook. The hooks' bundle has
 * this file in its place. What is more than that in all is left to the real one, which is faster once it is there.
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

/** From the system's own source, of which node:crypto takes only a seed. */
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
