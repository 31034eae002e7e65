/**
 * The end of a question's id, with which a person can name it: the ids of one minute start alike. Null for an id that
 * another program has chosen.
 */
export function questionEnding(approval_id: string): string | null {
  return /[0-9a-f]{8}$/.exec(approval_id)?.[0] ?? null;
}

/** The kind of the rows that find the questions of a session by the end of their ids. */
export const ENDING_ROW = "ending";

/** The name that finds the sessions with such questions. */
export function endingName(ending: string): string {
  return `ending:${ending}`;
}
