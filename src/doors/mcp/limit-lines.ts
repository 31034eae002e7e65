import { Transform } from "node:stream";
import { LineSplitter } from "../../files/line-splitter.ts";

/** The largest message in bytes, as large as an HTTP body may be. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/**
 * Passes on complete lines. A line that is too long is dropped as it arrives and never stored: `onTooLong` is called at
 * its end, with the id of the request if it can be found.
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

/** Only matches where it cannot be a key of a nested value: before anything is opened, or as the last member. */
function findId(start: string, end: string): string | number | null {
  const found = FIRST.exec(start)?.[1] ?? LAST.exec(end)?.[1];
  if (found === undefined) return null;
  return found.startsWith('"') ? found.slice(1, -1) : Number(found);
}

const FIRST = /^\s*\{[^{}[\]\\]*"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*[,}]/;
const LAST = /"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*\}\s*$/;
