import { hintNext } from "../hint-next.ts";
import type { Commands } from "../operation-command.ts";
import * as show from "../show/show.ts";
import * as recovery from "../show/show-recovery.ts";

const QUESTION_ID = "APPROVAL_ID is the whole id, or its last eight digits.";

/** Commands that record work in a session, and its questions. */
export const workCommands = {
  "record-turn": {
    operation: "record_turn",
    positional: ["id"],
    example: "belay record-turn agent-20260108 --input 'plan it' --output 'three steps'",
    show: show.fields,
  },
  "begin-action": {
    operation: "begin_action",
    positional: ["id", "type"],
    example: "belay begin-action agent-20260108 deploy --effects remote",
    show: show.fields,
  },
  "complete-action": {
    operation: "complete_action",
    positional: ["id", "action_id"],
    example: "belay complete-action agent-20260108 0190f3c1 --result success",
    show: show.fields,
  },
  "checkpoint save": {
    operation: "save_checkpoint",
    positional: ["id", "name"],
    example: 'belay checkpoint save agent-20260108 tests_passing --state \'{"branch":"fix"}\'',
    show: show.checkpoint,
  },
  "checkpoint list": {
    operation: "list_checkpoints",
    positional: ["id"],
    example: "belay checkpoint list agent-20260108",
    show: show.checkpoints,
  },
  "checkpoint show": {
    operation: "show_checkpoint",
    positional: ["id", "name"],
    example: "belay checkpoint show agent-20260108 tests_passing",
    show: show.checkpoint,
  },
  "checkpoint restore": {
    operation: "restore_checkpoint",
    positional: ["id", "name"],
    example: "belay checkpoint restore agent-20260108 tests_passing --fork",
    show: show.restoredCheckpoint,
  },
  artifacts: {
    operation: "list_artifacts",
    positional: ["id"],
    example: "belay artifacts agent-20260108",
    show: show.artifacts,
  },
  approvals: {
    operation: "list_approvals",
    positional: [],
    flags: { id: "session" },
    example: "belay approvals --decided",
    show: show.approvals,
  },
  "approvals request": {
    operation: "request_approval",
    positional: ["id", "title"],
    example: "belay approvals request agent-20260108 'Apply the plan to production?'",
    show: show.approval,
  },
  approve: {
    operation: "decide_approval",
    doc: "Approve a request; the first answer counts",
    positional: ["approval_id"],
    fixed: { decision: "approved" },
    more: [QUESTION_ID, "A session's id shows its one question, and asks."],
    example: "belay approve 9d1c4e5f --note 'go ahead'",
    show: show.decision,
    afterwards: ({ session_id }, belay, program) => hintNext(session_id, belay, program),
  },
  reject: {
    operation: "decide_approval",
    doc: "Reject a request; the first answer counts",
    positional: ["approval_id"],
    fixed: { decision: "rejected" },
    more: [QUESTION_ID, "A session's id shows its one question, and asks."],
    example: "belay reject 9d1c4e5f --note 'not on a Friday'",
    show: show.decision,
    afterwards: ({ session_id }, belay, program) => hintNext(session_id, belay, program),
  },
  recover: {
    operation: "recover",
    positional: [],
    flags: { id: "session" },
    example: "belay recover --dry-run",
    show: recovery.recovery,
    afterwards: async ({ sessions }, belay, program) =>
      sessions.some(({ continued_turn_id }) => continued_turn_id)
        ? (await import("./agent-commands.ts")).continueTurns(sessions, belay, program)
        : 0,
    exitCode: (output) => (output.failed.length > 0 ? 1 : 0),
  },
  answer: {
    operation: "answer_recovery",
    positional: ["approval_id", "answer"],
    more: [QUESTION_ID, "A session's whole id names its recovery question."],
    example: "belay answer 9d1c4e5f rollback --dry-run",
    show: recovery.answeredRecovery,
    afterwards: async (output, belay, program) =>
      output.rollback.some(({ result }) => result === "planned")
        ? 0
        : hintNext(output.session_id, belay, program),
    exitCode: (output) => (output.rollback.some(({ result }) => result === "failed") ? 1 : 0),
  },
} as const satisfies Commands;
