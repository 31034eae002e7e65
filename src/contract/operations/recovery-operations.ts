import { z } from "zod";
import { Name, SessionRef } from "../ids.ts";
import { PastRecovery, PendingRecovery, SessionRecovery } from "../recovery.ts";
import { RECOVERY_ANSWERS, STATUSES } from "../vocabulary.ts";
import { CLOSED, FOUND, type Operations } from "./operation.ts";

export const recoveryOperations = {
  recover: {
    kind: "command",
    // It ends the process that runs the session.
    closes: ({ force }) => force === true,
    scope: "write",
    doc: "Recover interrupted sessions: do what is safe, and ask a person about the rest",
    input: z.strictObject({
      id: SessionRef.optional().describe("one session; default: all that need recovery"),
      dry_run: z.boolean().default(false).describe("only show the plan"),
      force: z
        .boolean()
        .default(false)
        .describe("recover one session even if a process still runs it"),
      continue: z
        .boolean()
        .default(false)
        .describe("continue interrupted turns that need no decision, as servers do"),
    }),
    output: z.object({
      checked: z.number().int(),
      sessions: z.array(SessionRecovery),
      failed: z.array(z.object({ session_id: z.string(), why: z.string() })),
    }),
    errors: [...FOUND, "session_held"],
  },
  recoveries: {
    kind: "query",
    scope: "read",
    doc: "Show interrupted sessions, the result of each recovery, and the open questions",
    input: z.strictObject({}),
    output: z.object({
      pending: z
        .array(PendingRecovery)
        .describe(
          "sessions not recovered yet, or with an open question; never a session that is running",
        ),
      past: z.array(PastRecovery).describe("at most 50, newest first"),
      failed: z
        .array(z.object({ session_id: z.string(), why: z.string() }))
        .describe("sessions that could not be checked"),
    }),
    errors: [],
  },
  answer_recovery: {
    kind: "command",
    scope: "write",
    doc: "Answer a recovery question: continue, roll back, or abort the session",
    input: z.strictObject({
      approval_id: Name,
      answer: z.enum(RECOVERY_ANSWERS),
      dry_run: z.boolean().default(false).describe("with rollback: only show the steps"),
    }),
    output: z.object({
      approval_id: z.string(),
      answer: z.enum(RECOVERY_ANSWERS),
      session_id: z.string(),
      status: z.enum(STATUSES),
      rollback: z.array(
        z.object({
          title: z.string(),
          command: z.string(),
          result: z.enum(["planned", "success", "failed", "not run"]),
          output: z.string().nullable(),
        }),
      ),
      continued_turn_id: z
        .string()
        .nullable()
        .describe("the turn in which the agent continues; null if Belay does not run the agent"),
    }),
    errors: ["approval_not_found", "approval_closed", ...CLOSED],
  },
} as const satisfies Operations;
