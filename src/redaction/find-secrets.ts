import { LIMITS } from "../contract/limits.ts";
import { base64Texts } from "./base64-texts.ts";
import { DEEPEST_ESCAPES, decodeOnce, plainText } from "./decoded-texts.ts";
import { applyRules, type SecretRange } from "./secret-rules.ts";
import type { Steps } from "./steps.ts";

/** The rules see this many characters at once; the overlap is longer than any secret. */
const WINDOW = 128 * 1024;
const OVERLAP = 24 * 1024;

/** The shortest part of a known value that is hidden where Belay has cut a text. */
const SHORTEST_PART = 6;
/** The sizes at which Belay cuts titles, names, errors and summaries. */
const CUTS: readonly number[] = [
  LIMITS.FIRST_TITLE,
  LIMITS.AGENT,
  LIMITS.TITLE,
  LIMITS.ERROR,
  LIMITS.SUMMARY,
];
/** The JSON bytes of the longest character. */
const CHARACTER = 6;

/**
 * The secrets in a text: matches of the rules in the original and in the decoded text, and every known value. Sorted,
 * without overlaps. Adds the known values that it finds to `met`.
 */
export function* findSecrets(
  text: string,
  values: readonly string[],
  met = new Set<string>(),
): Steps<SecretRange[]> {
  return unite(yield* findDecoded(text, { values, met }, findInside));
}

interface Known {
  readonly values: readonly string[];
  readonly met: Set<string>;
}

type Find = (text: string, known: Known) => Steps<SecretRange[]>;

/** Looks at the text itself, then with its escapes decoded once, twice and so on, as long as there are any. */
function* findDecoded(text: string, known: Known, find: Find): Steps<SecretRange[]> {
  const found = (yield* find(text, known)).filter(({ start, end }) => end > start);
  let decoded = yield* decodeOnce(plainText(text));
  for (let depth = 1; decoded; depth += 1) {
    const { text: inside, startOf, endOf } = decoded;
    for (const { start, end, rule } of yield* find(inside, known)) {
      if (end > start) found.push({ start: startOf(start), end: endOf(end - 1), rule });
    }
    decoded = depth < DEEPEST_ESCAPES ? yield* decodeOnce(decoded) : null;
  }
  return found;
}

/** Also looks into base64, but not into base64 in base64. */
function* findInside(text: string, known: Known): Steps<SecretRange[]> {
  const found = yield* findIn(text, known);
  for (const { text: encoded, rangeOf } of base64Texts(text)) {
    for (const { start, end, rule } of yield* findDecoded(encoded, known, findIn)) {
      if (end > start) found.push({ ...rangeOf(start, end), rule });
    }
  }
  return found;
}

function* findIn(text: string, known: Known): Steps<SecretRange[]> {
  const found: SecretRange[] = [];
  for (let from = 0; ; from += WINDOW - OVERLAP) {
    const window = text.slice(from, from + WINDOW);
    for (const { start, end, rule } of applyRules(window)) {
      found.push({ start: from + start, end: from + end, rule });
    }
    yield;
    if (from + WINDOW >= text.length) break;
  }
  for (const value of known.values) {
    for (const range of findKnown(text, value)) {
      found.push(range);
      known.met.add(value);
    }
    yield;
  }
  return found;
}

function* findKnown(text: string, value: string): Generator<SecretRange> {
  const rule = "known";
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
    yield { start: at, end: at + value.length, rule };
  }
  if (!isCut(text)) return;
  const end = text.length - 1;
  for (let length = value.length - 1; length >= SHORTEST_PART; length--) {
    if (!text.startsWith(value.slice(0, length), end - length)) continue;
    yield { start: end - length, end, rule };
    return;
  }
}

/**
 * True for a text that is as long as Belay makes it when it cuts one. If parts of values were hidden in other texts too,
 * a writer of texts could guess a value character by character.
 */
function isCut(text: string): boolean {
  if (!text.endsWith("…") || text.length > Math.max(...CUTS)) return false;
  const bytes = Buffer.byteLength(JSON.stringify(text)) - 2;
  return CUTS.some((most) => bytes <= most && bytes > most - CHARACTER);
}

function unite(ranges: SecretRange[]): SecretRange[] {
  const united: SecretRange[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = united.at(-1);
    if (!last || range.start >= last.end) united.push(range);
    else if (range.end > last.end) united[united.length - 1] = { ...last, end: range.end };
  }
  return united;
}
