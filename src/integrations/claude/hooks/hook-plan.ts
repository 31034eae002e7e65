import type { NotesOf } from "../describe-for-resume.ts";
import type { Sighting } from "../record-sighting.ts";

/** The work for a payload: a sighting to record, notes to return, or neither. */
export interface HookPlan {
  readonly sighting: Sighting | null;
  readonly notes: NotesRequest | null;
}

/** Notes about earlier work, as the answer to an event. */
export interface NotesRequest {
  readonly event: string;
  readonly of: NotesOf;
}

export const NOTHING: HookPlan = { sighting: null, notes: null };

export interface Surroundings {
  now(): number;
  newId(): string;
}
