import { decodedTexts } from "./decoded-texts.ts";
import { applyRules, type SecretRange } from "./secret-rules.ts";

/** Characters that the rules see at once, and how many of them the next look sees again: no secret is longer than those. */
const WINDOW = 128 * 1024;
const OVERLAP = 24 * 1024;

/** Shortest part of a known value that is hidden where a text ends with it. */
const SHORTEST_PART = 6;

/**
 * The secrets in a text: what the rules find in it as it stands and with its escapes resolved, and every known value.
 * In order, none overlaps another.
 */
export function findSecrets(text: string, known: readonly string[]): SecretRange[] {
  const found: SecretRange[] = [];
  for (const { text: decoded, startOf, endOf } of decodedTexts(text)) {
    for (const { start, end, rule } of findIn(decoded, known)) {
      if (end > start) found.push({ start: startOf(start), end: endOf(end - 1), rule });
    }
  }
  return unite(found);
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
  // A text that was cut to a length may end inside of it.
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
