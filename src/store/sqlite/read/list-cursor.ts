import { invalidCursor } from "../../page-rules.ts";

/** A position in the order of lists: newest activity first, then the youngest stream first. */
export interface ListPosition {
  readonly activity: number;
  readonly sid: number;
}

/** The position before all streams. */
export const LIST_START: ListPosition = {
  activity: Number.MAX_SAFE_INTEGER,
  sid: Number.MAX_SAFE_INTEGER,
};

export function isBefore(a: ListPosition, b: ListPosition): boolean {
  return a.activity === b.activity ? a.sid > b.sid : a.activity > b.activity;
}

export function writeListCursor({ activity, sid }: ListPosition): string {
  return Buffer.from(`${activity} ${sid}`).toString("base64url");
}

export function readListCursor(cursor: string): ListPosition {
  const text = Buffer.from(cursor, "base64url").toString();
  const [, activity, sid] = /^(-?\d{1,16}) (\d{1,16})$/.exec(text) ?? [];
  if (activity !== undefined && sid !== undefined) {
    return { activity: Number(activity), sid: Number(sid) };
  }
  throw invalidCursor(cursor);
}
