import { z } from "zod";
import { AgentInfo } from "../agent-info.ts";
import { ItemId, Name, SessionRef } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { Session } from "../session.ts";
import { CHANGES, Changed, CLOSED, FOUND, One, type Operations, Retry } from "./operation.ts";

export const agentOperations = {
  agents: {
    kind: "query",
    scope: "read",
    doc: "List agents, and why an agent cannot be run",
    input: z.strictObject({
      cwd: z
        .string()
        .optional()
        .describe(
          "also list the agents of the workspace in this folder; ignored for members of a server and for tokens without scope write",
        ),
    }),
    output: z.object({ agents: z.array(AgentInfo) }),
    errors: [],
  },
  resume_plan: {
    kind: "query",
    scope: "read",
    doc: "Show how the session would be resumed",
    input: z.strictObject(One),
    output: z.object({
      session_id: z.string(),
      way: z.enum(["attach", "resume", "load", "replay", "continue", "fork", "fresh"]),
      why: z.string(),
      found: z.object({
        driver: z.string().nullable(),
        pending_approvals: z.array(z.string()),
        unknown_outcomes: z.array(z.string()).describe("open actions that may already have run"),
        cwd_moved: z.boolean(),
        turns: z.number().int(),
        context_bytes: z
          .number()
          .int()
          .describe("size of the turns that a new agent would receive"),
      }),
    }),
    errors: FOUND,
  },
  send_message: {
    kind: "command",
    scope: "write",
    doc: "Send a message to a session's agent; the agent answers messages in order",
    input: z.strictObject({
      ...Changed,
      message: z.string().min(1),
      turn_id: ItemId.optional(),
      agent: Name.optional().describe("hand the session to this agent first"),
    }),
    output: z.object({
      session_id: z.string(),
      turn_id: z.string(),
      seq: z.number().int().describe("the seq of the event with the message"),
      version: z.number().int(),
      queue_position: z
        .number()
        .int()
        .optional()
        .describe("set if the message waits for a free agent of this server; 1 is the next"),
    }),
    errors: [
      ...CHANGES,
      ...CLOSED,
      "session_suspended",
      "agent_not_found",
      "agent_not_trusted",
      "agents_busy",
      "turn_open",
      "limit_reached",
    ],
  },
  handoff: {
    kind: "command",
    scope: "write",
    doc: "Hand a session to another agent, with what the previous agent knew",
    input: z.strictObject({
      ...Changed,
      to: Name.describe("the agent that takes over"),
      message: z
        .string()
        .min(1)
        .optional()
        .describe("the first message for the new agent; default: it starts with the next message"),
      turn_id: ItemId.optional(),
      dry_run: z
        .boolean()
        .default(false)
        .describe("only show the text that the new agent would get"),
    }),
    output: Session.extend({
      turn_id: z.string().nullable().describe("the turn that answers the message"),
      told: z.string().optional().describe("the text that the new agent would get (dry run only)"),
    }),
    errors: [
      ...CHANGES,
      ...CLOSED,
      "session_suspended",
      "recovery_pending",
      "agent_not_found",
      "agent_not_trusted",
      "agents_busy",
      "turn_open",
      "limit_reached",
    ],
  },
  replay: {
    kind: "command",
    scope: "write",
    doc: "Send a session's prompts to another agent, in a new fork; use compare to see both side by side",
    input: z.strictObject({
      ...One,
      ...Retry,
      agent: Name.describe("the agent that answers; it may be the same agent"),
      into: SessionRef.optional().describe("continue in this fork of an earlier replay"),
      after: z.number().int().min(0).default(0).describe("skip this many prompts"),
      limit: z.number().int().min(1).max(LIMITS.QUEUED_MESSAGES).default(LIMITS.QUEUED_MESSAGES),
      send: z
        .boolean()
        .default(true)
        .describe("false: only create the fork and return the prompts"),
    }),
    output: z.object({
      session_id: z.string().describe("the fork"),
      of: z.string(),
      prompts: z.array(z.string()),
      next_cursor: z.number().int().nullable().describe("the value of after for the next page"),
    }),
    errors: [
      ...CHANGES,
      ...CLOSED,
      "session_suspended",
      "agent_not_found",
      "agent_not_trusted",
      "agents_busy",
      "limit_reached",
    ],
  },
  interrupt: {
    kind: "command",
    scope: "write",
    doc: "Interrupt the running turn, or withdraw the messages that wait for an agent; the session stays open",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "nothing_to_interrupt"],
  },
} as const satisfies Operations;
