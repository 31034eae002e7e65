import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isRecord } from "../core/deep-equal.ts";
import { inside } from "./mirror-folder.ts";

const CHUNK = 64 * 1024;

/** `events.ndjson` of a workspace, to which many append and from which nobody takes away. */
export function eventLogOf(cwd: string): string {
  const path = join(cwd, "events.ndjson");
  if (isLink(path) && !existsSync(path)) throw new Error(`${path} leads nowhere`);
  return inside(cwd, path);
}

/**
 * The place in its own log of the newest event that the file has of a stream; 0: none. Read from the end, as far as
 * lines are younger than `since`: what is older cannot be of that stream.
 */
export function lastSeqIn(path: string, entity_id: string, since: number): number {
  if (!existsSync(path)) return 0;
  const file = openRegular(path, constants.O_RDONLY);
  try {
    const needle = Buffer.from(`"entity_id":"${entity_id}"`);
    for (const chunk of linesFromEnd(file)) {
      for (const line of chunk) {
        const seq = line.includes(needle) ? seqOf(line, entity_id) : null;
        if (seq !== null) return seq;
      }
      if (timeOf(chunk.at(-1)) < since) return 0;
    }
    return 0;
  } finally {
    closeSync(file);
  }
}

/** One write per line; what another left unfinished at the end is given its end first. Answers the size of the file. */
export function appendLines(path: string, lines: readonly string[]): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_RDONLY } = constants;
  if (lines.length === 0 && !existsSync(path)) return 0;
  const file = openRegular(path, lines.length > 0 ? O_RDWR | O_APPEND | O_CREAT : O_RDONLY);
  try {
    for (const [nth, line] of lines.entries()) {
      const whole = Buffer.from(`${nth === 0 && isTorn(file) ? "\n" : ""}${line}\n`);
      // A part of a line is damage that the next append ends; the line itself then comes again.
      if (writeSync(file, whole) < whole.length) throw new Error(`${path} is full`);
    }
    if (lines.length > 0) fsyncSync(file);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** Anything else under that name, such as a pipe, could hold us for ever. */
function openRegular(path: string, flags: number): number {
  const file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error(`${path} is no file`);
}

function isTorn(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

/** Whole lines, newest first, as many at once as a chunk holds. */
function* linesFromEnd(file: number): Generator<readonly Buffer[]> {
  let end = fstatSync(file).size;
  let rest = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const chunk = Buffer.alloc(end - start);
    readSync(file, chunk, 0, chunk.length, start);
    const bytes = Buffer.concat([chunk, rest]);
    const first = start === 0 ? 0 : bytes.indexOf(0x0a) + 1;
    end = start;
    if (start > 0 && first === 0) {
      rest = bytes;
      continue;
    }
    rest = bytes.subarray(0, first);
    yield splitLines(bytes.subarray(first)).toReversed();
  }
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    lines.push(bytes.subarray(from, end < 0 ? bytes.length : end));
    from = end < 0 ? bytes.length : end + 1;
  }
  return lines;
}

function seqOf(line: Buffer, entity_id: string): number | null {
  const record = parse(line);
  if (!isRecord(record) || record.entity_id !== entity_id) return null;
  return typeof record.seq === "number" ? record.seq : null;
}

function timeOf(line: Buffer | undefined): number {
  const record = line && parse(line);
  const time = isRecord(record) ? Date.parse(String(record.timestamp)) : Number.NaN;
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
