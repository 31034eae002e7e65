import type { ErrorCode, Refusal } from "../contract/errors.ts";

type Door = "cli" | "http" | "mcp";

const FORK = {
  cli: "Use: belay fork ID",
  http: "Use POST /sessions/ID/fork.",
  mcp: "Use the tool fork_session.",
};

/** The next step after an error, in the words of each interface. ID is replaced by the session of the error. */
const NEXT_STEPS: Readonly<Partial<Record<ErrorCode, Readonly<Partial<Record<Door, string>>>>>> = {
  session_not_found: {
    cli: "List sessions with: belay list",
    http: "List sessions with GET /sessions.",
    mcp: "List sessions with the tool list_sessions.",
  },
  session_suspended: {
    cli: "Use: belay resume ID",
    http: "Use POST /sessions/ID/resume.",
    mcp: "Use the tool resume_session.",
  },
  session_failed: FORK,
  session_cancelled: FORK,
  session_archived: FORK,
  checkpoint_not_found: {
    cli: "Use: belay checkpoint list SESSION",
    http: "Use GET /sessions/SESSION/checkpoints.",
  },
  person_not_found: {
    cli: "List people with: belay people list",
    http: "List people with GET /people.",
  },
  link_not_found: { cli: "List the links of a session with: belay links list SESSION" },
  session_deleted: {
    cli: "Use: belay undelete ID",
    http: "Use POST /sessions/ID/undelete.",
  },
  approval_not_found: {
    cli: "List approvals with: belay approvals",
    http: "List approvals with GET /approvals.",
    mcp: "List approvals with the tool list_approvals.",
  },
  recovery_pending: {
    cli: "See it with: belay approvals",
    http: "See it with GET /approvals.",
    mcp: "See it with the tool list_approvals.",
  },
  task_not_found: {
    cli: "List tasks with: belay tasks list",
    http: "List tasks with GET /tasks.",
  },
  token_not_found: {
    cli: "List tokens with: belay token list",
    http: "List tokens with GET /tokens.",
  },
  webhook_not_found: {
    cli: "List webhooks with: belay webhooks list",
    http: "List webhooks with GET /webhooks.",
  },
};

/** The message of a refusal, followed by the next step in the words of this interface. */
export function messageFor(door: Door, { error, message, details }: Refusal): string {
  const step = NEXT_STEPS[error]?.[door];
  if (step === undefined) return message;
  const { session_id: id } = details;
  if (typeof id !== "string") return `${message} ${step}`;
  // OWNER/ID is one part of a path.
  return `${message} ${step.replace("ID", door === "http" ? id.replace("/", "%2F") : id)}`;
}
