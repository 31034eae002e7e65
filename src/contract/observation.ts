import { z } from "zod";
import { NewDecision } from "./approval/decided.ts";

/**
 * The schema of an observation: an outside agent's report about its own session (Neotoma's
 * `agent_session`).
 */
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
  /**
   * Set on every new observation: a checkpoint's state replaces the one of the same name. Older
   * ones were merged.
   */
  replaces: z.literal(true).optional(),
});
export type Observation = z.infer<typeof Observation>;

/** The merged observations of a session, in the shape in which they are submitted. */
export const SessionSnapshot = z.object({
  session_id: z.string(),
  actions: z.array(
    ObservedAction.extend({
      action_id: z
        .string()
        .optional()
        .describe("the id of an action that was started here, to complete it"),
    }),
  ),
  checkpoints: z.array(ObservedCheckpoint),
  outcomes: z.array(ObservedOutcome),
  duration: z.number().optional().describe("seconds"),
  started_at: z.string(),
  ended_at: z.string().optional(),
  decisions: z
    .array(NewDecision)
    .optional()
    .describe("what people decided since the agent last recorded work, newest first, if anything"),
});
export type SessionSnapshot = z.infer<typeof SessionSnapshot>;

/** A rejection in the exact shape that submitters expect. */
export interface ObservationRejection {
  readonly error: "schema_validation_failed";
  readonly details: {
    readonly field: string;
    readonly value: unknown;
    readonly expected: string;
    readonly message: string;
  };
}
