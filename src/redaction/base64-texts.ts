/** A text that another text contains in base64, and the mapping of its offsets to the outer text. */
interface EncodedText {
  /** One character for each byte. */
  readonly text: string;
  /** The part of the outer text that contains these bytes. */
  rangeOf(start: number, end: number): { readonly start: number; readonly end: number };
}

/** The texts that a text contains in base64. Other bytes, such as images, are left out. */
export function* base64Texts(text: string): Generator<EncodedText> {
  for (const { start, end } of base64Runs(text)) {
    const run = text.slice(start, end);
    if (isText(Buffer.from(run.slice(0, SAMPLE), "base64"))) yield decode(run, start);
    const path = pathLength(run);
    // The first line is shorter than the others.
    if (path > 0) yield decode(run.slice(path).replace(OTHER_LINES, ""), start + path);
  }
}

function decode(run: string, index: number): EncodedText {
  const line = run.search(/[\r\n]/);
  const broken = line < 0 ? 0 : run.indexOf("\n") + 1 - line;
  // Offsets count the characters of the line breaks too.
  const place = (digit: number) =>
    index + digit + (line < 0 ? 0 : Math.floor(digit / line) * broken);
  return {
    text: Buffer.from(run, "base64").toString("latin1"),
    rangeOf: (start, end) => ({
      start: place(Math.floor(start / 3) * 4),
      end: Math.min(index + run.length, place(Math.ceil(end / 3) * 4 - 1) + 1),
    }),
  };
}

/** The length of a path before the base64 of a text, because paths consist of base64 digits too; 0 if there is none. */
function pathLength(run: string): number {
  for (let at = run.indexOf("/"); at >= 0 && at < LONGEST_PATH; at = run.indexOf("/", at + 1)) {
    const sample = run.slice(at + 1, at + 1 + SHORTEST);
    if (sample.length === SHORTEST && isPlain(Buffer.from(sample, "base64"))) return at + 1;
  }
  return 0;
}

const LONGEST_PATH = 200;
const SHORTEST = 16;
const OTHER_LINES = /[\r\n].*/s;
const SAMPLE = 64;
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

/** Text in ASCII. */
function isPlain(bytes: Uint8Array): boolean {
  return isText(bytes) && bytes.every((byte) => byte < 127);
}
