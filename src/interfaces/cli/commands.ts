import type { OperationName, Output } from "../../contract/operations.ts";
import type { Program, Terminal } from "./program.ts";
import * as show from "./show.ts";
import * as past from "./show-past.ts";
import * as recovery from "./show-recovery.ts";
import * as tokens from "./show-tokens.ts";
import * as webhooks from "./show-webhooks.ts";

/** A command that is one operation: what is given by position, what flags are called, how the answer looks. */
export interface OperationCommand<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly positional: readonly string[];
  readonly flags?: Readonly<Record<string, string>>;
  /** Fields that follow from the command itself. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly example: string;
  /** `reads` takes over new lines of the workspace's backlog first; `writes` adds one afterwards. */
  readonly backlog?: "reads" | "writes";
  /** At a terminal, and with nothing but what is given by position, it is this instead; null: the operation after all. */
  atTerminal?(positionals: readonly string[], program: Program): Promise<number | null>;
  /** Flags that make something else of the command than one operation. */
  readonly variants?: Readonly<Record<string, Variant>>;
  show(output: Output<K>, terminal: Terminal): string;
  /** A clean "no" is an answer, but not success. */
  exitCode?(output: Output<K>): number;
}

export interface Variant {
  readonly doc: string;
  run(args: readonly string[], program: Program): Promise<number>;
}

async function tellLog(args: readonly string[], program: Program): Promise<number> {
  return (await import("./tell-log.ts")).tellLog(args, program);
}

type Commands = Readonly<
  Record<string, { [K in OperationName]: OperationCommand<K> }[OperationName]>
>;

