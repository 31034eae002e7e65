import { z } from "zod";

const Time = z.string().describe("ISO 8601");
const Details = z.record(z.string(), z.unknown()).optional();

/**
 * Describes the sessions that agents submit. The model validates them, because its rejections have a shape of their
 * own.
 */
export const SubmittedSession = z.looseObject({
  session_id: z.string().min(5).max(128).describe("letters, digits and . _ : -"),
  actions: z
    .array(
      z.looseObject({
        type: z
          .string()
          .min(1)
          .describe("for example create_feature_unit, run_tests, commit, deploy"),
        result: z.string().min(1).describe("for example success, failure, warning, passed"),
        details: Details,
        timestamp: Time.optional(),
      }),
    )
    .min(1)
    .describe("all actions so far, oldest first"),
  checkpoints: z
    .array(z.looseObject({ name: z.string().min(1), state: Details, timestamp: Time }))
    .optional(),
  outcomes: z
    .array(
      z.looseObject({
        type: z.string().min(1),
        id: z.string().optional().describe("the id of the thing that was created or changed"),
        details: Details,
      }),
    )
    .optional(),
  duration: z.number().positive().optional().describe("seconds"),
  started_at: Time,
  ended_at: Time.optional().describe("completes the session; must not be before started_at"),
});
