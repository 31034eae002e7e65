import { z } from "zod";
import { LogEvent } from "./session.ts";

/** What is told of sessions over time. */

export const TimelineEvent = z.object({
  timestamp: z.string(),
  type: z.enum(["session_started", "action", "checkpoint", "session_ended"]),
  session_id: z.string(),
  session_entity_id: z.string(),
  agent_name: z.string(),
  name: z.string().describe("what it is: an action's type, a checkpoint's name, a status"),
  result: z.string().nullable(),
});
export type TimelineEvent = z.infer<typeof TimelineEvent>;

export const AuditEvent = LogEvent.extend({ kind: z.string(), id: z.string() });
export type AuditEvent = z.infer<typeof AuditEvent>;

export const AgentStats = z.object({
  sessions: z.number().int(),
  by_status: z.record(z.string(), z.number().int()),
  resume_rate: z.number().nullable().describe("share of sessions that were resumed at least once"),
  success_rate: z.number().nullable().describe("completed, of all that ended"),
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
