import { base64Texts } from "./base64-texts.ts";
import { decodedTexts } from "./decoded-texts.ts";
import { applyRules, type SecretRange } from "./secret-rules.ts";

/** The rules see this many characters at once; the overlap is longer than any secret. */
const WINDOW = 128 * 1024;
const OVERLAP = 24 * 1024;

/** The shortest part of a known value that is hidden at the end of a text. */
const SHORTEST_PART = 6;

/**
 * The secrets in a text: matches of the rules in the original and in the decoded text, and every known value. Sorted,
 * without overlaps.
 */
export function findSecrets(text: string, known: readonly string[]): SecretRange[] {
  return unite([...findDecoded(text, known, findInside)]);
}

type Find = (text: string, known: readonly string[]) => Iterable<SecretRange>;

function* findDecoded(text: string, known: readonly string[], find: Find): Generator<SecretRange> {
  for (const { text: decoded, startOf, endOf } of decodedTexts(text)) {
    for (const { start, end, rule } of find(decoded, known)) {
      if (end > start) yield { start: startOf(start), end: endOf(end - 1), rule };
    }
  }
}

/** Also looks into base64, but not into base64 in base64. */
function* findInside(text: string, known: readonly string[]): Generator<SecretRange> {
  yield* findIn(text, known);
  for (const { text: encoded, rangeOf } of base64Texts(text)) {
    for (const { start, end, rule } of findDecoded(encoded, known, findIn)) {
      if (end > start) yield { ...rangeOf(start, end), rule };
    }
  }
}

function* findIn(text: string, known: readonly string[]): Generator<SecretRange> {
  for (let from = 0; ; from += WINDOW - OVERLAP) {
    const window = text.slice(from, from + WINDOW);
    for (const { start, end, rule } of applyRules(window)) {
      yield { start: from + start, end: from + end, rule };
    }
    if (from + WINDOW >= text.length) break;
  }
  for (const value of known) yield* findKnown(text, value);
}

function* findKnown(text: string, value: string): Generator<SecretRange> {
  const rule = "known";
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
    yield { start: at, end: at + value.length, rule };
  }
  // A shortened text may end inside a known value.
  const end = text.endsWith("…") ? text.length - 1 : text.length;
  for (let length = value.length - 1; length >= SHORTEST_PART; length--) {
    if (!text.startsWith(value.slice(0, length), end - length)) continue;
    yield { start: end - length, end, rule };
    return;
  }
}

function unite(ranges: readonly SecretRange[]): SecretRange[] {
  const united: SecretRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = united.at(-1);
    if (!last || range.start >= last.end) united.push(range);
    else if (range.end > last.end) united[united.length - 1] = { ...last, end: range.end };
  }
  return united;
}
