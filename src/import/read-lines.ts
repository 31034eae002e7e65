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

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

/** The non-empty lines of an open file up to `size`, with one chunk and one line in memory at a time. */
export function* readLines(file: number, size: number, longest: number): Generator<FileLine> {
  let pieces: Buffer[] = [];
  let held = 0;
  let isTooLong = false;
  let line = 1;
  let start = 0;
  const finish = (end: number, closed: boolean): FileLine => {
    const found = { bytes: isTooLong ? null : Buffer.concat(pieces), line, start, end, closed };
    [pieces, held, isTooLong] = [[], 0, false];
    return found;
  };
  const hold = (piece: Buffer): void => {
    held += piece.length;
    if (held > longest) [pieces, isTooLong] = [[], true];
    else if (piece.length > 0) pieces.push(piece);
  };
  for (let at = 0; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - at));
    const read = readSync(file, chunk, 0, chunk.length, at);
    if (read === 0) break;
    const bytes = chunk.subarray(0, read);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      hold(bytes.subarray(from, end));
      if (held > 0) yield finish(at + end + 1, true);
      from = end + 1;
      start = at + from;
      line += 1;
    }
    hold(bytes.subarray(from));
    at += read;
  }
  if (held > 0) yield finish(size, false);
}
