import type { z } from "zod";
import type { Input, OperationName, Output } from "../../contract/operations.ts";
import type { Presented } from "./present-history.ts";
import { presentHistory } from "./present-history.ts";
import { SubmittedSession } from "./submitted-session.ts";

/** A tool: an operation under the name that agents know. */
export interface McpTool<K extends OperationName = OperationName> {
  readonly operation: K;
  /** Describes when to call it. */
  readonly description: string;
  /** Fields that the agent cannot set. */
  readonly fixed?: Partial<Input<K>>;
  /** Defaults of fields for this tool. */
  readonly assumed?: Partial<Input<K>>;
  /** The arguments, if the operation's own schema does not describe them. */
  readonly documented?: z.ZodObject;
  /** Converts the output, if it is not returned unchanged. */
  present?(output: Output<K>, given: Readonly<Record<string, unknown>>): Presented;
  /** True if a repeat changes nothing more; always so for a query. */
  readonly idempotent?: true;
  /** True if the call removes or replaces something. */
  readonly destructive?: true;
}
type Tools = Readonly<{ [N in string]: { [K in OperationName]: McpTool<K> }[OperationName] }>;

/** THE table of MCP tools, in the order in which a session needs them. */
export const TOOLS = {
  query_agent_history: {
    operation: "history",
    description:
      "Call this first: what did I, or other agents, do before? Answers sessions with all their actions, checkpoints (with states) and outcomes, the newest first; with session_id, that one session.",
    present: presentHistory,
  },
  list_sessions: {
    operation: "list",
    description:
      "Find sessions by words, status, agent, phase, task or project, the most recently active first, without their contents. Use it to find work to go on with.",
  },
  get_session: {
    operation: "get",
    description:
      "How does one session stand? Its status, phase, metadata, open actions and pending approvals. Call it after asking a person, to see whether there is an answer.",
  },
  should_resume: {
    operation: "should_resume",
    description:
      "Before you go on with an earlier session by yourself: may it be picked up? Answers yes or no, and every check with its value.",
  },
  create_session: {
    operation: "create",
    description:
      "Begin a durable session for a piece of work, before its first step. Keep the session_id: all other tools take it as id.",
  },
  resume_session: {
    operation: "resume",
    description: "Resume a suspended session. It does not matter which interface suspended it.",
  },
  update_session: {
    operation: "update",
    description:
      "Say what you are doing (phase), keep short facts (metadata, merged key by key), or count an error. A final phase ends the session.",
    destructive: true,
  },
  record_turn: {
    operation: "record_turn",
    description:
      "Record one exchange: what you were asked and what you answered. The newest ones are shown when the session is resumed.",
  },
  begin_action: {
    operation: "begin_action",
    description:
      "Record what you are about to do, BEFORE you do it, above all what changes something outside (effects: remote). If you die in between, nobody repeats it unasked. Keep the action_id.",
  },
  complete_action: {
    operation: "complete_action",
    description: "Record what became of an action, right after it: success, failure, or what else.",
    idempotent: true,
  },
  save_checkpoint: {
    operation: "save_checkpoint",
    description:
      "Save a named state to return to, at each milestone: all that you would need to go on from here with no memory.",
  },
  restore_checkpoint: {
    operation: "restore_checkpoint",
    description:
      "Return to a checkpoint: answers its state, and notes that work goes on from there.",
  },
  request_approval: {
    operation: "request_approval",
    description:
      "Ask a person before something risky. The session is suspended until there is an answer, for hours or days if need be; look for it with get_session and read_log (approval.decided).",
  },
  list_approvals: {
    operation: "list_approvals",
    description: "Which questions wait for a person, over all sessions?",
  },
  read_log: {
    operation: "log",
    description:
      "What happened in a session, in order, every event: answers of people, phases, turns, actions. Pages forward from after, or backwards from before.",
  },
  suspend_session: {
    operation: "suspend",
    description:
      "Pause a session and save a checkpoint of its conversation; it can be resumed later.",
    assumed: { reason: "api_requested" },
  },
  finish_session: {
    operation: "finalize",
    description:
      "End a session when its work is done, has failed or is given up, with a summary of what was achieved.",
    destructive: true,
  },
  fork_session: {
    operation: "fork",
    description:
      "Begin a new session that shares another's history up to an event: to try another way, or to go on from one that is closed.",
  },
  compare_sessions: {
    operation: "compare",
    description:
      "Where do two sessions differ? What each did since they parted, turn by turn: for choosing between forks.",
  },
  merge_session: {
    operation: "merge",
    description:
      "Bring a fork's work back into the session it was forked from. Look with dry_run first; say by rule what happens to what both changed.",
    idempotent: true,
  },
  update_task: {
    operation: "update_task",
    description: "Change the task that a session serves (its task_id): title, status, priority.",
    idempotent: true,
    destructive: true,
  },
  submit_agent_session: {
    operation: "submit_observation",
    description:
      "Report a whole session in one call, if you do not record it step by step: its actions, checkpoints and outcomes so far. Call it again with the same session_id to add to it; nothing that was said before is lost.",
    documented: SubmittedSession,
  },
  query_entity_timeline: {
    operation: "timeline",
    description:
      "What was done about an entity (a ticket, a feature, a task, a session), by whom and when, over all sessions. Dates alone include the whole day.",
  },
} as const satisfies Tools;

export type ToolName = keyof typeof TOOLS;

/** The instructions that every agent gets when it connects. */
export const INSTRUCTIONS = `Belay keeps your sessions: they survive crashes, restarts and waiting for people.
- At the start: query_agent_history (limit 5) or list_sessions (active_only) to see what was under way. To go on with it: should_resume, then resume_session if it is suspended; else create_session.
- While you work: begin_action before anything that changes the world, complete_action right after; save_checkpoint at milestones; record_turn for what was said.
- When a person must decide: request_approval, then get_session until pending_approvals is 0.
- At the end: finish_session, or suspend_session if you will come back.
- An agent that only reports calls submit_agent_session, as often as there is news.
Everything that was answered is on disk. A call may be repeated with its idempotency_key without being done twice.`;
