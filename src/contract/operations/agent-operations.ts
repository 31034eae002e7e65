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
    doc: "List the agents that can be run, and what stands in the way of the others",
    input: z.strictObject({ cwd: z.string().optional().describe("whose workspace's agents") }),
    output: z.object({ agents: z.array(AgentInfo) }),
    errors: [],
  },
  resume_plan: {
    kind: "query",
    scope: "read",
    doc: "How would one come back to this session, and to what?",
    input: z.strictObject(One),
    output: z.object({
      session_id: z.string(),
      way: z.enum(["attach", "resume", "load", "replay", "continue", "fork", "fresh"]),
      why: z.string(),
      found: z.object({
        driver: z.string().nullable(),
        pending_approvals: z.array(z.string()),
        unknown_outcomes: z.array(z.string()).describe("open actions that may have happened"),
        cwd_moved: z.boolean(),
        turns: z.number().int(),
        context_bytes: z.number().int().describe("of the turns that a new agent would be told"),
      }),
    }),
    errors: FOUND,
  },
  send_message: {
    kind: "command",
    scope: "write",
    doc: "Send a message to a session's agent; messages are answered in order",
    input: z.strictObject({
      ...Changed,
      message: z.string().min(1),
      turn_id: ItemId.optional(),
      agent: Name.optional().describe("hand the session to this agent first"),
    }),
    output: z.object({
      session_id: z.string(),
      turn_id: z.string(),
      seq: z.number().int().describe("the event that holds the message"),
      version: z.number().int(),
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
    doc: "Let another agent go on with a session; it is told what the one before knew",
    input: z.strictObject({
      ...Changed,
      to: Name.describe("the agent that goes on"),
      message: z
        .string()
        .min(1)
        .optional()
        .describe("its first message; default: the next one sent"),
      turn_id: ItemId.optional(),
    }),
    output: Session.extend({
      turn_id: z.string().nullable().describe("of the message"),
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
    doc: "Send a session's prompts to another agent, in a fork from before the first of them; compare shows both side by side",
    input: z.strictObject({
      ...One,
      ...Retry,
      agent: Name.describe("the agent that answers them; it may be the same"),
      into: SessionRef.optional().describe("a fork that an earlier replay made, to go on with"),
      after: z.number().int().min(0).default(0).describe("only prompts behind this many"),
      limit: z.number().int().min(1).max(LIMITS.QUEUED_MESSAGES).default(LIMITS.QUEUED_MESSAGES),
      send: z.boolean().default(true).describe("false: only make the fork and answer the prompts"),
    }),
    output: z.object({
      session_id: z.string().describe("the fork"),
      of: z.string(),
      prompts: z.array(z.string()),
      next_cursor: z.number().int().nullable().describe("the after of the next page"),
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
    doc: "Stop the turn that is running; the session goes on",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "nothing_to_interrupt"],
  },
} as const satisfies Operations;
