import type { NotesOf } from "../describe-for-resume.ts";
import type { Sighting } from "../record-sighting.ts";

/** What a payload asks for: something to put down, something to answer, or neither. */
export interface HookPlan {
  readonly sighting: Sighting | null;
  readonly notes: NotesRequest | null;
}

/** Notes on earlier work, as the answer to an event. */
export interface NotesRequest {
  readonly event: string;
  readonly of: NotesOf;
}

export const NOTHING: HookPlan = { sighting: null, notes: null };

export interface Surroundings {
  now(): number;
  newId(): string;
}
