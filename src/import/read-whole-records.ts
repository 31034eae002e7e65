import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { isRecord } from "../contract/is-record.ts";
import { openFile } from "../files/open-file.ts";
import type { ReportDamage } from "./conversation.ts";
import { Pace } from "./pace.ts";
import type { Fields } from "./record-file.ts";

const CHUNK = 256 * 1024;
/** One conversation of an export. */
const LONGEST = 256 * 1024 * 1024;
const [QUOTE, BACKSLASH, OPEN, CLOSE, NEWLINE] = [34, 92, 123, 125, 10];

/**
 * The objects of a JSON document, or of the list that it is, one at a time: an export of hundreds of megabytes is never held
 * whole. An object that is damaged is reported and hides no others; a torn end costs only the last one.
 */
export async function* readWholeRecords(
  path: string,
  report: ReportDamage,
): AsyncGenerator<Fields> {
  const file = openFile(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(file);
    let [depth, line, start, from] = [0, 1, 0, 1];
    let [isQuoted, isEscaped] = [false, false];
    const pace = new Pace();
    for (let at = 0; at < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - at));
      const read = readSync(file, chunk, 0, chunk.length, at);
      if (read === 0) break;
      if (pace.isDue) await pace.rest();
      for (let n = 0; n < read; n += 1) {
        const code = chunk[n];
        if (code === NEWLINE) {
          line += 1;
          // No text of JSON holds one, so a text that is still open here has lost its end.
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
          if (depth === 0) {
            const record = parse(file, start, at + n + 1);
            if (record) yield record;
            else report({ file: path, line: from, why: "not a whole record" });
          }
        }
      }
      at += read;
    }
    if (depth > 0) report({ file: path, line: from, why: "the record has no end" });
  } finally {
    closeSync(file);
  }
}

function parse(file: number, start: number, end: number): Fields | null {
  if (end - start > LONGEST) return null;
  const bytes = Buffer.allocUnsafe(end - start);
  const read = readSync(file, bytes, 0, bytes.length, start);
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", 0, read));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
