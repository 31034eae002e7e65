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
      "Call this first to see what you or other agents did before. Returns sessions with all their actions, checkpoints (with states) and outcomes, newest first; with session_id, only that session.",
    present: presentHistory,
  },
  list_sessions: {
    operation: "list",
    description:
      "Find sessions by words, status, agent, phase, task or project, most recently active first, without their contents. Use it to find work to continue.",
  },
  get_session: {
    operation: "get",
    description:
      "Show one session: its status, phase, metadata, open actions, pending approvals, and what people decided since you last recorded work. Call it after request_approval to check for an answer.",
  },
  should_resume: {
    operation: "should_resume",
    description:
      "Check whether you may continue an earlier session without asking. Returns yes or no, and every check with its value.",
  },
  create_session: {
    operation: "create",
    description:
      "Create a durable session for a piece of work, before its first step. Keep the session_id: all other tools take it as id.",
  },
  resume_session: {
    operation: "resume",
    description: "Resume a suspended session. It does not matter which interface suspended it.",
  },
  update_session: {
    operation: "update",
    description:
      "Set what you are doing (phase), store short facts (metadata; each key replaces the stored value of that key), or count an error. A final phase ends the session.",
    destructive: true,
  },
  record_turn: {
    operation: "record_turn",
    description:
      "Record one turn: the message you received and your answer. The newest turns are shown when the session is resumed.",
  },
  begin_action: {
    operation: "begin_action",
    description:
      "Record an action BEFORE you start it, above all one that changes something outside this machine (effects: remote). If you crash before it ends, it is not repeated without asking. Keep the action_id.",
  },
  complete_action: {
    operation: "complete_action",
    description:
      "Record the result of an action, right after it: success, failure, or another word.",
    idempotent: true,
  },
  save_checkpoint: {
    operation: "save_checkpoint",
    description:
      "Save a named state at each milestone: everything you would need to continue from here without any memory.",
  },
  restore_checkpoint: {
    operation: "restore_checkpoint",
    description:
      "Return to a checkpoint. Returns its state, and records that work continues from there.",
  },
  request_approval: {
    operation: "request_approval",
    description:
      "Ask a person for approval before something risky. The session is suspended until it is answered, for hours or days if necessary. Check for the answer with get_session (decisions).",
  },
  list_approvals: {
    operation: "list_approvals",
    description:
      "List open approvals of all sessions or, with decided, closed ones: who decided what, when, and with which note.",
  },
  read_log: {
    operation: "log",
    description:
      "Read every event of a session in order: people's answers, phases, turns, actions. Pages forward from after, or backwards from before.",
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
      "End a session when its work is completed, has failed or is abandoned, with a summary of the results.",
    destructive: true,
  },
  fork_session: {
    operation: "fork",
    description:
      "Create a session that shares another session's history up to an event, to try another approach or to continue from a closed session.",
  },
  compare_sessions: {
    operation: "compare",
    description:
      "Compare two sessions, turn by turn, from the point where they split. Use it to choose between forks.",
  },
  merge_session: {
    operation: "merge",
    description:
      "Merge a fork into the session it was forked from. Use dry_run first. Set rule to resolve conflicts.",
    idempotent: true,
  },
  update_task: {
    operation: "update_task",
    description: "Change the task of a session (its task_id): title, status, priority.",
    idempotent: true,
    destructive: true,
  },
  submit_agent_session: {
    operation: "submit_observation",
    description:
      "Report a whole session in one call, if you do not record it step by step: its actions, checkpoints and outcomes so far. Call it again with the same session_id to add to it; nothing you reported before is lost.",
    documented: SubmittedSession,
  },
  query_entity_timeline: {
    operation: "timeline",
    description:
      "Show a timeline of actions about an entity (a ticket, a feature, a task, a session) across all sessions. A date without a time includes the whole day.",
  },
} as const satisfies Tools;

export type ToolName = keyof typeof TOOLS;

/** The instructions that every agent gets when it connects. */
export const INSTRUCTIONS = `Belay stores your sessions, so that they survive crashes, restarts and long waits for people.
- At the start: query_agent_history (limit 5) or list_sessions (active_only) to find unfinished work. To continue it: should_resume, then resume_session if it is suspended; otherwise create_session.
- While you work: begin_action before anything that changes files or other systems, complete_action right after; save_checkpoint at milestones; record_turn for each message and answer.
- When a person must decide: request_approval, then get_session until pending_approvals is 0; decisions has the answer.
- At the end: finish_session, or suspend_session if you will continue later.
- If you only report your work: submit_agent_session, as often as you have news.
Everything Belay has confirmed is on disk. If you repeat a call with the same idempotency_key, it runs only once.`;
