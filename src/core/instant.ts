/** Milliseconds of an ISO 8601 time. One without a zone is UTC, so that no machine's own zone plays a part. */
export function readInstant(text: string): number {
  const zoned = /^\d{4}-\d{2}-\d{2}$|(?:Z|[+-]\d{2}:?\d{2})$/.test(text);
  return Date.parse(zoned ? text : `${text}Z`);
}
