/**
 * Parses a time as people, agents and other tools write it, to milliseconds. A time without a zone
 * is UTC, whatever the machine's zone is.
 */
export function readInstant(text: string): number {
  if (text.length > LONGEST) return Number.NaN;
  return Date.parse(ISO_DATE.test(text) || ZONED.test(text) ? text : `${text}Z`);
}

/** No valid time is longer. Longer texts are not searched for a zone. */
const LONGEST = 100;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const ZONED = /:\d{2}.*(?:Z|UTC|GMT|[ECMP][SD]T|[+-]\d{2}:?\d{2})(?: \(.*\))?$/i;
