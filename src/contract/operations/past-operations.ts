import { z } from "zod";
import { Name, SessionRef } from "../ids.ts";
import { SessionSnapshot } from "../observation.ts";
import {
  AuditEvent,
  AuditLine,
  HiddenSecret,
  SessionSpans,
  Stats,
  TimelineEvent,
} from "../past.ts";
import { Approval, LogEvent, Session, Task, Turn } from "../session.ts";
import { AUDIT_KINDS } from "../vocabulary.ts";
import { Cursor, closes, FOUND, Limit, One, type Operations, timeField } from "./operation.ts";

/** An event of the feed, with the cursor after it. */
export const FeedLine = AuditEvent.extend({ cursor: z.string() });
export type FeedLine = z.infer<typeof FeedLine>;

const ExportedEvent = LogEvent.extend({
  hash: z
    .string()
    .nullable()
    .describe("null in a redacted export, because a short secret could be guessed from its hash"),
});

const Days = z.number().int().nullable();
/** If both are set, the shorter one counts. */
const Expiration = z.object({
  own_days: Days.describe("for your sessions; null: no limit"),
  everyone_days: Days.describe("for the sessions of all owners; null: no limit"),
});

/** The purged sessions, and what stays of them. */
const Purged = {
  purged: z.array(z.string()),
  shared: z
    .array(z.object({ session_id: z.string(), forks: z.array(z.string()) }))
    .describe(
      "purged sessions whose events are still in forks; forks of other owners are shown as OWNER/…",
    ),
  not_covered: z
    .array(z.enum(["backups", "agent_transcripts"]))
    .describe("copies of purged sessions that Belay cannot remove"),
};

