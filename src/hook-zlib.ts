import type * as zlib from "node:zlib";

/**
 * The parts of node:zlib that hooks use; the real module is only loaded for compression. The hooks' bundle contains
 * this file instead.
 */
const real = (): typeof zlib => process.getBuiltinModule("node:zlib");

export const deflateRawSync: typeof zlib.deflateRawSync = (...given) =>
  real().deflateRawSync(...given);
export const inflateRawSync: typeof zlib.inflateRawSync = (...given) =>
  real().inflateRawSync(...given);
export const zstdCompressSync: typeof zlib.zstdCompressSync = (...given) =>
  real().zstdCompressSync(...given);
export const zstdDecompressSync: typeof zlib.zstdDecompressSync = (...given) =>
  real().zstdDecompressSync(...given);

/** For longer texts, loading the real module pays. */
const LONG = 16 * 1024;
let table: Int32Array | undefined;

export function crc32(data: string | Uint8Array, start = 0): number {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  if (bytes.length > LONG) return real().crc32(bytes, start);
  table ??= remainders();
  let sum = ~start;
  for (let at = 0; at < bytes.length; at += 1) {
    sum = (table[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (sum >>> 8);
  }
  return ~sum >>> 0;
}

/** The remainder of each byte: those of single bits, combined. */
function remainders(): Int32Array {
  const all = new Int32Array(256);
  let rest = 1;
  for (let bit = 128; bit > 0; bit >>= 1) {
    rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    for (let byte = 0; byte < 256; byte += 2 * bit) all[byte + bit] = rest ^ (all[byte] ?? 0);
  }
  return all;
}
