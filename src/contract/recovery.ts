import { z } from "zod";
import { RollbackStep } from "./action/intent.ts";
import { SESSION_EVENTS } from "./events.ts";
import { EFFECTS, RECOVERY_STATUSES, RECOVERY_STEPS } from "./vocabulary.ts";

/** The evidence that recovery found about one action, and the step it takes. */
export const RecoveredAction = z.object({
  action_id: z.string(),
  type: z.string(),
  title: z.string(),
  effects: z.enum(EFFECTS),
  process: z.enum(["alive", "gone", "unproven"]),
  pid: z.number().int().nullable(),
  step: z.enum(RECOVERY_STEPS),
  why: z.string(),
  tail: z.string().nullable().describe("the end of its process's output"),
  removed: z
    .array(z.string())
    .describe("temporary files that were, or would be, removed before a repeat"),
});
export type RecoveredAction = z.infer<typeof RecoveredAction>;

/** The result of recovering one session. */
export const SessionRecovery = z.object({
  session_id: z.string(),
  agent_name: z.string(),
  status: z.enum(RECOVERY_STATUSES),
  happened: z.string().describe("what was interrupted, in one sentence"),
  actions: z.array(RecoveredAction),
  next_step: z.string().nullable(),
  approval_id: z.string().nullable().describe("the approval that waits for a person"),
  checkpoint_file: z.string().nullable().describe("the file that describes that question"),
  continued_turn_id: z
    .string()
    .nullable()
    .describe("the new turn in which the interrupted work continues automatically"),
  changed: z.boolean().describe("false if there was nothing to do, or with dry_run"),
});
export type SessionRecovery = z.infer<typeof SessionRecovery>;

/** An interrupted session that is not recovered yet, or that waits for a person's answer. */
export const PendingRecovery = SessionRecovery.extend({
  session_title: z.string().nullable(),
  title: z.string().nullable().describe("the question's title; null if nothing was asked yet"),
  rollback: z.array(RollbackStep).describe("the commands that the answer rollback would run"),
  asked_at: z.string().nullable(),
});
export type PendingRecovery = z.infer<typeof PendingRecovery>;

/** A past recovery of a session. */
export const PastRecovery = z.object({
  session_id: z.string(),
  session_title: z.string().nullable(),
  agent_name: z.string(),
  at: z.string(),
  status: z.enum(RECOVERY_STATUSES),
  steps: SESSION_EVENTS["session.recovered"].shape.steps,
  next_step: z.string().nullable(),
  seq: z.number().int().describe("the event that records it"),
});
export type PastRecovery = z.infer<typeof PastRecovery>;

/** The result of restoring a workspace from its files. */
export interface RestoreReport {
  readonly workspace: string;
  /** Null if there was nothing left to create a session from. */
  readonly session_id: string | null;
  readonly records: { readonly used: number; readonly of_other_sessions: number };
  /** Unusable parts, by file and line; `line` is null for a whole file. */
  readonly damaged: readonly {
    readonly file: string;
    readonly line: number | null;
    readonly why: string;
  }[];
  /** The paths that suspect files were moved to. */
  readonly quarantined: readonly string[];
  readonly timeline: string | null;
  readonly backlog: { readonly rows: number; readonly source: string } | null;
  readonly recovery: SessionRecovery | null;
  readonly changed: boolean;
}
