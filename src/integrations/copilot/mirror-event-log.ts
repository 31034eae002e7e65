import { closeSync, fstatSync, fsyncSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../contract/is-record.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { appendLines } from "../../files/append-lines.ts";
import { openIfThere, openToAppend } from "../../files/open-file.ts";

const CHUNK = 64 * 1024;

/** `events.ndjson` of a workspace, to which many programs append and from which none removes. */
export function eventLogOf(cwd: string): string {
  return join(realpathSync(cwd), "events.ndjson");
}

/**
 * The seq of the newest event of a stream in the file; 0 if there is none. Read from the end, as long as lines are
 * younger than `since`: older ones cannot belong to that stream.
 */
export function lastSeqIn(path: string, entity_id: string, since: number): number {
  const file = openIfThere(path);
  if (file === null) return 0;
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

/** Appends to the log durably. Returns its size. */
export function appendToLog(path: string, lines: readonly string[]): number {
  const file = lines.length > 0 ? openToAppend(path) : openIfThere(path);
  if (file === null) return 0;
  try {
    appendLines(file, path, lines);
    if (lines.length > 0) fsyncSync(file);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** Complete lines, newest first, one chunk at a time. */
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
  const time = isRecord(record) ? readInstant(String(record.timestamp)) : Number.NaN;
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}
