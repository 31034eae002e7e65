import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readSync,
  writeSync,
} from "node:fs";
import { createFile, openFile, openIfThere } from "../../../files/open-file.ts";
import { damaged } from "./files-error.ts";

/** Opens a file that a commit names. Throws `damaged` if it is missing. */
export function openCommitted(path: string, stream: string | null): number {
  const file = openIfThere(path);
  if (file === null) throw damaged(stream, `${path} is missing`);
  return file;
}

/** The bytes between two places. Throws `damaged` if the file ends before. */
export function readRange(path: string, from: number, to: number, stream: string | null): Buffer {
  const file = openCommitted(path, stream);
  try {
    return readFrom(file, path, from, to, stream);
  } finally {
    closeSync(file);
  }
}

export function readFrom(
  file: number,
  path: string,
  from: number,
  to: number,
  stream: string | null,
): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(file, bytes, done, bytes.length - done, from + done);
    if (count === 0) throw damaged(stream, `${path} ends at byte ${from + done}, not at ${to}`);
    done += count;
  }
  return bytes;
}

/** All lines that end with a newline. */
export function linesIn(bytes: Buffer): string[] {
  const lines = bytes.toString("utf8").split("\n");
  lines.pop();
  return lines;
}

/** False leaves writing to the system: what a process wrote survives its end, but not a power cut. */
export interface Syncing {
  readonly sync: boolean;
}

/** Null if there is no such file. */
export function identify(path: string): { readonly ino: number; readonly size: number } | null {
  const file = openIfThere(path);
  if (file === null) return null;
  try {
    const { ino, size } = fstatSync(file);
    return { ino, size };
  } finally {
    closeSync(file);
  }
}

/**
 * Writes at a place, after removing everything behind it, which was never committed. Returns once the bytes are on disk.
 */
export function writeAt(path: string, at: number, bytes: Uint8Array, { sync }: Syncing): void {
  const file = at === 0 ? openOrCreate(path) : openFile(path, constants.O_RDWR);
  try {
    const { size } = fstatSync(file);
    if (size < at) throw damaged(null, `${path} ends at byte ${size}, not at ${at}`);
    if (size > at) ftruncateSync(file, at);
    writeAll(file, bytes, at);
    if (sync) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function writeAll(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
  }
}

export function openOrCreate(path: string): number {
  const found = openIfThere(path);
  if (found === null) closeSync(createFile(path));
  else closeSync(found);
  // A file in append mode would ignore the place.
  return openFile(path, constants.O_RDWR);
}
