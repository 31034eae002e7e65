import { z } from "zod";
import { Name, SessionRef } from "../ids.ts";
import { SessionSnapshot } from "../observation.ts";
import { AuditEvent, HiddenSecret, SessionSpans, Stats, TimelineEvent } from "../past.ts";
import { Approval, LogEvent, Session, Task, Turn } from "../session.ts";
import { FOUND, Limit, One, type Operations, timeField } from "./operation.ts";

/** An event of the feed, with the cursor after it. */
export const FeedLine = AuditEvent.extend({ cursor: z.string() });
export type FeedLine = z.infer<typeof FeedLine>;

const ExportedEvent = LogEvent.extend({
  hash: z
    .string()
    .nullable()
    .describe("null in a redacted export: short secrets could be guessed by it"),
});

const Days = z.number().int().nullable();
/** If both are set, the shorter one counts. */
const Expiration = z.object({
  own_days: Days.describe("your sessions; null: not by their age"),
  everyone_days: Days.describe("every owner's sessions; null: not by their age"),
});

export const pastOperations = {
  next: {
    kind: "query",
    scope: "read",
    doc: "What was I doing? The newest unfinished session, and what it waits for",
    input: z.strictObject({
      task_id: Name.optional(),
      project: z.string().optional().describe("working directory; default: anywhere"),
    }),
    output: z.object({
      session: Session.nullable(),
      last_turn: Turn.nullable(),
      approvals: z.array(Approval),
      task: Task.nullable().describe("without a session: the first task nobody has started"),
    }),
    errors: [],
  },
  timeline: {
    kind: "query",
    scope: "read",
    doc: "Show when what was done, over all sessions that refer to an entity, a task or a session",
    input: z.strictObject({
      entity_id: z.string().min(1),
      start_date: timeField(),
      end_date: timeField("a date alone includes that whole day"),
      cursor: z.string().optional(),
    }),
    output: z.object({
      entity_id: z.string(),
      events: z.array(TimelineEvent),
      next_cursor: z.string().nullable().describe("set where the answer was cut at 2 MB"),
    }),
    errors: [],
  },
  spans: {
    kind: "query",
    scope: "read",
    doc: "Show when what was under way, over all sessions that refer to an entity, a task or a session",
    input: z.strictObject({
      entity_id: z.string().min(1),
      start_date: timeField(),
      end_date: timeField("a date alone includes that whole day"),
      before: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe("a seq: what began before it, in the one session that has this id"),
      limit: z
        .number()
        .int()
        .min(1)
        .max(2000)
        .default(500)
        .describe("the newest of each kind, per session"),
    }),
    output: z.object({
      entity_id: z.string(),
      more: z.boolean().describe("there are older sessions than these"),
      sessions: z.array(SessionSpans).describe("the newest 50, newest first"),
    }),
    errors: [],
  },
  history: {
    kind: "query",
    scope: "read",
    doc: "Read sessions whole, as agents submit them: actions, checkpoints with their states, outcomes",
    input: z.strictObject({
      session_id: SessionRef.optional().describe("only this session"),
      limit: Limit,
      order_by: z
        .enum(["started_at", "ended_at", "updated_at"])
        .default("started_at")
        .describe("by ended_at, those that have not ended come last"),
      order: z.enum(["asc", "desc"]).default("desc"),
      cursor: z.string().optional(),
    }),
    output: z.object({
      sessions: z.array(z.object({ entity_id: z.string(), snapshot: SessionSnapshot })),
      next_cursor: z
        .string()
        .nullable()
        .describe("after a session of more than 2 MB, the next page starts with the rest of it"),
    }),
    errors: [...FOUND, "session_deleted"],
  },
  export: {
    kind: "query",
    scope: "read",
    doc: "Export a session with all its events; redacted, without what looks like a secret",
    input: z.strictObject({
      ...One,
      redact: z.boolean().default(false).describe("replace secrets by [redacted:KIND]"),
      after: z.number().int().min(0).default(0).describe("only events behind this seq"),
      limit: Limit,
    }),
    output: z.object({
      session: Session,
      events: z.array(ExportedEvent),
      hidden: z.array(HiddenSecret).describe("each secret that was replaced"),
      next_cursor: z.number().int().nullable().describe("the after of the next page"),
    }),
    errors: FOUND,
  },
  audit: {
    kind: "query",
    scope: "read",
    doc: "Show who did what, over all sessions and tasks, oldest first",
    input: z.strictObject({
      id: SessionRef.optional(),
      since: timeField("default: the last 24 hours"),
      limit: z.number().int().min(1).max(10_000).default(200).describe("the newest ones"),
    }),
    output: z.object({ events: z.array(AuditEvent) }),
    errors: FOUND,
  },
  events: {
    kind: "query",
    scope: "read",
    doc: "Read what happened in all sessions and tasks, in one order",
    input: z.strictObject({
      after: z.string().optional().describe("a cursor; default: from the beginning"),
      limit: Limit,
    }),
    output: z.object({
      events: z.array(FeedLine),
      next_cursor: z.string().nullable().describe("null at the end; a page may be short before it"),
      cursor: z.string().describe("where a follower goes on"),
    }),
    errors: [],
  },
  stats: {
    kind: "query",
    scope: "read",
    doc: "Count sessions of a span of time: how many resumed, succeeded, failed, and how long they took",
    input: z.strictObject({ from: timeField(), to: timeField(), agent: Name.optional() }),
    output: Stats,
    errors: [],
  },
  expiration: {
    kind: "query",
    scope: "read",
    doc: "Show after how many days without activity sessions are deleted",
    input: z.strictObject({}),
    output: Expiration,
    errors: [],
  },
  set_expiration: {
    kind: "command",
    scope: "admin",
    doc: "Delete sessions so many days after their last activity",
    input: z.strictObject({
      after_days: z.number().int().min(1).max(36_500).optional(),
      never: z.boolean().default(false).describe("instead: do not delete them by their age"),
      everyone: z.boolean().default(false).describe("of every owner, not only yours"),
    }),
    output: Expiration,
    errors: ["store_busy"],
  },
  cleanup: {
    kind: "command",
    scope: "write",
    doc: "Move sessions without activity to the trash, and purge what has been there for 7 days",
    input: z.strictObject({
      hours: z.number().positive().optional().describe("those without activity for so long"),
      expired: z.boolean().default(false).describe("instead: those that have expired"),
      dry_run: z.boolean().default(false).describe("only say what would be removed"),
      force: z
        .boolean()
        .default(false)
        .describe("remove although this computer's clock disagrees with what is stored"),
    }),
    output: z.object({
      removed: z.array(z.string()),
      purged: z.array(z.string()),
      protected: z.array(z.object({ session_id: z.string(), because: z.string() })),
      dry_run: z.boolean(),
    }),
    errors: ["clock_uncertain"],
  },
} as const satisfies Operations;
