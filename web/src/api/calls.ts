import type { OperationName } from "../../../src/contract/operations.ts";

/** The route of each operation that the page uses; a test compares it with the server's own table. */
export const CALLS = {
  list: "GET /sessions",
  count: "GET /counts",
  get: "GET /sessions/:id",
  log: "GET /sessions/:id/events",
  list_artifacts: "GET /sessions/:id/artifacts",
  resume_plan: "GET /sessions/:id/resume-plan",
  suspend: "POST /sessions/:id/suspend",
  resume: "POST /sessions/:id/resume",
  interrupt: "POST /sessions/:id/interrupt",
  cancel: "POST /sessions/:id/cancel",
  archive: "POST /sessions/:id/archive",
  rename: "POST /sessions/:id/rename",
  pin: "POST /sessions/:id/pin",
  unpin: "POST /sessions/:id/unpin",
  delete: "DELETE /sessions/:id",
  undelete: "POST /sessions/:id/undelete",
  fork: "POST /sessions/:id/fork",
  list_approvals: "GET /approvals",
  decide_approval: "POST /approvals/:approval_id",
  answer_recovery: "POST /approvals/:approval_id/answer",
  recoveries: "GET /recoveries",
  recover: "POST /recover",
  spans: "GET /spans",
  stats: "GET /stats",
  agents: "GET /agents",
  list_tasks: "GET /tasks",
  imports: "GET /imports",
} as const satisfies Partial<Record<OperationName, string>>;

export type Called = keyof typeof CALLS;
