/** A text that stands in another one in base64, and the mapping of its offsets to that one. */
interface EncodedText {
  /** One character for each byte. */
  readonly text: string;
  /** The part of the outer text that contains these bytes. */
  rangeOf(start: number, end: number): { readonly start: number; readonly end: number };
}

/** The texts that stand in a text in base64. Other bytes, such as images, are left out. */
export function* base64Texts(text: string): Generator<EncodedText> {
  for (const { start, end } of base64Runs(text)) {
    const whole = text.slice(start, end);
    const before = findText(whole);
    if (before === null) continue;
    const index = start + before;
    // After a path, the first line is shorter than the others.
    const run = before === 0 ? whole : (whole.slice(before).match(ONE_LINE)?.[0] ?? "");
    const bytes = Buffer.from(run, "base64");
    const line = run.search(/[\r\n]/);
    const broken = line < 0 ? 0 : run.indexOf("\n") + 1 - line;
    // Offsets count the characters of the line breaks too.
    const place = (digit: number) =>
      index + digit + (line < 0 ? 0 : Math.floor(digit / line) * broken);
    yield {
      text: bytes.toString("latin1"),
      rangeOf: (start, end) => ({
        start: place(Math.floor(start / 3) * 4),
        end: Math.min(index + run.length, place(Math.ceil(end / 3) * 4 - 1) + 1),
      }),
    };
  }
}

/** The offset at which base64 of a text starts: at the start of a run, or after a path; null if there is none. */
function findText(run: string): number | null {
  for (let start = 0; ; ) {
    const sample = run.slice(start, start + SAMPLE);
    if (sample.length >= SHORTEST && isText(Buffer.from(sample, "base64"))) return start;
    const slash = run.indexOf("/", start);
    if (slash < 0) return null;
    start = slash + 1;
  }
}

const SAMPLE = 64;
const SHORTEST = 16;
const ONE_LINE = /^[^\r\n]*/;
/** The lines that programs break base64 into. */
const LINES: ReadonlySet<number> = new Set([64, 76]);
const MOST_LINES = 10_000;

const DIGITS = /[A-Za-z0-9+/_-]{16}/g;
const OTHER = /[^A-Za-z0-9+/_-]/g;
const LINE_BREAK_AND_DIGITS = /\r?\n(?=[A-Za-z0-9+/_-]{16})/y;
const PADDING = /={0,2}/y;

/**
 * Everything that may be base64 of either alphabet, in one piece or in lines. One pattern for all of this would remember
 * each character on the way, which takes 16 times the memory of the text.
 */
function* base64Runs(text: string): Generator<{ readonly start: number; readonly end: number }> {
  let start = findFrom(DIGITS, text, 0);
  while (start < text.length) {
    let end = findFrom(OTHER, text, start);
    let line = start;
    for (let lines = 0; lines < MOST_LINES && LINES.has(end - line); lines += 1) {
      line = matchAt(LINE_BREAK_AND_DIGITS, text, end);
      if (line === end) break;
      end = findFrom(OTHER, text, line);
    }
    end = matchAt(PADDING, text, end);
    yield { start, end };
    start = findFrom(DIGITS, text, end);
  }
}

/** The offset of the first match at or after an offset, or the end of the text. */
function findFrom(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** The end of a match at this offset; the offset itself if there is none. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13);
}
