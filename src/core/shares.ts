import type { OperationName } from "../contract/operations.ts";
import { SESSION_ROLES, type SessionRole } from "../contract/vocabulary.ts";

/**
 * The kind of the rows that store with whom a session is shared, one per person; the newest row of
 * each person counts.
 */
export const SHARE_ROW = "share";
/** The kind of the rows of a person that list the sessions shared with them. */
export const SHARED_ROW = "shared";
/** Means all people. No person can have this name. */
export const EVERYONE = "*";

/**
 * The lowest role that allows an operation on someone else's session; null if only the owner may
 * use it.
 */
export const LEAST_ROLE: Readonly<Record<OperationName, SessionRole | null>> = {
  get: "viewer",
  list: "viewer",
  count: "viewer",
  turns: "viewer",
  log: "viewer",
  timeline: "viewer",
  spans: "viewer",
  history: "viewer",
  events: "viewer",
  export: "viewer",
  list_checkpoints: "viewer",
  show_checkpoint: "viewer",
  list_artifacts: "viewer",
  list_approvals: "viewer",
  should_resume: "viewer",
  resume_plan: "viewer",

  decide_approval: "approver",

  send_message: "editor",
  interrupt: "editor",
  suspend: "editor",
  resume: "editor",
  fork: "editor",

  create: null,
  update: null,
  finalize: null,
  cancel: null,
  archive: null,
  rename: null,
  pin: null,
  unpin: null,
  delete: null,
  undelete: null,
  purge: null,
  record_turn: null,
  begin_action: null,
  complete_action: null,
  save_checkpoint: null,
  restore_checkpoint: null,
  record_outcome: null,
  record_artifact: null,
  submit_observation: null,
  request_approval: null,
  recover: null,
  recoveries: null,
  answer_recovery: null,
  next: null,
  audit: null,
  stats: null,
  expiration: null,
  set_expiration: null,
  set_expiry: null,
  imports: null,
  import_conversations: null,
  cleanup: null,
  compare: null,
  merge: null,
  handoff: null,
  replay: null,
  branches: null,
  agents: null,
  add_task: null,
  update_task: null,
  list_tasks: null,
  share: null,
  unshare: null,
  shares: null,
  shared: null,
  preview_link: null,
  add_link: null,
  list_links: null,
  revoke_link: null,
  add_person: null,
  list_people: null,
  disable_person: null,
  whoami: null,
  create_token: null,
  list_tokens: null,
  revoke_token: null,
  add_webhook: null,
  accept_webhook: null,
  list_webhooks: null,
  remove_webhook: null,
  test_webhook: null,
  webhook_deliveries: null,
};

export function mayDo(role: SessionRole, operation: OperationName): boolean {
  const least = LEAST_ROLE[operation];
  return least !== null && SESSION_ROLES.indexOf(role) >= SESSION_ROLES.indexOf(least);
}

/** The operation that answers a question of this kind. Its line in the table decides who may answer. */
export function answerOperation(kind: string): OperationName {
  if (kind === "recovery") return "answer_recovery";
  // The answer continues a merge, whose other session is not shared.
  return kind === "merge" ? "merge" : "decide_approval";
}

/** The part of an allowed operation that only the owner may do; null if the input asks for none. */
export function reservedPart(
  operation: OperationName,
  input: Readonly<Record<string, unknown>>,
): string | null {
  // A message to another agent is a handoff.
  const isHandoff = operation === "send_message" && input.agent !== undefined;
  return isHandoff ? "hand it to another agent" : null;
}

/** The content of a share row. */
export interface Share {
  readonly role: SessionRole | null;
  readonly until: number | null;
}

export function readShare(data: Readonly<Record<string, unknown>> | undefined): Share | null {
  const role = SESSION_ROLES.find((known) => known === data?.role) ?? null;
  return data ? { role, until: typeof data.until === "number" ? data.until : null } : null;
}

/** The best role that a person's shares give them now. */
export function roleOf(shares: readonly (Share | null)[], now: number): SessionRole | null {
  const roles = shares.flatMap((share) =>
    share && (share.until === null || now < share.until) ? (share.role ?? []) : [],
  );
  return SESSION_ROLES.findLast((role) => roles.includes(role)) ?? null;
}
