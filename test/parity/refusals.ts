import type { Fields } from "./door.ts";
import type { Step } from "./scenario.ts";

const id = "refused-session";
const nobody = "nobody-knows-this";
const project = { cwd: "/srv/refused", repo: null, branch: null };
const create = (more: Fields = {}): Step => ({
  operation: "create",
  input: { session_id: id, agent_name: "elsewhere", project, idempotency_key: "once", ...more },
});
const turn = (output: string, key: string): Step => ({
  operation: "record_turn",
  input: { id, turn_id: `of-${key}`, input: "again?", output, idempotency_key: key },
});

const FORGED = `f-${Buffer.from('["999999999","0a1b2c3d"]').toString("base64url")}`;

/** Refusals, and steps that only look like ones: each with the code that every interface returns. */
export const REFUSALS: readonly (readonly [Step, string | null])[] = [
  [create(), null],
  [create(), null],
  [create({ agent_name: "another" }), "idempotency_conflict"],
  [create({ idempotency_key: "twice" }), "session_exists"],
  [{ operation: "create", input: { session_id: "../up", agent_name: "a" } }, "invalid_id"],
  [
    {
      operation: "create",
      input: { agent_name: "demo", project: { ...project, cwd: "/no/such/folder" } },
    },
    "invalid_input",
  ],
  [{ operation: "get", input: { id: nobody } }, "session_not_found"],
  [{ operation: "get", input: { id: "no" } }, "session_not_found"],
  [{ operation: "log", input: { id: nobody } }, "session_not_found"],
  [{ operation: "log", input: { id, after: 1, before: 3 } }, "invalid_input"],
  [{ operation: "log", input: { id, before: 0 } }, "invalid_input"],
  [{ operation: "events", input: { after: "f-no-cursor" } }, "invalid_input"],
  // It names the event at a place that no store here has.
  [{ operation: "events", input: { after: FORGED } }, "history_changed"],
  [{ operation: "suspend", input: { id: nobody, reason: "api_requested" } }, "session_not_found"],
  [{ operation: "fork", input: { id, at: 99 } }, "event_not_found"],
  [turn("once", "turn"), null],
  [turn("once", "turn"), null],
  [turn("twice", "turn"), "idempotency_conflict"],
  [
    { operation: "update", input: { id, phase: "planning", expected_version: 99 } },
    "version_conflict",
  ],
  [{ operation: "update", input: { id, phase: "dreaming" } }, "invalid_input"],
  [{ operation: "get", input: { id }, as: "now" }, null],
  [
    {
      operation: "update",
      input: (earlier) => ({
        id,
        phase: "planning",
        expected_version: earlier("now").version,
      }),
    },
    null,
  ],
  [{ operation: "list", input: { status: ["sleeping"] } }, "invalid_input"],
  [{ operation: "list", input: { limit: 0 } }, "invalid_input"],
  [{ operation: "list", input: { search: "  " } }, "invalid_input"],
  [{ operation: "list", input: { cursor: "not-a-cursor" } }, "invalid_input"],
  [{ operation: "resume", input: { id } }, "session_not_suspended"],
  [{ operation: "send_message", input: { id, message: "hello" } }, "agent_not_found"],
  [{ operation: "handoff", input: { id, to: "no-such-agent" } }, "agent_not_found"],
  [{ operation: "replay", input: { id, agent: "no-such-agent" } }, "agent_not_found"],
  [{ operation: "interrupt", input: { id } }, "nothing_to_interrupt"],
  [{ operation: "show_checkpoint", input: { id, name: "none" } }, "checkpoint_not_found"],
  [{ operation: "restore_checkpoint", input: { id, name: "none" } }, "checkpoint_not_found"],
  [{ operation: "complete_action", input: { id, action_id: "none-at-all" } }, "action_not_found"],
  [{ operation: "begin_action", input: { id, action_id: "charge-1", type: "charge" } }, null],
  [
    { operation: "begin_action", input: { id, action_id: "charge-1", type: "charge" } },
    "action_exists",
  ],
  [{ operation: "complete_action", input: { id, action_id: "charge-1" } }, null],
  [
    { operation: "begin_action", input: { id, action_id: "charge-1", type: "charge" } },
    "action_exists",
  ],
  [
    { operation: "decide_approval", input: { approval_id: nobody, decision: "approved" } },
    "approval_not_found",
  ],
  [
    { operation: "answer_recovery", input: { approval_id: nobody, answer: "abort" } },
    "approval_not_found",
  ],
  [{ operation: "update_task", input: { task_id: "T-404", status: "done" } }, "task_not_found"],
  [{ operation: "revoke_token", input: { token_id: nobody } }, "token_not_found"],
  [{ operation: "remove_webhook", input: { webhook: nobody } }, "webhook_not_found"],
  [{ operation: "import_conversations", input: { tool: "atif", since: "soon" } }, "invalid_input"],
  [{ operation: "undelete", input: { id } }, "session_not_deleted"],
  [{ operation: "purge", input: { id } }, "session_not_deleted"],
  [{ operation: "submit_observation", input: { session_id: 7 } }, "schema_validation_failed"],
  [{ operation: "suspend", input: { id, reason: "api_requested" } }, null],
  [{ operation: "suspend", input: { id, reason: "api_requested" } }, "session_suspended"],
  [{ operation: "resume", input: { id } }, null],
  [{ operation: "finalize", input: { id, outcome: "failed", error: "no disk" } }, null],
  [{ operation: "update", input: { id, phase: "planning" } }, "session_failed"],
  [{ operation: "finalize", input: { id, outcome: "completed" } }, "session_failed"],
  [{ operation: "archive", input: { id } }, null],
  [{ operation: "update", input: { id, phase: "planning" } }, "session_archived"],
  [{ operation: "save_checkpoint", input: { id, name: "late" } }, "session_archived"],
  [{ operation: "delete", input: { id } }, null],
  [{ operation: "rename", input: { id, title: "late" } }, "session_deleted"],
];
