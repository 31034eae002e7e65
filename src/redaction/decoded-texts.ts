/** A text with its escapes decoded, and the mapping of its offsets to the original text. */
interface DecodedText {
  readonly text: string;
  /** The start of this character in the original text. */
  startOf(place: number): number;
  /** The end of this character in the original text. */
  endOf(place: number): number;
}

const ESCAPE =
  /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'`\\/bfnrt])|%[0-9a-fA-F]{2}|&(?:quot|amp|apos|lt|gt|#\d{2,3}|#x[0-9a-fA-F]{2});/g;

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

/**
 * The original text, then with escapes of JSON, URLs and HTML decoded once, twice and so on, as long as there are any.
 */
export function* decodedTexts(text: string): Generator<DecodedText> {
  let decoded: DecodedText = { text, startOf: (place) => place, endOf: (place) => place + 1 };
  yield decoded;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next = decodeOnce(decoded);
    if (!next) return;
    decoded = next;
    yield decoded;
  }
}

/** JSON in JSON in a URL is three deep. */
const DEEPEST = 4;

/** Null if there is nothing to decode. */
function decodeOnce(from: DecodedText): DecodedText | null {
  const { text } = from;
  const pieces: string[] = [];
  // For each escape: the offset of its character in the decoded text, and its end in the previous one.
  const places: number[] = [];
  const ends: number[] = [];
  let last = 0;
  let length = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const plain = text.slice(last, match.index);
    pieces.push(plain, resolve(match[0]));
    length += plain.length;
    places.push(length);
    length += 1;
    last = match.index + match[0].length;
    ends.push(last);
  }
  if (places.length === 0) return null;
  pieces.push(text.slice(last));

  /** The offset in the previous text of the character at an offset. */
  const before = (place: number): number => {
    const nth = lastAtOrBefore(places, place - 1);
    const [at, end] = [places[nth], ends[nth]];
    return at === undefined || end === undefined ? place : end + (place - at - 1);
  };
  return {
    text: pieces.join(""),
    startOf: (place) => from.startOf(before(place)),
    endOf: (place) => from.endOf(before(place + 1) - 1),
  };
}

function resolve(escaped: string): string {
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
