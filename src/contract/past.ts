import { z } from "zod";
import { LogEvent } from "./session.ts";
import { EFFECTS, SPAN_KINDS, STATUSES } from "./vocabulary.ts";

/** Schemas for timelines, statistics and other views over time. */

export const TimelineEvent = z.object({
  timestamp: z.string(),
  type: z.enum(["session_started", "action", "checkpoint", "session_ended"]),
  session_id: z.string(),
  session_entity_id: z.string(),
  agent_name: z.string(),
  name: z.string().describe("an action's type, a checkpoint's name, or a status"),
  result: z.string().nullable(),
});
export type TimelineEvent = z.infer<typeof TimelineEvent>;

/** Something in a session that took time, or happened at one moment. */
export const Span = z.object({
  kind: z.enum(SPAN_KINDS),
  name: z
    .string()
    .describe(
      "a phase's name, a turn's message, an action's title, or how an agent's process started",
    ),
  status: z.string().nullable(),
  effects: z.enum(EFFECTS).nullable().describe("what an action may change"),
  unknown: z.boolean().describe("true for an interrupted action that may have changed something"),
  from: z.string(),
  to: z.string().nullable().describe("null: still running; for a single moment the same as from"),
  seq: z.number().int().describe("the event that started it"),
  turn_id: z.string().nullable(),
  action_id: z
    .string()
    .nullable()
    .describe("an action's id; for an approval, the action it is about"),
});
export type Span = z.infer<typeof Span>;

export const SessionSpans = z.object({
  session_id: z.string(),
  entity_id: z.string(),
  agent_name: z.string(),
  title: z.string().nullable(),
  status: z.enum(STATUSES),
  created_at: z.string(),
  ended_at: z.string().nullable(),
  version: z.number().int(),
  earlier: z
    .number()
    .int()
    .nullable()
    .describe("the value of `before` for earlier spans; null if there are none"),
  spans: z.array(Span).describe("in the order in which they started"),
});
export type SessionSpans = z.infer<typeof SessionSpans>;

export const AuditEvent = LogEvent.extend({ kind: z.string(), id: z.string() });
export type AuditEvent = z.infer<typeof AuditEvent>;

/** An audit entry with the owner of its stream. */
export const AuditLine = AuditEvent.extend({ owner: z.string() });
export type AuditLine = z.infer<typeof AuditLine>;

/** The result of checking the hashes of every log in an audit. A wrong hash is an error instead. */
export const AuditProof = z.object({
  logs: z.number().int().describe("logs that were read from their start to their end"),
  entries: z.number().int(),
  until: z.string().nullable().describe("the time of the newest entry; null if there is none"),
});
export type AuditProof = z.infer<typeof AuditProof>;

export const AgentStats = z.object({
  sessions: z.number().int(),
  by_status: z.record(z.string(), z.number().int()),
  resume_rate: z.number().nullable().describe("share of sessions resumed at least once"),
  success_rate: z.number().nullable().describe("share of ended sessions that completed"),
  mean_duration_s: z.number().nullable(),
  median_duration_s: z.number().nullable(),
  turns: z.number().int(),
  errors: z.number().int(),
  cost_usd: z.number(),
});
export type AgentStats = z.infer<typeof AgentStats>;

export const Stats = z.object({
  from: z.string().nullable(),
  to: z.string().nullable(),
  total: AgentStats,
  by_agent: z.record(z.string(), AgentStats),
  by_day: z.record(z.string(), z.number().int()),
});
export type Stats = z.infer<typeof Stats>;

/** A secret that was replaced in the output. */
export const HiddenSecret = z.object({
  seq: z
    .number()
    .int()
    .nullable()
    .describe("the event that contains it; null: the session's own fields"),
  path: z.string(),
  rule: z.string().describe("the kind of secret"),
  length: z.number().int(),
});
export type HiddenSecret = z.infer<typeof HiddenSecret>;
