const FIRST_MS = 5000;
const LONGEST_MS = 3_600_000;

/** How long one event is tried before a person has to look. */
export const PATIENCE_MS = 24 * 3_600_000;

/** Twice as long after each failure, up to an hour. Not all at the same moment: `random` is from 0 to 1. */
export function nextTry(now: number, attempt: number, random: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(now + longest * (0.5 + random / 2));
}
