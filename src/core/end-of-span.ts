import { readInstant } from "../contract/read-instant.ts";

const DAY = 24 * 3_600_000;
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;

/** The end of a half-open span. A date without a time means its whole day in UTC. */
export function endOfSpan(time: string): number {
  return readInstant(time) + (DATE_ONLY.test(time) ? DAY : 1);
}
