import { z } from "zod";
import { Usage } from "../events.ts";
import { SessionRef } from "../ids.ts";
import { Session } from "../session.ts";
import { MERGE_SIDES, STATUSES } from "../vocabulary.ts";
import { CHANGES, CLOSED, closes, FOUND, Json, One, type Operations, Retry } from "./operation.ts";

const Count = z.number().int().min(0);

/** One side of a comparison, with its work since the two sessions parted. */
const ComparedSide = z.object({
  session_id: z.string(),
  entity_id: z.string(),
  agent_name: z.string(),
  title: z.string().nullable(),
  status: z.enum(STATUSES),
  version: z.number().int(),
  summary: z.string().nullable(),
  turns: Count,
  actions: Count,
  checkpoints: z.array(z.string()).describe("the first 100 names"),
  artifacts: z.array(z.string()).describe("the first 100 names"),
  outcomes: z.array(z.string()).describe("the type and id of the first 100"),
  usage: Usage.describe("usage of the whole session"),
});
export type ComparedSide = z.infer<typeof ComparedSide>;

const ComparedTurn = z.object({
  turn_id: z.string(),
  status: z.string(),
  input: z.string(),
  output: z.string(),
  seconds: z.number().nullable(),
  tool_calls: z.array(z.string()),
  seq: z.number().int(),
});
export type ComparedTurn = z.infer<typeof ComparedTurn>;

export const MergeReport = z.object({
  from: z.string().describe("the session that was merged"),
  into: z.string(),
  base: z.number().int().describe("the last event that both share"),
  after: z.number().int().describe("the new events of the merged session come after this seq"),
  to: z.number().int(),
  turns: Count,
  actions: Count,
  checkpoints: z.array(z.string()),
  artifacts: z.array(z.string()),
  outcomes: z.array(z.string()),
  metadata: Json.describe("the metadata that the merge sets"),
  conflicts: z.array(
    z.object({
      kind: z.enum(["metadata", "checkpoint"]),
      name: z.string(),
      ours: z.unknown(),
      theirs: z.unknown(),
      taken: z.enum(MERGE_SIDES).nullable(),
    }),
  ),
  added: z.boolean().describe("false if there was nothing new"),
  approval_id: z.string().nullable().describe("the approval that decides the conflicts"),
  dry_run: z.boolean(),
});
export type MergeReport = z.infer<typeof MergeReport>;

export const branchOperations = {
  compare: {
    kind: "query",
    scope: "read",
    doc: "Compare two sessions, turn by turn, from the point where they split",
    input: z.strictObject({
      ...One,
      with: SessionRef,
      after: z.number().int().min(0).default(0).describe("skip this many turns"),
      limit: z.number().int().min(1).max(100).default(20).describe("number of turns per session"),
    }),
    output: z.object({
      common: z
        .object({ session_id: z.string(), seq: z.number().int() })
        .nullable()
        .describe("the last event that both sessions share; null: they share no history"),
      a: ComparedSide,
      b: ComparedSide,
      metadata: z.array(z.object({ key: z.string(), a: z.unknown(), b: z.unknown() })),
      turns: z.array(z.object({ a: ComparedTurn.nullable(), b: ComparedTurn.nullable() })),
      next_cursor: z.number().int().nullable().describe("the value of after for the next page"),
    }),
    errors: FOUND,
  },
  merge: {
    kind: "command",
    closes,
    scope: "write",
    doc: "Merge a fork into the session it was forked from",
    input: z.strictObject({
      ...One,
      ...Retry,
      into: SessionRef.optional().describe(
        "the session to merge into; default: the session it was forked from",
      ),
      at: z.number().int().min(1).optional().describe("the last event to merge; default: all"),
      rule: z
        .enum([...MERGE_SIDES, "ask"])
        .optional()
        .describe(
          "for conflicts: keep ours, use theirs, or ask a person; default: refuse the merge",
        ),
      dry_run: z.boolean().default(false).describe("only show what the merge would change"),
    }),
    output: Session.extend({ merge: MergeReport }),
    errors: [
      ...CHANGES,
      ...CLOSED,
      "not_related",
      "merge_conflict",
      "turn_open",
      "event_not_found",
      "limit_reached",
      "recovery_pending",
    ],
  },
  branches: {
    kind: "query",
    scope: "read",
    doc: "Show the tree of forks around a session",
    input: z.strictObject(One),
    output: z.object({
      branches: z
        .array(
          z.object({
            session_id: z.string(),
            entity_id: z.string(),
            parent_session_id: z.string().nullable(),
            at: z.number().int().nullable().describe("the event at which it was forked"),
            depth: z.number().int(),
            agent_name: z.string(),
            title: z.string().nullable(),
            status: z.enum(STATUSES),
            turns: Count,
            merged_into: z.array(z.string()),
            deleted: z.boolean(),
          }),
        )
        .describe("parents before their forks, at most 200"),
      more: z.boolean(),
    }),
    errors: FOUND,
  },
} as const satisfies Operations;
