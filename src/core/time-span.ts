const DAY = 24 * 3_600_000;
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;

/** Spans are half open. A date alone stands for its whole day, in UTC. */
export function startOfSpan(time: string): number {
  return Date.parse(time);
}

export function endOfSpan(time: string): number {
  return DATE_ONLY.test(time) ? Date.parse(time) + DAY : Date.parse(time) + 1;
}
