import type { Steps } from "./steps.ts";

/** A text with its escapes decoded, and the mapping of its offsets to the original text. */
interface DecodedText {
  readonly text: string;
  /** The start of this character in the original text. */
  startOf(place: number): number;
  /** The end of this character in the original text. */
  endOf(place: number): number;
}

const WRITTEN =
  /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'`\\/bfnrt])|%[0-9a-fA-F]{2}|&(?:quot|amp|apos|lt|gt|#\d{2,3}|#x[0-9a-fA-F]{2});/;
/** The character that starts the colors of a terminal. */
const COLOR = "\u001b";
const NO_WIDTH = "\u00ad\u200b\u2060\ufeff";
/** These show nothing, and their letters would look like the start of the next word. */
const INVISIBLE = `${COLOR}(?:\\[[\\d;:]{0,40}[A-Za-z]|\\([0-9A-Z])|[${NO_WIDTH}]`;
const INVISIBLE_STARTS: ReadonlySet<string> = new Set(COLOR + NO_WIDTH);
const ESCAPE = new RegExp(`${WRITTEN.source}|${INVISIBLE}`, "y");
const FIRST = new RegExp(`[\\\\%&${COLOR}${NO_WIDTH}]`, "g");

const LETTERS: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  amp: "&",
  apos: "'",
  lt: "<",
  gt: ">",
};

/** JSON in JSON in a URL is three deep. */
export const DEEPEST_ESCAPES = 4;

/** A place is noted after this many escapes, because every place would take more memory than the text. */
const NOTED = 64;

/** A text as it is. */
export function plainText(text: string): DecodedText {
  return { text, startOf: (place) => place, endOf: (place) => place + 1 };
}

/** The text with escapes of JSON, URLs and HTML decoded once. Null if there is nothing to decode. */
export function* decodeOnce(from: DecodedText): Steps<DecodedText | null> {
  const { text } = from;
  let start = findEscape(text, 0);
  if (start === text.length) return null;
  const joined: string[] = [];
  let pieces: string[] = [];
  // Every so many escapes: the length of the decoded text so far, and the place in the previous one.
  const lengths = [0];
  const places = [0];
  let length = 0;
  let last = 0;
  for (let count = 1; start < text.length; count += 1) {
    pieces.push(text.slice(last, start), resolve(text.slice(start, ESCAPE.lastIndex)));
    length += start - last + widthAt(text, start);
    last = ESCAPE.lastIndex;
    if (count % NOTED === 0) {
      lengths.push(length);
      places.push(last);
      joined.push(pieces.join(""));
      pieces = [];
      yield;
    }
    start = findEscape(text, last);
  }
  joined.push(...pieces, text.slice(last));

  /** The offset in the previous text of the character at an offset; by choice after the invisible ones before it. */
  const before = (place: number, isAfter = false): number => {
    const nth = lastAtOrBefore(lengths, place);
    let [end = 0, next = 0] = [lengths[nth], places[nth]];
    for (let at = findEscape(text, next); ; at = findEscape(text, next)) {
      const passed = end + at - next;
      if (passed > place || (passed === place && !(isAfter && widthAt(text, at) === 0))) break;
      end += at - next + widthAt(text, at);
      next = ESCAPE.lastIndex;
    }
    return next + place - end;
  };
  return {
    text: joined.join(""),
    startOf: (place) => from.startOf(before(place, true)),
    endOf: (place) => from.endOf(before(place + 1) - 1),
  };
}

/**
 * The offset of the next escape, or the end of the text. ESCAPE.lastIndex is then its end. Patterns are only tested here,
 * because a match takes a hundred times the memory of an escape.
 */
function findEscape(text: string, from: number): number {
  FIRST.lastIndex = from;
  while (FIRST.test(text)) {
    const start = FIRST.lastIndex - 1;
    ESCAPE.lastIndex = start;
    if (ESCAPE.test(text)) return start;
  }
  return text.length;
}

/** The length of the text that an escape stands for. */
function widthAt(text: string, start: number): number {
  return INVISIBLE_STARTS.has(text.charAt(start)) ? 0 : 1;
}

function resolve(escaped: string): string {
  if (widthAt(escaped, 0) === 0) return "";
  if (escaped.startsWith("%")) return fromCode(escaped.slice(1), 16);
  if (escaped.startsWith("&")) {
    const name = escaped.slice(1, -1);
    if (name.startsWith("#x")) return fromCode(name.slice(2), 16);
    if (name.startsWith("#")) return fromCode(name.slice(1), 10);
    return ENTITIES[name] ?? " ";
  }
  const letter = escaped.charAt(1);
  if (letter === "u" || letter === "x") return fromCode(escaped.slice(2), 16);
  return LETTERS[letter] ?? letter;
}

function fromCode(digits: string, radix: number): string {
  return String.fromCharCode(Number.parseInt(digits, radix));
}

/** The index of the last value that is at most `most`, -1 if there is none. The values are sorted. */
function lastAtOrBefore(values: readonly number[], most: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
