import { Transform } from "node:stream";

/** Bytes of the longest message; over HTTP a body may be as long. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

const KEPT = 4096;
const NEWLINE = 10;

/**
 * Passes lines on, each whole. A line that is too long is dropped as it comes, never kept: `onTooLong` hears of it when it
 * ends, with the id of the request that it was, where that can be told.
 */
export function limitLines(onTooLong: (id: string | number | null) => void): Transform {
  let parts: Buffer[] = [];
  let size = 0;
  /** Beginning and end of a line that is being dropped. */
  let dropped: { readonly start: Buffer; end: Buffer } | null = null;

  const add = (part: Buffer): void => {
    if (dropped) {
      dropped.end = Buffer.concat([dropped.end, part]).subarray(-KEPT);
      return;
    }
    parts.push(part);
    size += part.length;
    if (size <= MAX_LINE_BYTES) return;
    const line = Buffer.concat(parts);
    dropped = {
      start: Buffer.from(line.subarray(0, KEPT)),
      end: Buffer.from(line.subarray(-KEPT)),
    };
    parts = [];
  };
  const end = (stream: Transform): void => {
    if (dropped) onTooLong(findId(String(dropped.start), String(dropped.end)));
    else for (const part of parts) stream.push(part);
    parts = [];
    size = 0;
    dropped = null;
  };

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at + 1));
        end(this);
        from = at + 1;
      }
      if (from < chunk.length) add(chunk.subarray(from));
      done();
    },
  });
}

/** Only where it cannot be a key of something inside: before anything is opened, or as the last member. */
function findId(start: string, end: string): string | number | null {
  const found = FIRST.exec(start)?.[1] ?? LAST.exec(end)?.[1];
  if (found === undefined) return null;
  return found.startsWith('"') ? found.slice(1, -1) : Number(found);
}

const FIRST = /^\s*\{[^{}[\]\\]*"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*[,}]/;
const LAST = /"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*\}\s*$/;
