import { readSync } from "node:fs";

interface FileLine {
  /** Null for a line that is too long. */
  readonly bytes: Buffer | null;
  /** Counted from 1. */
  readonly line: number;
  /** Byte offsets in the file; `end` is after the newline. */
  readonly start: number;
  readonly end: number;
  /** False for a last line without an end: its writer may not have finished it. */
  readonly closed: boolean;
}

const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * The non-empty lines of an open file up to `size`, with one chunk and one line in memory at a time. Null after each
 * chunk, so that a reader of empty lines can let others work.
 */
export function* readLines(
  file: number,
  size: number,
  longest: number,
): Generator<FileLine | null> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let [line, start, at] = [1, 0, 0];
  const take = (stop: number, end: number, closed: boolean): FileLine => {
    if (stop - start > longest) return { bytes: null, line, start, end, closed };
    // A line of many chunks is read again as a whole, which takes the least memory.
    const isHere = start >= at;
    const bytes = isHere
      ? Buffer.from(chunk.subarray(start - at, stop - at))
      : readAt(file, start, stop);
    return { bytes, line, start, end, closed };
  };
  while (at < size) {
    const read = readSync(file, chunk, 0, Math.min(CHUNK, size - at), at);
    if (read === 0) break;
    const bytes = chunk.subarray(0, read);
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start - at)) {
      if (at + end > start) yield take(at + end, at + end + 1, true);
      start = at + end + 1;
      line += 1;
      // A search for each of very many empty lines would take minutes.
      for (; bytes[start - at] === NEWLINE; start += 1) line += 1;
    }
    at += read;
    yield null;
  }
  // The last chunk counts as read, so the rest is read again.
  if (start < at) yield take(at, size, false);
}

function readAt(file: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
}
