import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { parseRecord } from "../contract/is-record.ts";
import { openFile } from "../files/open-file.ts";
import type { ReportDamage } from "./conversation.ts";
import { Pace } from "./pace.ts";
import { findExcess, readLimits } from "./read-limits.ts";
import type { Fields } from "./record-file.ts";
import { type DocumentShape, isTornApart, salvageDocument } from "./salvage-document.ts";

const CHUNK = 256 * 1024;
/** The size of the window that is searched at a time in a damaged file. */
const WINDOW = 16 * 1024 * 1024;
const [QUOTE, BACKSLASH, OPEN, CLOSE, NEWLINE] = [34, 92, 123, 125, 10];

/**
 * The objects of a JSON document, or of its list, one at a time: a large export is never in memory as a whole. Damage
 * is reported. After it, objects are found by their shape, so that it hides no others, and the intact parts of a
 * damaged one are kept.
 */
export async function* readWholeRecords(
  path: string,
  report: ReportDamage,
  shape: DocumentShape | null = null,
): AsyncGenerator<Fields> {
  const file = openFile(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(file);
    let [depth, line, start, from] = [0, 1, 0, 1];
    let [isQuoted, isEscaped] = [false, false];
    const pace = new Pace();
    const { document: longest } = readLimits;
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let at = 0; at < size; ) {
      const read = readSync(file, chunk, 0, Math.min(CHUNK, size - at), at);
      if (read === 0) break;
      if (pace.isDue) await pace.rest();
      for (let n = 0; n < read; n += 1) {
        const code = chunk[n];
        if (code === NEWLINE) {
          line += 1;
          // JSON strings contain no line break, so a string that is still open here has lost its end.
          [isQuoted, isEscaped] = [false, false];
        } else if (isEscaped) isEscaped = false;
        else if (isQuoted) {
          if (code === BACKSLASH) isEscaped = true;
          else if (code === QUOTE) isQuoted = false;
        } else if (code === QUOTE) isQuoted = depth > 0;
        else if (code === OPEN) {
          if (depth === 0) [start, from] = [at + n, line];
          depth += 1;
        } else if (code === CLOSE && depth > 0) {
          depth -= 1;
          if (depth > 0) continue;
          const bytes = at + n + 1 - start > longest ? null : readAt(file, start, at + n + 1);
          const excess = bytes ? findExcess(bytes) : `longer than ${longest} bytes`;
          if (!bytes || excess !== null) {
            report({ file: path, line: from, why: excess ?? "" });
            continue;
          }
          const record = parseRecord(bytes.toString("utf8"));
          if (shape && (!record || isTornApart(record, shape))) {
            return yield* salvage(file, { path, size, start, line: from }, shape, report);
          }
          if (record) {
            yield record;
            globalThis.gc?.();
          } else report({ file: path, line: from, why: "not a complete record" });
        }
      }
      at += read;
    }
    if (depth === 0) return;
    if (shape) yield* salvage(file, { path, size, start, line: from }, shape, report);
    else report({ file: path, line: from, why: "the record has no end" });
  } finally {
    closeSync(file);
  }
}

interface Rest {
  readonly path: string;
  readonly size: number;
  readonly start: number;
  readonly line: number;
}

/** The intact objects after the first damage. */
async function* salvage(
  file: number,
  { path, size, start, line: first }: Rest,
  shape: DocumentShape,
  report: ReportDamage,
): AsyncGenerator<Fields> {
  const narrow = Math.min(WINDOW, readLimits.document);
  let [at, line, window] = [start, first, narrow];
  while (at < size) {
    const bytes = readAt(file, at, Math.min(at + window, size));
    const isLast = at + window >= size;
    const text = bytes.toString("utf8");
    const salvaged = await salvageDocument(text, shape);
    // The last object may continue after this window.
    const kept = isLast ? salvaged : salvaged.slice(0, -1);
    if (kept.length === 0 && !isLast && window < readLimits.document) {
      window *= 4;
      continue;
    }
    let end = 0;
    for (const { record, isDamaged, ...found } of kept) {
      const where = line + countLines(text, found.start);
      if (isDamaged) report({ file: path, line: where, why: "not a complete record" });
      yield record;
      end = found.end;
    }
    if (isLast) {
      const open = text.indexOf("{", end);
      const where = line + countLines(text, open);
      if (open >= 0) report({ file: path, line: where, why: "the record has no end" });
      return;
    }
    if (kept.length === 0) end = text.length;
    line += countLines(text, end);
    at += Buffer.byteLength(text.slice(0, end));
    window = narrow;
  }
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1))
    lines += 1;
  return lines;
}

function readAt(file: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
}
