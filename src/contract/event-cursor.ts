import { z } from "zod";

/** A place in a log, right after the event with this seq; 0 is the start. */
export interface LogPlace {
  readonly seq: number;
  /** Names the event; null if the place names no particular event, so that nothing can be checked. */
  readonly digest: string | null;
}

export const LOG_START: LogPlace = { seq: 0, digest: null };

/** A seq, or the cursor of an event: SEQ-FFFFFFFF, with a digest of eight hexadecimal digits. */
const SEQ_OR_CURSOR = /^(?:\d{1,15}|[1-9]\d{0,14}-[0-9a-f]{8})$/;

const RULE = "must be the seq or the cursor of an event, such as 12 or 12-0a1b2c3d";

export const SeqOrCursor = z.union([z.number().int().min(0), z.string().regex(SEQ_OR_CURSOR)], {
  error: RULE,
});

export function writeEventCursor(seq: number, digest: string): string {
  return `${seq}-${digest}`;
}

/** Null for anything but a seq or a cursor. */
export function readLogPlace(after: unknown): LogPlace | null {
  const parsed = SeqOrCursor.safeParse(after);
  if (!parsed.success) return null;
  const [seq, digest = null] = String(parsed.data).split("-");
  return { seq: Number(seq), digest };
}
