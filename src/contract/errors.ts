/** The one closed list of error codes. Each code maps to one exit code and one HTTP status. */
export const ERRORS = {
  invalid_input: { exit: 2, http: 400 },
  invalid_id: { exit: 2, http: 400 },
  ambiguous_id: { exit: 2, http: 400 },
  unknown_filter: { exit: 2, http: 400 },
  usage: { exit: 2, http: 400 },
  schema_validation_failed: { exit: 2, http: 422 },
  too_large: { exit: 2, http: 413 },

  session_not_found: { exit: 3, http: 404 },
  file_not_found: { exit: 3, http: 404 },
  checkpoint_not_found: { exit: 3, http: 404 },
  approval_not_found: { exit: 3, http: 404 },
  action_not_found: { exit: 3, http: 404 },
  turn_not_found: { exit: 3, http: 404 },
  task_not_found: { exit: 3, http: 404 },
  storage_missing: { exit: 3, http: 404 },
  event_not_found: { exit: 3, http: 404 },
  agent_not_found: { exit: 3, http: 404 },
  token_not_found: { exit: 3, http: 404 },
  person_not_found: { exit: 3, http: 404 },
  link_not_found: { exit: 3, http: 404 },
  webhook_not_found: { exit: 3, http: 404 },
  route_not_found: { exit: 3, http: 404 },
  wrong_method: { exit: 2, http: 405 },
  wrong_media_type: { exit: 2, http: 415 },
  wrong_host: { exit: 6, http: 421 },
  request_timeout: { exit: 2, http: 408 },

  session_exists: { exit: 4, http: 409 },
  task_exists: { exit: 4, http: 409 },
  webhook_exists: { exit: 4, http: 409 },
  action_exists: { exit: 4, http: 409 },
  version_conflict: { exit: 4, http: 409 },
  idempotency_conflict: { exit: 4, http: 409 },
  session_held: { exit: 4, http: 409 },
  lease_lost: { exit: 4, http: 409 },
  approval_closed: { exit: 4, http: 409 },
  approval_changed: { exit: 4, http: 409 },
  merge_conflict: { exit: 4, http: 409 },
  history_changed: { exit: 4, http: 410 },
  store_busy: { exit: 4, http: 503 },
  agents_busy: { exit: 4, http: 503 },
  server_not_running: { exit: 3, http: 503 },
  server_running: { exit: 4, http: 409 },
  address_taken: { exit: 4, http: 409 },
  shutting_down: { exit: 4, http: 503 },

  session_suspended: { exit: 1, http: 409 },
  session_not_suspended: { exit: 1, http: 409 },
  session_completed: { exit: 1, http: 409 },
  session_failed: { exit: 1, http: 409 },
  session_cancelled: { exit: 1, http: 409 },
  session_archived: { exit: 1, http: 409 },
  session_deleted: { exit: 1, http: 409 },
  session_not_deleted: { exit: 1, http: 409 },
  recovery_pending: { exit: 1, http: 409 },
  turn_open: { exit: 1, http: 409 },
  work_tree_refused: { exit: 1, http: 409 },
  not_related: { exit: 1, http: 409 },
  nothing_to_interrupt: { exit: 1, http: 409 },
  clock_uncertain: { exit: 1, http: 409 },
  limit_reached: { exit: 1, http: 409 },
  agent_failed: { exit: 1, http: 502 },

  storage_damaged: { exit: 5, http: 500 },
  storage_newer: { exit: 5, http: 500 },
  storage_full: { exit: 5, http: 507 },
  quota_exceeded: { exit: 5, http: 507 },
  storage_failed: { exit: 5, http: 500 },
  storage_read_only: { exit: 5, http: 500 },
  storage_unreachable: { exit: 5, http: 503 },
  storage_unsupported: { exit: 5, http: 500 },

  encryption_key_missing: { exit: 7, http: 500 },
  encryption_key_wrong: { exit: 7, http: 500 },

  too_many_requests: { exit: 4, http: 429 },
  not_authenticated: { exit: 6, http: 401 },
  not_allowed: { exit: 6, http: 403 },
  login_failed: { exit: 6, http: 502 },
  agent_not_trusted: { exit: 6, http: 403 },
  internal: { exit: 70, http: 500 },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/**
 * An expected failure, passed as a value until an interface turns it into its own form of error.
 */
export interface Refusal {
  readonly error: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function refuse(
  error: ErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Refusal {
  return { error, message, details };
}

/** A refusal or an internal error on its way to an interface. */
export class BelayError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.message, cause === undefined ? undefined : { cause });
    this.name = "BelayError";
    this.code = refusal.error;
    this.details = refusal.details;
  }

  toJSON(): Refusal {
    return { error: this.code, message: this.message, details: this.details };
  }
}
