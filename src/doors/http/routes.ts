import { z } from "zod";
import type { OperationName, Output } from "../../contract/operations.ts";
import { Approval, Session } from "../../contract/session.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** A route that is one operation. Its path parameters have the names of input fields. */
export interface OperationRoute<K extends OperationName = OperationName> {
  readonly method: Method;
  readonly path: string;
  readonly operation: K;
  /** Fields that the route itself sets. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Defaults that differ from those of the operation. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly status?: 201;
  present?(output: Output<K>): unknown;
  /** The presented type, if it is not the operation's own output. */
  readonly output?: z.ZodType;
}

/** Operations whose routes do more than call them; they are in streams/own-routes.ts. */
export const OWN_OPERATIONS = {
  create: { route: "POST /sessions", because: "it also sends the first message" },
  send_message: {
    route: "POST /sessions/:id/messages",
    because: "it also returns the answer",
  },
  import_conversations: {
    route: "POST /imports/:tool",
    because: "it also reports its progress",
  },
} as const satisfies Partial<Record<OperationName, { route: string; because: string }>>;

type Routed = Exclude<OperationName, keyof typeof OWN_OPERATIONS>;

/** Some clients use this name. */
const SessionWithSecondId = Session.extend({ sessionId: z.string() });

function withSecondId(session: Session): z.infer<typeof SessionWithSecondId> {
  return { ...session, sessionId: session.session_id };
}

