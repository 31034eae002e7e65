import { z } from "zod";
import { Name, SessionRef } from "../ids.ts";
import { PastRecovery, PendingRecovery, SessionRecovery } from "../recovery.ts";
import { RECOVERY_ANSWERS, STATUSES } from "../vocabulary.ts";
import { CLOSED, FOUND, type Operations } from "./operation.ts";

export const recoveryOperations = {
  recover: {
    kind: "command",
    scope: "write",
    doc: "After a crash: do what is safe, and ask where a person must decide",
    input: z.strictObject({
      id: SessionRef.optional().describe("one session; default: all that need it"),
      dry_run: z.boolean().default(false).describe("only show the plan"),
      force: z
        .boolean()
        .default(false)
        .describe("with one session: also take it from a process that still drives it"),
      continue: z
        .boolean()
        .default(false)
        .describe("let interrupted turns go on where nothing has to be decided, as servers do"),
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
    doc: "Show what was interrupted, what recovery made of it, and what waits for an answer",
    input: z.strictObject({}),
    output: z.object({
      pending: z
        .array(PendingRecovery)
        .describe("interrupted and not recovered yet, or asked about; never what somebody drives"),
      past: z.array(PastRecovery).describe("the newest 50, newest first"),
      failed: z
        .array(z.object({ session_id: z.string(), why: z.string() }))
        .describe("sessions that could not be looked at"),
    }),
    errors: [],
  },
  answer_recovery: {
    kind: "command",
    scope: "write",
    doc: "Answer what recovery asked: go on, undo it, or give the session up",
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
        .describe("the turn in which the agent goes on; null where Belay does not run the agent"),
    }),
    errors: ["approval_not_found", "approval_closed", ...CLOSED],
  },
} as const satisfies Operations;
