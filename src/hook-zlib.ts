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
  table ??= Int32Array.from({ length: 256 }, (_, byte) => remainderOf(byte));
  let sum = ~start;
  for (const byte of bytes) sum = (table[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return ~sum >>> 0;
}

function remainderOf(byte: number): number {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
}
