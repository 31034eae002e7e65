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
