/**
 * Parses a time as people, agents and other tools write it, to milliseconds. A time without a zone
 * is UTC, whatever the machine's zone is.
 */
export function readInstant(text: string): number {
  if (text.length > LONGEST) return Number.NaN;
  return Date.parse(ISO_DATE.test(text) || ZONED.test(text) ? text : `${text}Z`);
}

/** Hours, days or weeks from now. */
export const SPAN_PATTERN = /^([1-9]\d{0,3})([hdw])$/;
const HOURS = { h: 1, d: 24, w: 7 * 24 } as const;

/** The same for a time that may also be written as a span from now. */
export function readUntil(text: string, now: number): number {
  const [, count, unit] = SPAN_PATTERN.exec(text) ?? [];
  const hours = unit === "h" || unit === "d" || unit === "w" ? HOURS[unit] : null;
  return hours === null ? readInstant(text) : now + Number(count) * hours * 3_600_000;
}

/** No valid time is longer. Longer texts are not searched for a zone. */
const LONGEST = 100;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const ZONED = /:\d{2}.*(?:Z|UTC|GMT|[ECMP][SD]T|[+-]\d{2}:?\d{2})(?: \(.*\))?$/i;