export const pastOperations = {
  next: {
    kind: "query",
    scope: "read",
    doc: "Show the newest unfinished session and its open questions",
    input: z.strictObject({
      task_id: Name.optional().describe("only sessions of this task"),
      project: z
        .string()
        .optional()
        .describe("only sessions in this working directory; default: all"),
    }),
    output: z.object({
      session: Session.nullable(),
      last_turn: Turn.nullable(),
      approvals: z.array(Approval),
      task: Task.nullable().describe("if there is no session: the first task that has not started"),
    }),
    errors: [],
  },
  timeline: {
    kind: "query",
    scope: "read",
    doc: "Show a timeline of the actions that mention an id (of a session, a task, a ticket or anything else)",
    input: z.strictObject({
      entity_id: z.string().min(1),
      start_date: timeField("only what happened at or after this time"),
      end_date: timeField("only what happened before this time; a date includes the whole day"),
      cursor: Cursor,
    }),
    output: z.object({
      entity_id: z.string(),
      events: z.array(TimelineEvent),
      next_cursor: z.string().nullable().describe("set if the answer was cut at 2 MB"),
    }),
    errors: [],
  },
  spans: {
    kind: "query",
    scope: "read",
    doc: "Show what was running at which time, in all sessions that mention an id",
    input: z.strictObject({
      entity_id: z.string().min(1),
      start_date: timeField("only what happened at or after this time"),
      end_date: timeField("only what happened before this time; a date includes the whole day"),
      before: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe("only what started before this seq, in the session with this id"),
      limit: z
        .number()
        .int()
        .min(1)
        .max(2000)
        .default(500)
        .describe("the newest spans of each kind, per session"),
    }),
    output: z.object({
      entity_id: z.string(),
      more: z.boolean().describe("true if there are older sessions"),
      sessions: z.array(SessionSpans).describe("at most 50, newest first"),
    }),
    errors: [],
  },
  history: {
    kind: "query",
    scope: "read",
    doc: "Read whole sessions: actions, checkpoints with their states, and outcomes",
    input: z.strictObject({
      session_id: SessionRef.optional().describe("only this session"),
      limit: Limit,
      order_by: z
        .enum(["started_at", "ended_at", "updated_at"])
        .default("started_at")
        .describe("the time to sort by; with ended_at, sessions that have not ended come last"),
      order: z
        .enum(["asc", "desc"])
        .default("desc")
        .describe("the sort order; default: desc, newest first"),
      cursor: Cursor,
    }),
    output: z.object({
      sessions: z.array(z.object({ entity_id: z.string(), snapshot: SessionSnapshot })),
      next_cursor: z
        .string()
        .nullable()
        .describe("a session of more than 2 MB continues on the next page"),
    }),
    errors: [...FOUND, "session_deleted"],
  },
  export: {
    kind: "query",
    scope: "read",
    doc: "Export a session with all its events; redact replaces text that looks like a secret",
    input: z.strictObject({
      ...One,
      redact: z.boolean().default(false).describe("replace secrets with [redacted:KIND]"),
      after: z.number().int().min(0).default(0).describe("only events after this seq"),
      limit: Limit,
    }),
    output: z.object({
      session: Session,
      events: z.array(ExportedEvent),
      hidden: z.array(HiddenSecret).describe("each secret that was replaced"),
      next_cursor: z.number().int().nullable().describe("the value of after for the next page"),
    }),
    errors: FOUND,
  },
  audit: {
    kind: "query",
    scope: "read",
    doc: "Show who changed or read your sessions and tasks, and what was refused, oldest first",
    input: z.strictObject({
      id: SessionRef.optional().describe("only this session; default: all"),
      everyone: z
        .boolean()
        .default(false)
        .describe("for server admins: all owners, without the contents of sessions and tasks"),
      since: timeField("only entries since then; default: the last 24 hours"),
      person: Name.optional().describe(
        "only what this person did, saw or was refused, and what happened in their own sessions",
      ),
      what: z
        .enum(AUDIT_KINDS)
        .optional()
        .describe("only changes (did), reads of shared sessions and links (saw), or refusals"),
      limit: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .default(200)
        .describe("only this many entries, the newest"),
      cursor: Cursor,
    }),
    output: z.object({
      events: z.array(AuditLine),
      next_cursor: z.string().nullable().describe("for earlier entries; null if there are none"),
      for_everyone: z.boolean().describe("true if you may read the entries of all owners"),
    }),
    errors: [...FOUND, "not_allowed", "invalid_input"],
  },
  events: {
    kind: "query",
    scope: "read",
    doc: "Read the events of all sessions and tasks as one feed, oldest first",
    input: z.strictObject({
      after: z
        .string()
        .optional()
        .describe("next_cursor of the previous page; default: from the start"),
      limit: Limit,
    }),
    output: z.object({
      events: z.array(FeedLine),
      next_cursor: z
        .string()
        .nullable()
        .describe("null on the last page; earlier pages may be short"),
      cursor: z.string().describe("the cursor to continue from when you follow the feed"),
    }),
    errors: ["history_changed"],
  },
  stats: {
    kind: "query",
    scope: "read",
    doc: "Show statistics for a period: sessions resumed, succeeded and failed, and how long they took",
    input: z.strictObject({
      from: timeField("only sessions that were active at or after this time"),
      to: timeField("only sessions created before this time; a date includes the whole day"),
      agent: Name.optional().describe("only this agent"),
    }),
    output: Stats,
    errors: [],
  },
  expiration: {
    kind: "query",
    scope: "read",
    doc: "Show after how many days of inactivity sessions are deleted",
    input: z.strictObject({}),
    output: Expiration,
    errors: [],
  },
  set_expiration: {
    kind: "command",
    scope: "write",
    doc: "Set after how many days of inactivity sessions are deleted",
    input: z.strictObject({
      after_days: z.number().int().min(1).max(36_500).optional().describe("days of inactivity"),
      never: z.boolean().default(false).describe("never delete sessions because of their age"),
      everyone: z.boolean().default(false).describe("the sessions of all owners, not only yours"),
    }),
    output: Expiration,
    errors: ["store_busy"],
  },
  cleanup: {
    kind: "command",
    scope: "write",
    doc: "Move inactive sessions to the trash, and purge sessions that were there for 7 days",
    input: z.strictObject({
      hours: z
        .number()
        .positive()
        .optional()
        .describe("remove sessions inactive for this many hours"),
      expired: z.boolean().default(false).describe("remove expired sessions, not inactive ones"),
      dry_run: z.boolean().default(false).describe("only show what would be removed"),
      force: z
        .boolean()
        .default(false)
        .describe("remove even if this computer's clock disagrees with the stored times"),
    }),
    output: z.object({
      removed: z.array(z.string()),
      ...Purged,
      protected: z.array(z.object({ session_id: z.string(), because: z.string() })),
      dry_run: z.boolean(),
    }),
    errors: ["clock_uncertain"],
  },
  purge: {
    kind: "command",
    closes,
    scope: "write",
    doc: "Remove a session from the trash for good, now",
    input: z.strictObject(One),
    output: z.object(Purged),
    errors: [...FOUND, "session_not_deleted", "session_held"],
  },
} as const satisfies Operations;
