import { z } from "zod";

/** What an outside agent submits about its own session (Neotoma's `agent_session`), after validation. */
const Details = z.record(z.string(), z.unknown());

export const ObservedAction = z.object({
  type: z.string(),
  result: z.string(),
  details: Details.optional(),
  timestamp: z.string().optional(),
});
export type ObservedAction = z.infer<typeof ObservedAction>;

export const ObservedCheckpoint = z.object({
  name: z.string(),
  state: Details.optional(),
  timestamp: z.string(),
});
export type ObservedCheckpoint = z.infer<typeof ObservedCheckpoint>;

export const ObservedOutcome = z.object({
  type: z.string(),
  id: z.string().optional(),
  details: Details.optional(),
});
export type ObservedOutcome = z.infer<typeof ObservedOutcome>;

export const Observation = z.object({
  session_id: z.string(),
  actions: z.array(ObservedAction),
  checkpoints: z.array(ObservedCheckpoint).optional(),
  outcomes: z.array(ObservedOutcome).optional(),
  duration: z.number().optional(),
  started_at: z.string(),
  ended_at: z.string().optional(),
  /** Set on every new one: the state of a checkpoint replaces the one that had its name. Older ones were joined. */
  replaces: z.literal(true).optional(),
});
export type Observation = z.infer<typeof Observation>;

/** All that is known of a session, merged, in the shape in which it is submitted. */
export const SessionSnapshot = z.object({
  session_id: z.string(),
  actions: z.array(
    ObservedAction.extend({
      action_id: z.string().optional().describe("of one that was begun here, to complete it by"),
    }),
  ),
  checkpoints: z.array(ObservedCheckpoint),
  outcomes: z.array(ObservedOutcome),
  duration: z.number().optional().describe("seconds"),
  started_at: z.string(),
  ended_at: z.string().optional(),
});
export type SessionSnapshot = z.infer<typeof SessionSnapshot>;

/** A rejection in the exact shape that submitters know. */
export interface ObservationRejection {
  readonly error: "schema_validation_failed";
  readonly details: {
    readonly field: string;
    readonly value: unknown;
    readonly expected: string;
    readonly message: string;
  };
}