/** Every command that is an operation of the service. Help, completion and parsing come from here. */
export const COMMANDS = {
  create: {
    operation: "create",
    positional: [],
    flags: { agent_name: "agent", session_id: "id", task_id: "task" },
    backlog: "reads",
    example: "belay create --agent terraform-architect --purpose approval_workflow",
    show: show.session,
  },
  get: {
    operation: "get",
    positional: ["id"],
    example: "belay get agent-20260108-180530-abc12345",
    show: show.session,
  },
  update: {
    operation: "update",
    positional: ["id"],
    example: 'belay update agent-20260108 --phase approval --metadata \'{"ticket":"T001"}\'',
    show: show.session,
  },
  list: {
    operation: "list",
    positional: [],
    flags: { task_id: "task" },
    example: "belay list --active-only --agent terraform-architect",
    show: show.sessions,
  },
  "should-resume": {
    operation: "should_resume",
    positional: ["id"],
    example: "belay should-resume agent-20260108",
    show: show.advice,
    exitCode: (advice) =>
      advice.should_resume ? 0 : advice.reason === "session_not_found" ? 3 : 1,
  },
  finalize: {
    operation: "finalize",
    positional: ["id", "outcome"],
    example: "belay finalize agent-20260108 completed --summary 'Terraform applied'",
    show: show.session,
  },
  suspend: {
    operation: "suspend",
    positional: ["id"],
    example: "belay suspend agent-20260108",
    show: show.session,
  },
  resume: {
    operation: "resume",
    positional: ["id"],
    atTerminal: async ([id = ""], program) =>
      (await import("./agent-commands.ts")).takeUp(id, program),
    example: "belay resume agent-20260108",
    show: show.session,
  },
  "resume-plan": {
    operation: "resume_plan",
    positional: ["id"],
    example: "belay resume-plan agent-20260108",
    show: show.resumePlan,
  },
  interrupt: {
    operation: "interrupt",
    positional: ["id"],
    example: "belay interrupt agent-20260108",
    show: show.session,
  },
  cancel: {
    operation: "cancel",
    positional: ["id"],
    example: "belay cancel agent-20260108 --summary 'no longer needed'",
    show: show.session,
  },
  archive: {
    operation: "archive",
    positional: ["id"],
    example: "belay archive agent-20260108",
    show: show.session,
  },
  rename: {
    operation: "rename",
    positional: ["id", "title"],
    example: "belay rename agent-20260108 'Move the state bucket'",
    show: show.session,
  },
  pin: {
    operation: "pin",
    positional: ["id"],
    example: "belay pin agent-20260108",
    show: show.session,
  },
  unpin: {
    operation: "unpin",
    positional: ["id"],
    example: "belay unpin agent-20260108",
    show: show.session,
  },
  delete: {
    operation: "delete",
    positional: ["id"],
    example: "belay delete agent-20260108",
    show: show.session,
  },
  undelete: {
    operation: "undelete",
    positional: ["id"],
    example: "belay undelete agent-20260108",
    show: show.session,
  },
  fork: {
    operation: "fork",
    positional: ["id"],
    flags: { session_id: "id" },
    example: "belay fork agent-20260108 --at 12",
    show: show.session,
  },
  log: {
    operation: "log",
    positional: ["id"],
    variants: {
      "--follow": { doc: "go on with new events as they come", run: tellLog },
      "--ndjson": { doc: "all events, one JSON object per line", run: tellLog },
    },
    example: "belay log agent-20260108 --limit 20",
    show: show.log,
  },
  turns: {
    operation: "turns",
    positional: ["id"],
    example: "belay turns agent-20260108 --limit 5",
    show: show.turns,
  },
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
    example: "belay checkpoint restore agent-20260108 tests_passing",
    show: show.checkpoint,
  },
  approvals: {
    operation: "list_approvals",
    positional: [],
    example: "belay approvals",
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
    positional: ["approval_id"],
    fixed: { decision: "approved" },
    example: "belay approve 01a1de6a-3cff-74a1 --note 'go ahead'",
    show: show.decision,
  },
  reject: {
    operation: "decide_approval",
    positional: ["approval_id"],
    fixed: { decision: "rejected" },
    example: "belay reject 01a1de6a-3cff-74a1 --note 'not on a Friday'",
    show: show.decision,
  },
  recover: {
    operation: "recover",
    positional: [],
    flags: { id: "session" },
    example: "belay recover --dry-run",
    show: recovery.recovery,
    exitCode: (output) => (output.failed.length > 0 ? 1 : 0),
  },
  answer: {
    operation: "answer_recovery",
    positional: ["approval_id", "answer"],
    example: "belay answer 01a1de6a-3cff-74a1 rollback --dry-run",
    show: recovery.answeredRecovery,
    exitCode: (output) => (output.rollback.some(({ result }) => result === "failed") ? 1 : 0),
  },
  next: {
    operation: "next",
    positional: [],
    flags: { task_id: "task" },
    backlog: "reads",
    example: "belay next --task T001",
    show: show.next,
  },
  timeline: {
    operation: "timeline",
    positional: ["entity_id"],
    flags: { start_date: "from", end_date: "to" },
    example: "belay timeline FU-061 --from 2025-12-01 --to 2026-01-31",
    show: past.timeline,
  },
  history: {
    operation: "history",
    positional: [],
    flags: { session_id: "session" },
    example: "belay history --limit 10",
    show: past.history,
  },
  events: {
    operation: "events",
    positional: [],
    example: "belay events --limit 20",
    show: past.audit,
  },
  audit: {
    operation: "audit",
    positional: [],
    flags: { id: "session" },
    example: "belay audit --since 2026-01-08",
    show: past.audit,
  },
  stats: {
    operation: "stats",
    positional: [],
    example: "belay stats --from 2026-01-01 --agent terraform-architect",
    show: past.stats,
  },
  cleanup: {
    operation: "cleanup",
    positional: [],
    example: "belay cleanup --hours 24 --dry-run",
    show: show.cleanup,
  },
  "tasks add": {
    operation: "add_task",
    positional: ["title"],
    flags: { task_id: "id" },
    backlog: "writes",
    example: "belay tasks add 'Rotate the tokens' --priority high --est-hours 2",
    show: show.task,
  },
  "tasks update": {
    operation: "update_task",
    positional: ["task_id"],
    backlog: "writes",
    example: "belay tasks update T001 --status completed",
    show: show.task,
  },
  "tasks list": {
    operation: "list_tasks",
    positional: [],
    backlog: "reads",
    variants: {
      "--format": {
        doc: "md writes MASTER_BACKLOG.md",
        run: async (args, program) =>
          (await import("./workspace-commands.ts")).writeMasterBacklog(args, program),
      },
    },
    example: "belay tasks list --status pending",
    show: show.tasks,
  },
  "token create": {
    operation: "create_token",
    positional: [],
    example: "belay token create --name ci --scope read",
    show: tokens.created,
  },
  "token list": {
    operation: "list_tokens",
    positional: [],
    example: "belay token list",
    show: tokens.tokens,
  },
  "token revoke": {
    operation: "revoke_token",
    positional: ["token_id"],
    example: "belay token revoke 01a1de6a-3cff-74a1-8f0e-2b6a9d1c4e5f",
    show: tokens.revoked,
  },
  "webhooks add": {
    operation: "add_webhook",
    positional: ["url"],
    example: "belay webhooks add https://example.com/hook --on approval.requested,session.failed",
    show: webhooks.added,
  },
  "webhooks accept": {
    operation: "accept_webhook",
    positional: ["name"],
    flags: { agent_name: "agent" },
    example: "belay webhooks accept issues --preset github --agent gemini",
    show: webhooks.accepted,
  },
  "webhooks list": {
    operation: "list_webhooks",
    positional: [],
    example: "belay webhooks list",
    show: webhooks.webhooks,
  },
  "webhooks remove": {
    operation: "remove_webhook",
    positional: ["webhook"],
    example: "belay webhooks remove issues",
    show: webhooks.removed,
  },
  "webhooks test": {
    operation: "test_webhook",
    positional: ["webhook"],
    example: "belay webhooks test 01a1de6a-3cff-74a1-8f0e-2b6a9d1c4e5f",
    show: webhooks.tested,
    exitCode: ({ acknowledged }) => (acknowledged ? 0 : 1),
  },
  "webhooks deliveries": {
    operation: "webhook_deliveries",
    positional: ["webhook"],
    example: "belay webhooks deliveries 01a1de6a-3cff-74a1-8f0e-2b6a9d1c4e5f",
    show: webhooks.deliveries,
  },
} as const satisfies Commands;

export type CommandName = keyof typeof COMMANDS;