/** Every other operation has one route here, or it does not compile. */
export const ROUTES = {
  list: { method: "GET", path: "/sessions", operation: "list" },
  // Not below /sessions, because a session may be called "count".
  count: { method: "GET", path: "/counts", operation: "count" },
  get: { method: "GET", path: "/sessions/:id", operation: "get" },
  update: { method: "PATCH", path: "/sessions/:id", operation: "update" },
  delete: { method: "DELETE", path: "/sessions/:id", operation: "delete" },
  should_resume: {
    method: "GET",
    path: "/sessions/:id/should-resume",
    operation: "should_resume",
  },
  resume_plan: { method: "GET", path: "/sessions/:id/resume-plan", operation: "resume_plan" },
  turns: { method: "GET", path: "/sessions/:id/messages", operation: "turns" },
  log: { method: "GET", path: "/sessions/:id/events", operation: "log" },

  suspend: {
    method: "POST",
    path: "/sessions/:id/suspend",
    operation: "suspend",
    defaults: { reason: "api_requested" },
    present: ({ session_id, checkpoint_id }) => ({
      session_id,
      checkpoint_id,
      message: "Session suspended successfully",
    }),
    output: z.object({
      session_id: z.string(),
      checkpoint_id: z.string().nullable(),
      message: z.string(),
    }),
  },
  resume: {
    method: "POST",
    path: "/sessions/:id/resume",
    operation: "resume",
    present: withSecondId,
    output: SessionWithSecondId,
  },
  cancel: {
    method: "POST",
    path: "/sessions/:id/cancel",
    operation: "cancel",
    present: withSecondId,
    output: SessionWithSecondId,
  },
  interrupt: { method: "POST", path: "/sessions/:id/interrupt", operation: "interrupt" },
  finalize: { method: "POST", path: "/sessions/:id/finalize", operation: "finalize" },
  archive: { method: "POST", path: "/sessions/:id/archive", operation: "archive" },
  rename: { method: "POST", path: "/sessions/:id/rename", operation: "rename" },
  pin: { method: "POST", path: "/sessions/:id/pin", operation: "pin" },
  unpin: { method: "POST", path: "/sessions/:id/unpin", operation: "unpin" },
  set_expiry: { method: "POST", path: "/sessions/:id/expiry", operation: "set_expiry" },
  undelete: { method: "POST", path: "/sessions/:id/undelete", operation: "undelete" },
  purge: { method: "POST", path: "/sessions/:id/purge", operation: "purge" },
  fork: { method: "POST", path: "/sessions/:id/fork", operation: "fork", status: 201 },

  handoff: { method: "POST", path: "/sessions/:id/handoff", operation: "handoff" },
  replay: { method: "POST", path: "/sessions/:id/replay", operation: "replay", status: 201 },
  merge: { method: "POST", path: "/sessions/:id/merge", operation: "merge" },
  compare: { method: "GET", path: "/sessions/:id/compare", operation: "compare" },
  branches: { method: "GET", path: "/sessions/:id/branches", operation: "branches" },

  record_turn: {
    method: "POST",
    path: "/sessions/:id/turns",
    operation: "record_turn",
    status: 201,
  },
  begin_action: {
    method: "POST",
    path: "/sessions/:id/actions",
    operation: "begin_action",
    status: 201,
  },
  complete_action: {
    method: "POST",
    path: "/sessions/:id/actions/:action_id/complete",
    operation: "complete_action",
  },
  save_checkpoint: {
    method: "POST",
    path: "/sessions/:id/checkpoints",
    operation: "save_checkpoint",
    status: 201,
  },
  list_checkpoints: {
    method: "GET",
    path: "/sessions/:id/checkpoints",
    operation: "list_checkpoints",
  },
  show_checkpoint: {
    method: "GET",
    path: "/sessions/:id/checkpoints/:name",
    operation: "show_checkpoint",
  },
  restore_checkpoint: {
    method: "POST",
    path: "/sessions/:id/checkpoints/:name/restore",
    operation: "restore_checkpoint",
  },
  record_outcome: {
    method: "POST",
    path: "/sessions/:id/outcomes",
    operation: "record_outcome",
    status: 201,
  },
  list_artifacts: {
    method: "GET",
    path: "/sessions/:id/artifacts",
    operation: "list_artifacts",
  },
  record_artifact: {
    method: "POST",
    path: "/sessions/:id/artifacts",
    operation: "record_artifact",
    status: 201,
  },

  request_approval: {
    method: "POST",
    path: "/sessions/:id/approvals",
    operation: "request_approval",
    status: 201,
  },
  list_approvals: { method: "GET", path: "/approvals", operation: "list_approvals" },
  decide_approval: {
    method: "POST",
    path: "/approvals/:approval_id",
    operation: "decide_approval",
  },
  answer_recovery: {
    method: "POST",
    path: "/approvals/:approval_id/answer",
    operation: "answer_recovery",
  },
  recover: { method: "POST", path: "/recover", operation: "recover" },
  recoveries: { method: "GET", path: "/recoveries", operation: "recoveries" },
  cleanup: { method: "POST", path: "/cleanup", operation: "cleanup" },
  expiration: { method: "GET", path: "/expiration", operation: "expiration" },
  set_expiration: { method: "POST", path: "/expiration", operation: "set_expiration" },

  submit_observation: {
    method: "POST",
    path: "/observations",
    operation: "submit_observation",
  },
  events: { method: "GET", path: "/events", operation: "events" },
  history: { method: "GET", path: "/history", operation: "history" },
  export: { method: "GET", path: "/sessions/:id/export", operation: "export" },
  timeline: { method: "GET", path: "/timeline", operation: "timeline" },
  spans: { method: "GET", path: "/spans", operation: "spans" },
  audit: { method: "GET", path: "/audit", operation: "audit" },
  stats: { method: "GET", path: "/stats", operation: "stats" },
  next: { method: "GET", path: "/next", operation: "next" },
  agents: { method: "GET", path: "/agents", operation: "agents" },

  list_tasks: { method: "GET", path: "/tasks", operation: "list_tasks" },
  add_task: { method: "POST", path: "/tasks", operation: "add_task", status: 201 },
  update_task: { method: "PATCH", path: "/tasks/:task_id", operation: "update_task" },

  shares: { method: "GET", path: "/sessions/:id/shares", operation: "shares" },
  share: { method: "POST", path: "/sessions/:id/shares", operation: "share" },
  unshare: { method: "POST", path: "/sessions/:id/unshare", operation: "unshare" },
  shared: { method: "GET", path: "/shared", operation: "shared" },

  list_links: { method: "GET", path: "/sessions/:id/links", operation: "list_links" },
  add_link: { method: "POST", path: "/sessions/:id/links", operation: "add_link", status: 201 },
  preview_link: {
    method: "GET",
    path: "/sessions/:id/links/preview",
    operation: "preview_link",
  },
  revoke_link: {
    method: "DELETE",
    path: "/sessions/:id/links/:link_id",
    operation: "revoke_link",
  },

  list_people: { method: "GET", path: "/people", operation: "list_people" },
  add_person: { method: "POST", path: "/people", operation: "add_person", status: 201 },
  disable_person: {
    method: "POST",
    path: "/people/:name/disable",
    operation: "disable_person",
  },
  whoami: { method: "GET", path: "/whoami", operation: "whoami" },

  list_tokens: { method: "GET", path: "/tokens", operation: "list_tokens" },
  create_token: { method: "POST", path: "/tokens", operation: "create_token", status: 201 },
  revoke_token: { method: "DELETE", path: "/tokens/:token_id", operation: "revoke_token" },

  imports: { method: "GET", path: "/imports", operation: "imports" },
  list_webhooks: { method: "GET", path: "/webhooks", operation: "list_webhooks" },
  add_webhook: { method: "POST", path: "/webhooks", operation: "add_webhook", status: 201 },
  // POST /webhooks/:webhook receives the webhooks of other services.
  accept_webhook: {
    method: "POST",
    path: "/accepted-webhooks",
    operation: "accept_webhook",
    status: 201,
  },
  remove_webhook: { method: "DELETE", path: "/webhooks/:webhook", operation: "remove_webhook" },
  test_webhook: { method: "POST", path: "/webhooks/:webhook/test", operation: "test_webhook" },
  webhook_deliveries: {
    method: "GET",
    path: "/webhooks/:webhook/deliveries",
    operation: "webhook_deliveries",
  },
} as const satisfies { readonly [K in Routed]: OperationRoute<K> };

const SHOW_APPROVAL: OperationRoute<"list_approvals"> = {
  method: "GET",
  path: "/approvals/:approval_id",
  operation: "list_approvals",
  present: ({ approvals }) => approvals[0],
  output: Approval,
};

/** Alternative paths for the same operations. */
export const SECOND_ROUTES: readonly OperationRoute[] = [
  {
    method: "POST",
    path: "/sessions/:id/complete",
    operation: "finalize",
    fixed: { outcome: "completed" },
  },
  {
    method: "POST",
    path: "/sessions/:id/fail",
    operation: "finalize",
    fixed: { outcome: "failed" },
  },
  { method: "POST", path: "/agent-sessions/list", operation: "list" },
  { method: "GET", path: "/checkpoints/:name", operation: "show_checkpoint" },
  SHOW_APPROVAL,
];
