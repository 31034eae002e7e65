import { Transform } from "node:stream";
import { LineSplitter } from "../../files/line-splitter.ts";

/** Bytes of the longest message; over HTTP a body may be as long. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/**
 * Passes lines on, each whole. A line that is too long is dropped as it comes, never kept: `onTooLong` hears of it when it
 * ends, with the id of the request that it was, where that can be told.
 */
export function limitLines(onTooLong: (id: string | number | null) => void): Transform {
  const lines = new LineSplitter(MAX_LINE_BYTES);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const line of lines.push(chunk)) {
        if (line.kind === "oversized") onTooLong(findId(line.head, line.tail));
        else this.push(Buffer.concat([line.bytes, NEWLINE]));
      }
      done();
    },
  });
}

const NEWLINE = Buffer.from("\n");

/** Only where it cannot be a key of something inside: before anything is opened, or as the last member. */
function findId(start: string, end: string): string | number | null {
  const found = FIRST.exec(start)?.[1] ?? LAST.exec(end)?.[1];
  if (found === undefined) return null;
  return found.startsWith('"') ? found.slice(1, -1) : Number(found);
}

const FIRST = /^\s*\{[^{}[\]\\]*"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*[,}]/;
const LAST = /"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*\}\s*$/;
