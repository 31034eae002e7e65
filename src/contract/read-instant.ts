/** Milliseconds of a time as people, agents and other tools write it. One without a zone is UTC, whatever zone the machine is in. */
export function readInstant(text: string): number {
  if (text.length > LONGEST) return Number.NaN;
  return Date.parse(ISO_DATE.test(text) || ZONED.test(text) ? text : `${text}Z`);
}

/** No written time is longer; a longer text is not searched for a zone. */
const LONGEST = 100;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const ZONED = /:\d{2}.*(?:Z|UTC|GMT|[ECMP][SD]T|[+-]\d{2}:?\d{2})(?: \(.*\))?$/i;
