// Written by `npm run write:library` from the table of operations. Do not edit.

/** The operations as methods, in groups. */
export interface BelayOperations {
  /** Sessions: each is a durable piece of work of one agent. */
  readonly sessions: SessionMethods;
  /** Turns: each is a prompt and everything the agent did to answer it. */
  readonly turns: TurnMethods;
  /** Actions: the intent is stored before the work starts, the result after it. */
  readonly actions: ActionMethods;
  /** Checkpoints: named, saved states of a session. */
  readonly checkpoints: CheckpointMethods;
  /** Approvals: durable requests to a person, with one answer each. */
  readonly approvals: ApprovalMethods;
  /** Outcomes that a session has led to. */
  readonly outcomes: OutcomeMethods;
  /** Artifacts that a session has produced. */
  readonly artifacts: ArtifactMethods;
  /** Observations: reports of an agent that Belay does not run about its own session. */
  readonly observations: ObservationMethods;
  /** Tasks: the work that sessions belong to. */
  readonly tasks: TaskMethods;
  /** Agents that can be run on this machine. */
  readonly agents: AgentMethods;
  /** Recovery: continuing safely after a crash. */
  readonly recovery: RecoveryMethods;
  /** The past: timelines, the audit trail, all events as one feed, statistics. */
  readonly past: PastMethods;
  /** Sessions that are shared with other people. */
  readonly shares: ShareMethods;
  /** Public links: pages without login that show a session, redacted. */
  readonly links: PublicLinkMethods;
  /** People of this server. */
  readonly people: PersonMethods;
  /** Tokens: access for programs over HTTP. */
  readonly tokens: TokenMethods;
  /** Webhooks: endpoints that Belay calls, and endpoints that others call. */
  readonly webhooks: WebhookMethods;
  /** Imports: conversations of other tools on this machine, as sessions. */
  readonly imports: ImportMethods;
}

export interface SessionMethods {
  /**
   * Create a session.
   *
   * Errors: invalid_id, session_exists, idempotency_conflict, too_large, limit_reached.
   */
  create(input: SessionCreateInput): Promise<Session>;
  /**
   * Show one session.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  get(input: SessionGetInput): Promise<Session>;
  /**
   * List sessions: pinned first, then those that need you, then by last activity.
   *
   * Errors: unknown_filter.
   */
  list(input?: SessionListInput): Promise<SessionListOutput>;
  /**
   * Count sessions by status, and open approvals.
   */
  count(): Promise<SessionCountOutput>;
  /**
   * Change a session's phase or metadata, count an error, or set whether it may be resumed.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, too_large, limit_reached.
   */
  update(input: SessionUpdateInput): Promise<Session>;
  /**
   * Change a session's title.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted, too_large.
   */
  rename(input: SessionRenameInput): Promise<Session>;
  /**
   * Pin a session, so that cleanup never removes it.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted.
   */
  pin(input: SessionPinInput): Promise<Session>;
  /**
   * Unpin a session, so that cleanup may remove it.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted.
   */
  unpin(input: SessionUnpinInput): Promise<Session>;
  /**
   * Pause a session and save a checkpoint of its conversation.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_suspended, too_large.
   */
  suspend(input: SessionSuspendInput): Promise<Session>;
  /**
   * Resume a suspended session, from any interface.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_not_suspended, recovery_pending.
   */
  resume(input: SessionResumeInput): Promise<Session>;
  /**
   * Check whether a session may be resumed automatically.
   *
   * Errors: invalid_id, ambiguous_id.
   */
  shouldResume(input: SessionShouldResumeInput): Promise<SessionShouldResumeOutput>;
  /**
   * Show how the session would be resumed.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  resumePlan(input: SessionResumePlanInput): Promise<SessionResumePlanOutput>;
  /**
   * End the work of a session with an outcome.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  finalize(input: SessionFinalizeInput): Promise<Session>;
  /**
   * Stop a session for good; it stays readable and can be forked.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  cancel(input: SessionCancelInput): Promise<Session>;
  /**
   * Archive a session permanently; it stays readable.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_archived, session_deleted.
   */
  archive(input: SessionArchiveInput): Promise<Session>;
  /**
   * Move a session to the trash; you can restore it for 7 days.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted.
   */
  delete(input: SessionDeleteInput): Promise<Session>;
  /**
   * Restore a session from the trash.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_not_deleted.
   */
  undelete(input: SessionUndeleteInput): Promise<Session>;
  /**
   * Remove a session from the trash for good, now.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, session_not_deleted, session_held.
   */
  purge(input: SessionPurgeInput): Promise<SessionPurgeOutput>;
  /**
   * Set or remove the time at which a session is deleted.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted.
   */
  setExpiry(input: SessionSetExpiryInput): Promise<Session>;
  /**
   * Show after how many days of inactivity sessions are deleted.
   */
  expiration(): Promise<SessionExpirationOutput>;
  /**
   * Set after how many days of inactivity sessions are deleted.
   *
   * Errors: store_busy.
   */
  setExpiration(input?: SessionSetExpirationInput): Promise<SessionSetExpirationOutput>;
  /**
   * Move inactive sessions to the trash, and purge sessions that were there for 7 days.
   *
   * Errors: clock_uncertain.
   */
  cleanup(input?: SessionCleanupInput): Promise<SessionCleanupOutput>;
  /**
   * Create a session that shares this one's history up to a point.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, session_exists, event_not_found, idempotency_conflict.
   */
  fork(input: SessionForkInput): Promise<Session>;
  /**
   * Hand a session to another agent, with what the previous agent knew.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_suspended, recovery_pending, agent_not_found, agent_not_trusted, agents_busy, turn_open, limit_reached.
   */
  handoff(input: SessionHandoffInput): Promise<SessionHandoffOutput>;
  /**
   * Send a session's prompts to another agent, in a new fork; use compare to see both side by side.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_suspended, agent_not_found, agent_not_trusted, agents_busy, limit_reached.
   */
  replay(input: SessionReplayInput): Promise<SessionReplayOutput>;
  /**
   * Merge a fork into the session it was forked from.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, not_related, merge_conflict, turn_open, event_not_found, limit_reached, recovery_pending.
   */
  merge(input: SessionMergeInput): Promise<SessionMergeOutput>;
  /**
   * Compare two sessions, turn by turn, from the point where they split.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  compare(input: SessionCompareInput): Promise<SessionCompareOutput>;
  /**
   * Show the tree of forks around a session.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  branches(input: SessionBranchesInput): Promise<SessionBranchesOutput>;
  /**
   * Read a session's events in order.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, history_changed.
   */
  log(input: SessionLogInput): Promise<SessionLogOutput>;
  /**
   * Export a session with all its events; redact replaces text that looks like a secret.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  export(input: SessionExportInput): Promise<SessionExportOutput>;
  /**
   * Show the newest unfinished session and its open questions.
   */
  next(input?: SessionNextInput): Promise<SessionNextOutput>;
}

export interface TurnMethods {
  /**
   * Read a session's transcript; by default the newest turns.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  list(input: TurnListInput): Promise<TurnListOutput>;
  /**
   * Record a whole turn of an agent that Belay does not run.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_held, too_large.
   */
  record(input: TurnRecordInput): Promise<TurnRecordOutput>;
  /**
   * Send a message to a session's agent; the agent answers messages in order.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_suspended, agent_not_found, agent_not_trusted, agents_busy, turn_open, limit_reached.
   */
  send(input: TurnSendInput): Promise<TurnSendOutput>;
  /**
   * Interrupt the running turn, or withdraw the messages that wait for an agent; the session stays open.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, nothing_to_interrupt.
   */
  interrupt(input: TurnInterruptInput): Promise<Session>;
}

export interface ActionMethods {
  /**
   * Record an action before the agent starts it.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_held, action_exists, limit_reached.
   */
  begin(input: ActionBeginInput): Promise<ActionBeginOutput>;
  /**
   * Record the result of an action.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_held, action_not_found.
   */
  complete(input: ActionCompleteInput): Promise<ActionCompleteOutput>;
}

export interface CheckpointMethods {
  /**
   * Save a named state that can be restored.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, too_large.
   */
  save(input: CheckpointSaveInput): Promise<Checkpoint>;
  /**
   * List a session's checkpoints, oldest first.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  list(input: CheckpointListInput): Promise<CheckpointListOutput>;
  /**
   * Show a checkpoint with its state.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, checkpoint_not_found.
   */
  show(input: CheckpointShowInput): Promise<Checkpoint>;
  /**
   * Return to a checkpoint: show its state, and record that work continues from there; a finished session is not changed.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted, checkpoint_not_found, turn_open, work_tree_refused.
   */
  restore(input: CheckpointRestoreInput): Promise<CheckpointRestoreOutput>;
}

export interface ApprovalMethods {
  /**
   * Request an approval from a person, and suspend the session until it is answered.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, limit_reached.
   */
  request(input: ApprovalRequestInput): Promise<Approval>;
  /**
   * List open or decided approvals.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, approval_not_found.
   */
  list(input?: ApprovalListInput): Promise<ApprovalListOutput>;
  /**
   * Approve or reject a request; the first answer counts.
   *
   * Errors: approval_not_found, approval_closed.
   */
  decide(input: ApprovalDecideInput): Promise<ApprovalDecideOutput>;
}

export interface OutcomeMethods {
  /**
   * Record an outcome of the work.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  record(input: OutcomeRecordInput): Promise<Session>;
}

export interface ArtifactMethods {
  /**
   * Record an artifact: a file or document that the work produced.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  record(input: ArtifactRecordInput): Promise<ArtifactRecordOutput>;
  /**
   * List a session's artifacts, oldest first.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  list(input: ArtifactListInput): Promise<ArtifactListOutput>;
}

export interface ObservationMethods {
  /**
   * Record an agent's report about its own session; reports about one session are merged.
   *
   * Errors: schema_validation_failed.
   */
  submit(): Promise<ObservationSubmitOutput>;
  /**
   * Read whole sessions: actions, checkpoints with their states, and outcomes.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, session_deleted.
   */
  history(input?: ObservationHistoryInput): Promise<ObservationHistoryOutput>;
}

export interface TaskMethods {
  /**
   * Add a task to the backlog.
   *
   * Errors: task_exists, too_large.
   */
  add(input: TaskAddInput): Promise<Task>;
  /**
   * Change a task.
   *
   * Errors: task_not_found, too_large.
   */
  update(input: TaskUpdateInput): Promise<Task>;
  /**
   * List tasks, the most recently changed first.
   *
   * Errors: unknown_filter.
   */
  list(input?: TaskListInput): Promise<TaskListOutput>;
}

export interface AgentMethods {
  /**
   * List agents, and why an agent cannot be run.
   */
  list(input?: AgentListInput): Promise<AgentListOutput>;
}

export interface RecoveryMethods {
  /**
   * Recover interrupted sessions: do what is safe, and ask a person about the rest.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, session_held.
   */
  run(input?: RecoveryRunInput): Promise<RecoveryRunOutput>;
  /**
   * Show interrupted sessions, the result of each recovery, and the open questions.
   */
  list(): Promise<RecoveryListOutput>;
  /**
   * Answer a recovery question: continue, roll back, or abort the session.
   *
   * Errors: approval_not_found, approval_closed, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  answer(input: RecoveryAnswerInput): Promise<RecoveryAnswerOutput>;
}

export interface PastMethods {
  /**
   * Show a timeline of the actions that mention an id (of a session, a task, a ticket or anything else).
   */
  timeline(input: PastTimelineInput): Promise<PastTimelineOutput>;
  /**
   * Show what was running at which time, in all sessions that mention an id.
   */
  spans(input: PastSpansInput): Promise<PastSpansOutput>;
  /**
   * Show who changed or read your sessions and tasks, and what was refused, oldest first.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, not_allowed, invalid_input.
   */
  audit(input?: PastAuditInput): Promise<PastAuditOutput>;
  /**
   * Read the events of all sessions and tasks as one feed, oldest first.
   *
   * Errors: history_changed.
   */
  events(input?: PastEventsInput): Promise<PastEventsOutput>;
  /**
   * Show statistics for a period: sessions resumed, succeeded and failed, and how long they took.
   */
  stats(input?: PastStatsInput): Promise<Stats>;
}

export interface ShareMethods {
  /**
   * Share a session with a person. A viewer can read and follow it. An approver can also approve or reject. An editor can also send messages; that is as powerful as a shell, within the agent's limits.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, not_allowed, person_not_found, session_deleted.
   */
  add(input: ShareAddInput): Promise<ShareAddOutput>;
  /**
   * Stop sharing a session; the person's streams end within two seconds.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  remove(input: ShareRemoveInput): Promise<ShareRemoveOutput>;
  /**
   * List the people a session is shared with.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  of(input: ShareOfInput): Promise<ShareOfOutput>;
  /**
   * List the sessions that others have shared with you.
   */
  received(): Promise<ShareReceivedOutput>;
}

export interface PublicLinkMethods {
  /**
   * Preview a public link: show which secrets it would hide.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  preview(input: PublicLinkPreviewInput): Promise<PublicLinkPreviewOutput>;
  /**
   * Create a public link: everyone who has it can read the session as it is now, redacted, without login. The link is shown only once.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, session_deleted, limit_reached.
   */
  add(input: PublicLinkAddInput): Promise<PublicLinkAddOutput>;
  /**
   * List the public links of a session.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  list(input: PublicLinkListInput): Promise<PublicLinkListOutput>;
  /**
   * Revoke a public link: its page shows nothing from then on.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, link_not_found.
   */
  revoke(input: PublicLinkRevokeInput): Promise<PublicLink>;
}

export interface PersonMethods {
  /**
   * Add a person, change a person, or enable a disabled person.
   *
   * Errors: not_allowed, invalid_input.
   */
  add(input: PersonAddInput): Promise<PersonAddOutput>;
  /**
   * List the people of this server.
   */
  list(): Promise<PersonListOutput>;
  /**
   * Disable a person: their tokens, streams and shares stop working at once.
   *
   * Errors: not_allowed, person_not_found, invalid_input.
   */
  disable(input: PersonDisableInput): Promise<PersonDisableOutput>;
  /**
   * Show which person you act as, and what your token allows.
   */
  whoami(): Promise<PersonWhoamiOutput>;
}

export interface TokenMethods {
  /**
   * Create a token for a program; the token is shown only once.
   *
   * Errors: not_allowed, too_large, invalid_input, person_not_found.
   */
  create(input?: TokenCreateInput): Promise<TokenCreateOutput>;
  /**
   * List tokens.
   */
  list(): Promise<TokenListOutput>;
  /**
   * Revoke a token; its open streams end.
   *
   * Errors: token_not_found.
   */
  revoke(input: TokenRevokeInput): Promise<Token>;
}

export interface WebhookMethods {
  /**
   * Send events of your sessions to an address, signed according to Standard Webhooks.
   *
   * Errors: limit_reached, too_large, storage_unsupported, store_busy.
   */
  add(input: WebhookAddInput): Promise<WebhookAddOutput>;
  /**
   * Let another service send messages to an agent through signed requests to /webhooks/NAME.
   *
   * Errors: limit_reached, too_large, webhook_exists, storage_unsupported, store_busy.
   */
  accept(input: WebhookAcceptInput): Promise<WebhookAcceptOutput>;
  /**
   * List webhooks: addresses that events are sent to, their state, and accepted names.
   */
  list(): Promise<WebhookListOutput>;
  /**
   * Remove a webhook.
   *
   * Errors: webhook_not_found, store_busy.
   */
  remove(input: WebhookRemoveInput): Promise<WebhookRemoveOutput>;
  /**
   * Send a test event now and show the answer; if it succeeds, a webhook that Belay stopped (parked) continues.
   *
   * Errors: webhook_not_found, storage_unsupported.
   */
  test(input: WebhookTestInput): Promise<WebhookTestOutput>;
  /**
   * List deliveries of a webhook, newest first.
   *
   * Errors: webhook_not_found.
   */
  deliveries(input: WebhookDeliveriesInput): Promise<WebhookDeliveriesOutput>;
}

export interface ImportMethods {
  /**
   * List the tools to import from, and where their conversations are on this machine.
   *
   * Errors: not_allowed.
   */
  list(): Promise<ImportListOutput>;
  /**
   * Import a tool's conversations from this machine; a second import adds only what is new.
   *
   * Errors: not_allowed.
   */
  run(input: ImportRunInput): Promise<ImportRunOutput>;
}

export interface SessionCreateInput {
  /** The agent that does the work. */
  readonly agent_name: string;
  /** What the session is for. */
  readonly purpose?: string | undefined;
  /** The session's id; default: a new id. */
  readonly session_id?: string | undefined;
  /** A short title for lists. */
  readonly title?: string | undefined;
  /** The task it belongs to. */
  readonly task_id?: string | undefined;
  /** Facts to store with the session, by name. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The folder and branch it works in, such as {"cwd": "/src/app", "branch": "fix"}. */
  readonly project?: ProjectInput | undefined;
  /** The agent can reopen its own record of the conversation. Default: false. */
  readonly supports_resume?: boolean | undefined;
  /** Delete the session at this time (a span from now, such as 12h, 7d or 4w; or ISO 8601; UTC unless it has a time zone). */
  readonly expires_at?: string | undefined;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
}

/** the folder and branch it works in, such as {"cwd": "/src/app", "branch": "fix"} */
export interface ProjectInput {
  readonly cwd: string | null;
  readonly repo: string | null;
  readonly branch: string | null;
}

export interface Session {
  readonly session_id: string;
  /** The same as session_id. */
  readonly agent_id: string;
  readonly entity_id: string;
  readonly agent_name: string;
  readonly interface: "cli" | "api" | "graphql" | "webhook" | "mcp" | "hook" | "library" | "web";
  readonly owner: string;
  readonly purpose: string | null;
  readonly title: string | null;
  readonly project: Project | null;
  readonly task_id: string;
  readonly status:
    | "created"
    | "active"
    | "suspended"
    | "completed"
    | "failed"
    | "cancelled"
    | "archived";
  readonly state: "created" | "active" | "suspended" | "completed" | "failed";
  readonly display_status: "active" | "suspended" | "archived" | "error";
  /** What the session is doing; interrupted: a process ended in the middle of its work. */
  readonly activity:
    | "working"
    | "idle"
    | "needs_you"
    | "failed"
    | "interrupted"
    | "suspended"
    | "done";
  readonly phase:
    | "initializing"
    | "investigating"
    | "planning"
    | "approval"
    | "executing"
    | "validating"
    | "completed"
    | "failed"
    | "abandoned";
  readonly run: number;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  /** The same as updated_at. */
  readonly last_updated: string;
  readonly ended_at: string | null;
  /** Length of the last finished run, in seconds. */
  readonly duration: number | null;
  readonly summary: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it is resumed automatically. */
  readonly suspended_until: string | null;
  readonly checkpoint_id: string | null;
  readonly parent_session_id: string | null;
  readonly supports_resume: boolean;
  readonly resume_ready: boolean;
  readonly error_count: number;
  readonly last_error: string | null;
  /** Phase changes, oldest first; lists show the newest few. */
  readonly history: PhaseChange[];
  readonly turn_count: number;
  readonly queued_messages: number;
  /** Set if the session waits for a free agent of this server; 1 is the next. */
  readonly queue_position: number | null;
  readonly open_actions: number;
  readonly pending_approvals: number;
  /** What people decided since the agent's last turn or, if Belay does not run the agent, since it last recorded work; newest first, at most 10; not in lists. */
  readonly decisions?: NewDecision[] | undefined;
  readonly usage: Usage;
  readonly pinned: boolean;
  /** When it is deleted automatically. */
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  /** The process that runs the agent now. */
  readonly driver: string | null;
  /** True if work was in progress when its process ended. */
  readonly stale: boolean;
  readonly recovery: "awaiting-approval" | null;
  /** The seq of its newest event. */
  readonly version: number;
  /** Set if a change may be a mistake. */
  readonly warnings?: string[] | undefined;
}

export interface Project {
  readonly cwd: string | null;
  readonly repo: string | null;
  readonly branch: string | null;
}

export interface PhaseChange {
  readonly from_phase:
    | "initializing"
    | "investigating"
    | "planning"
    | "approval"
    | "executing"
    | "validating"
    | "completed"
    | "failed"
    | "abandoned";
  readonly to_phase:
    | "initializing"
    | "investigating"
    | "planning"
    | "approval"
    | "executing"
    | "validating"
    | "completed"
    | "failed"
    | "abandoned";
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}

export interface NewDecision {
  readonly approval_id: string;
  readonly kind: string;
  readonly title: string;
  readonly decision: "approved" | "rejected" | "expired";
  /** The person's note, or why it expired. */
  readonly note: string | null;
  /** True if the answer also covers similar requests. */
  readonly always: boolean;
  /** Who decided, such as user:ann, person:ann or token:ci. */
  readonly by: string;
  /** Where the answer came from. */
  readonly interface: string;
  /** ISO 8601, UTC. */
  readonly decided_at: string;
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
}

export interface SessionGetInput {
  readonly id: string;
}

export interface SessionListInput {
  /** Only created, active and suspended sessions. Default: false. */
  readonly active_only?: boolean | undefined;
  /** Only sessions of this agent. */
  readonly agent?: string | undefined;
  /** Only sessions with one of these statuses. */
  readonly status?:
    | readonly (
        | "created"
        | "active"
        | "suspended"
        | "completed"
        | "failed"
        | "cancelled"
        | "archived"
      )[]
    | undefined;
  /** Only sessions in this state. */
  readonly state?: "created" | "active" | "suspended" | "completed" | "failed" | undefined;
  /** Only sessions in this phase. */
  readonly phase?:
    | "initializing"
    | "investigating"
    | "planning"
    | "approval"
    | "executing"
    | "validating"
    | "completed"
    | "failed"
    | "abandoned"
    | undefined;
  /** Only sessions last used through this interface. */
  readonly interface?:
    | "cli"
    | "api"
    | "graphql"
    | "webhook"
    | "mcp"
    | "hook"
    | "library"
    | "web"
    | undefined;
  /** Only sessions in this working directory. */
  readonly project?: string | undefined;
  /** Only sessions of this task. */
  readonly task_id?: string | undefined;
  /** Also archived and cancelled sessions. Default: false. */
  readonly archived?: boolean | undefined;
  /** All failed sessions, not only those of the last 24 hours. Default: false. */
  readonly failed?: boolean | undefined;
  /** Only sessions in the trash. Default: false. */
  readonly deleted?: boolean | undefined;
  /** Last active at or after this time (ISO 8601; UTC unless it has a time zone). */
  readonly from?: string | undefined;
  /** Created at or before this time (ISO 8601; UTC unless it has a time zone). */
  readonly to?: string | undefined;
  /** Words to find in the title, purpose, id, agent, project folder, branch, task or summary. */
  readonly search?: string | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly cursor?: string | undefined;
}

export interface SessionListOutput {
  readonly sessions: Session[];
  /** Null on the last page; with search, earlier pages may be short or empty. */
  readonly next_cursor: string | null;
  readonly damaged: {
    readonly entity_id: string;
    readonly session_id: string;
  }[];
}

export interface SessionCountOutput {
  /** Without sessions in the trash. */
  readonly by_status: {
    readonly created: number;
    readonly active: number;
    readonly suspended: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly archived: number;
  };
  /** Sessions whose display_status is active or suspended. */
  readonly badge: number;
  /** Approvals that wait for you; in shared sessions, those that your role may answer. */
  readonly waiting: number;
}

export interface SessionUpdateInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  /** What the agent is doing; a final phase ends the session. */
  readonly phase?:
    | "initializing"
    | "investigating"
    | "planning"
    | "approval"
    | "executing"
    | "validating"
    | "completed"
    | "failed"
    | "abandoned"
    | undefined;
  /** The text of an error; the session counts it. */
  readonly error?: string | undefined;
  /** Facts to store; each key replaces the stored value of that key. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the session may be resumed automatically. */
  readonly resume_ready?: boolean | undefined;
}

export interface SessionRenameInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  readonly title: string;
}

export interface SessionPinInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
}

export interface SessionUnpinInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
}

export interface SessionSuspendInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  /** Why it is suspended: any text, or one of: user_requested, api_requested, approval, shutdown, pipeline_suspended. Default: "user_requested". */
  readonly reason?: string | undefined;
  /** Resume the session automatically at this time (ISO 8601; UTC unless it has a time zone). */
  readonly until?: string | undefined;
}

export interface SessionResumeInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
}

export interface SessionShouldResumeInput {
  readonly id: string;
}

export interface SessionShouldResumeOutput {
  readonly should_resume: boolean;
  readonly reason: string;
  readonly checks: {
    readonly check: string;
    readonly ok: boolean;
    readonly value: string | number | boolean;
    readonly expected: string;
  }[];
  /** What people decided that the agent may not know yet, newest first. */
  readonly decisions: NewDecision[];
}

export interface SessionResumePlanInput {
  readonly id: string;
}

export interface SessionResumePlanOutput {
  readonly session_id: string;
  readonly way: "attach" | "resume" | "load" | "replay" | "continue" | "fork" | "fresh";
  readonly why: string;
  readonly found: {
    readonly driver: string | null;
    readonly pending_approvals: string[];
    /** Open actions that may already have run. */
    readonly unknown_outcomes: string[];
    readonly cwd_moved: boolean;
    readonly turns: number;
    /** Size of the turns that a new agent would receive. */
    readonly context_bytes: number;
  };
}

export interface SessionFinalizeInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  /** How the run ended. */
  readonly outcome: "completed" | "failed" | "abandoned";
  /** A short summary of the results. */
  readonly summary?: string | undefined;
  /** Why it failed. */
  readonly error?: string | undefined;
}

export interface SessionCancelInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  /** A short reason. */
  readonly summary?: string | undefined;
}

export interface SessionArchiveInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
}

export interface SessionDeleteInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
}

export interface SessionUndeleteInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
}

export interface SessionPurgeInput {
  readonly id: string;
}

export interface SessionPurgeOutput {
  readonly purged: string[];
  /** Purged sessions whose events are still in forks; forks of other owners are shown as OWNER/…. */
  readonly shared: {
    readonly session_id: string;
    readonly forks: string[];
  }[];
  /** Copies of purged sessions that Belay cannot remove. */
  readonly not_covered: ("backups" | "agent_transcripts")[];
}

export interface SessionSetExpiryInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  /** Delete the session at this time (a span from now, such as 12h, 7d or 4w; or ISO 8601; UTC unless it has a time zone). */
  readonly expires_at?: string | undefined;
  /** Remove the time, so that the session does not expire. Default: false. */
  readonly never?: boolean | undefined;
}

export interface SessionExpirationOutput {
  /** For your sessions; null: no limit. */
  readonly own_days: number | null;
  /** For the sessions of all owners; null: no limit. */
  readonly everyone_days: number | null;
}

export interface SessionSetExpirationInput {
  /** Days of inactivity. */
  readonly after_days?: number | undefined;
  /** Never delete sessions because of their age. Default: false. */
  readonly never?: boolean | undefined;
  /** The sessions of all owners, not only yours. Default: false. */
  readonly everyone?: boolean | undefined;
}

export interface SessionSetExpirationOutput {
  /** For your sessions; null: no limit. */
  readonly own_days: number | null;
  /** For the sessions of all owners; null: no limit. */
  readonly everyone_days: number | null;
}

export interface SessionCleanupInput {
  /** Remove sessions inactive for this many hours. */
  readonly hours?: number | undefined;
  /** Remove expired sessions, not inactive ones. Default: false. */
  readonly expired?: boolean | undefined;
  /** Only show what would be removed. Default: false. */
  readonly dry_run?: boolean | undefined;
  /** Remove even if this computer's clock disagrees with the stored times. Default: false. */
  readonly force?: boolean | undefined;
}

export interface SessionCleanupOutput {
  readonly removed: string[];
  readonly purged: string[];
  /** Purged sessions whose events are still in forks; forks of other owners are shown as OWNER/…. */
  readonly shared: {
    readonly session_id: string;
    readonly forks: string[];
  }[];
  /** Copies of purged sessions that Belay cannot remove. */
  readonly not_covered: ("backups" | "agent_transcripts")[];
  readonly protected: {
    readonly session_id: string;
    readonly because: string;
  }[];
  readonly dry_run: boolean;
}

export interface SessionForkInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** The last event to share; default: all. */
  readonly at?: number | undefined;
  /** The session's id; default: a new id. */
  readonly session_id?: string | undefined;
  /** A title for the fork. */
  readonly title?: string | undefined;
}

export interface SessionHandoffInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  /** The agent that takes over. */
  readonly to: string;
  /** The first message for the new agent; default: it starts with the next message. */
  readonly message?: string | undefined;
  readonly turn_id?: string | undefined;
  /** Only show the text that the new agent would get. Default: false. */
  readonly dry_run?: boolean | undefined;
}

export interface SessionHandoffOutput {
  readonly session_id: string;
  /** The same as session_id. */
  readonly agent_id: string;
  readonly entity_id: string;
  readonly agent_name: string;
  readonly interface: "cli" | "api" | "graphql" | "webhook" | "mcp" | "hook" | "library" | "web";
  readonly owner: string;
  readonly purpose: string | null;
  readonly title: string | null;
  readonly project: Project | null;
  readonly task_id: string;
  readonly status:
    | "created"
    | "active"
    | "suspended"
    | "completed"
    | "failed"
    | "cancelled"
    | "archived";
  readonly state: "created" | "active" | "suspended" | "completed" | "failed";
  readonly display_status: "active" | "suspended" | "archived" | "error";
  /** What the session is doing; interrupted: a process ended in the middle of its work. */
  readonly activity:
    | "working"
    | "idle"
    | "needs_you"
    | "failed"
    | "interrupted"
    | "suspended"
    | "done";
  readonly phase:
    | "initializing"
    | "investigating"
    | "planning"
    | "approval"
    | "executing"
    | "validating"
    | "completed"
    | "failed"
    | "abandoned";
  readonly run: number;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  /** The same as updated_at. */
  readonly last_updated: string;
  readonly ended_at: string | null;
  /** Length of the last finished run, in seconds. */
  readonly duration: number | null;
  readonly summary: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it is resumed automatically. */
  readonly suspended_until: string | null;
  readonly checkpoint_id: string | null;
  readonly parent_session_id: string | null;
  readonly supports_resume: boolean;
  readonly resume_ready: boolean;
  readonly error_count: number;
  readonly last_error: string | null;
  /** Phase changes, oldest first; lists show the newest few. */
  readonly history: PhaseChange[];
  readonly turn_count: number;
  readonly queued_messages: number;
  /** Set if the session waits for a free agent of this server; 1 is the next. */
  readonly queue_position: number | null;
  readonly open_actions: number;
  readonly pending_approvals: number;
  /** What people decided since the agent's last turn or, if Belay does not run the agent, since it last recorded work; newest first, at most 10; not in lists. */
  readonly decisions?: NewDecision[] | undefined;
  readonly usage: Usage;
  readonly pinned: boolean;
  /** When it is deleted automatically. */
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  /** The process that runs the agent now. */
  readonly driver: string | null;
  /** True if work was in progress when its process ended. */
  readonly stale: boolean;
  readonly recovery: "awaiting-approval" | null;
  /** The seq of its newest event. */
  readonly version: number;
  /** Set if a change may be a mistake. */
  readonly warnings?: string[] | undefined;
  /** The turn that answers the message. */
  readonly turn_id: string | null;
  /** The text that the new agent would get (dry run only). */
  readonly told?: string | undefined;
}

export interface SessionReplayInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** The agent that answers; it may be the same agent. */
  readonly agent: string;
  /** Continue in this fork of an earlier replay. */
  readonly into?: string | undefined;
  /** Skip this many prompts. Default: 0. */
  readonly after?: number | undefined;
  /** Default: 10. */
  readonly limit?: number | undefined;
  /** False: only create the fork and return the prompts. Default: true. */
  readonly send?: boolean | undefined;
}

export interface SessionReplayOutput {
  /** The fork. */
  readonly session_id: string;
  readonly of: string;
  readonly prompts: string[];
  /** The value of after for the next page. */
  readonly next_cursor: number | null;
}

export interface SessionMergeInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** The session to merge into; default: the session it was forked from. */
  readonly into?: string | undefined;
  /** The last event to merge; default: all. */
  readonly at?: number | undefined;
  /** For conflicts: keep ours, use theirs, or ask a person; default: refuse the merge. */
  readonly rule?: "ours" | "theirs" | "ask" | undefined;
  /** Only show what the merge would change. Default: false. */
  readonly dry_run?: boolean | undefined;
}

export interface SessionMergeOutput {
  readonly session_id: string;
  /** The same as session_id. */
  readonly agent_id: string;
  readonly entity_id: string;
  readonly agent_name: string;
  readonly interface: "cli" | "api" | "graphql" | "webhook" | "mcp" | "hook" | "library" | "web";
  readonly owner: string;
  readonly purpose: string | null;
  readonly title: string | null;
  readonly project: Project | null;
  readonly task_id: string;
  readonly status:
    | "created"
    | "active"
    | "suspended"
    | "completed"
    | "failed"
    | "cancelled"
    | "archived";
  readonly state: "created" | "active" | "suspended" | "completed" | "failed";
  readonly display_status: "active" | "suspended" | "archived" | "error";
  /** What the session is doing; interrupted: a process ended in the middle of its work. */
  readonly activity:
    | "working"
    | "idle"
    | "needs_you"
    | "failed"
    | "interrupted"
    | "suspended"
    | "done";
  readonly phase:
    | "initializing"
    | "investigating"
    | "planning"
    | "approval"
    | "executing"
    | "validating"
    | "completed"
    | "failed"
    | "abandoned";
  readonly run: number;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  /** The same as updated_at. */
  readonly last_updated: string;
  readonly ended_at: string | null;
  /** Length of the last finished run, in seconds. */
  readonly duration: number | null;
  readonly summary: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it is resumed automatically. */
  readonly suspended_until: string | null;
  readonly checkpoint_id: string | null;
  readonly parent_session_id: string | null;
  readonly supports_resume: boolean;
  readonly resume_ready: boolean;
  readonly error_count: number;
  readonly last_error: string | null;
  /** Phase changes, oldest first; lists show the newest few. */
  readonly history: PhaseChange[];
  readonly turn_count: number;
  readonly queued_messages: number;
  /** Set if the session waits for a free agent of this server; 1 is the next. */
  readonly queue_position: number | null;
  readonly open_actions: number;
  readonly pending_approvals: number;
  /** What people decided since the agent's last turn or, if Belay does not run the agent, since it last recorded work; newest first, at most 10; not in lists. */
  readonly decisions?: NewDecision[] | undefined;
  readonly usage: Usage;
  readonly pinned: boolean;
  /** When it is deleted automatically. */
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  /** The process that runs the agent now. */
  readonly driver: string | null;
  /** True if work was in progress when its process ended. */
  readonly stale: boolean;
  readonly recovery: "awaiting-approval" | null;
  /** The seq of its newest event. */
  readonly version: number;
  /** Set if a change may be a mistake. */
  readonly warnings?: string[] | undefined;
  readonly merge: {
    /** The session that was merged. */
    readonly from: string;
    readonly into: string;
    /** The last event that both share. */
    readonly base: number;
    /** The new events of the merged session come after this seq. */
    readonly after: number;
    readonly to: number;
    readonly turns: number;
    readonly actions: number;
    readonly checkpoints: string[];
    readonly artifacts: string[];
    readonly outcomes: string[];
    /** The metadata that the merge sets. */
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly conflicts: {
      readonly kind: "metadata" | "checkpoint";
      readonly name: string;
      readonly ours: unknown;
      readonly theirs: unknown;
      readonly taken: "ours" | "theirs" | null;
    }[];
    /** False if there was nothing new. */
    readonly added: boolean;
    /** The approval that decides the conflicts. */
    readonly approval_id: string | null;
    readonly dry_run: boolean;
  };
}

export interface SessionCompareInput {
  readonly id: string;
  readonly with: string;
  /** Skip this many turns. Default: 0. */
  readonly after?: number | undefined;
  /** Number of turns per session. Default: 20. */
  readonly limit?: number | undefined;
}

export interface SessionCompareOutput {
  /** The last event that both sessions share; null: they share no history. */
  readonly common: {
    readonly session_id: string;
    readonly seq: number;
  } | null;
  readonly a: {
    readonly session_id: string;
    readonly entity_id: string;
    readonly agent_name: string;
    readonly title: string | null;
    readonly status:
      | "created"
      | "active"
      | "suspended"
      | "completed"
      | "failed"
      | "cancelled"
      | "archived";
    readonly version: number;
    readonly summary: string | null;
    readonly turns: number;
    readonly actions: number;
    /** The first 100 names. */
    readonly checkpoints: string[];
    /** The first 100 names. */
    readonly artifacts: string[];
    /** The type and id of the first 100. */
    readonly outcomes: string[];
    /** Usage of the whole session. */
    readonly usage: {
      readonly input_tokens: number;
      readonly output_tokens: number;
      readonly cost_usd: number;
    };
  };
  readonly b: {
    readonly session_id: string;
    readonly entity_id: string;
    readonly agent_name: string;
    readonly title: string | null;
    readonly status:
      | "created"
      | "active"
      | "suspended"
      | "completed"
      | "failed"
      | "cancelled"
      | "archived";
    readonly version: number;
    readonly summary: string | null;
    readonly turns: number;
    readonly actions: number;
    /** The first 100 names. */
    readonly checkpoints: string[];
    /** The first 100 names. */
    readonly artifacts: string[];
    /** The type and id of the first 100. */
    readonly outcomes: string[];
    /** Usage of the whole session. */
    readonly usage: {
      readonly input_tokens: number;
      readonly output_tokens: number;
      readonly cost_usd: number;
    };
  };
  readonly metadata: {
    readonly key: string;
    readonly a: unknown;
    readonly b: unknown;
  }[];
  readonly turns: {
    readonly a: {
      readonly turn_id: string;
      readonly status: string;
      readonly input: string;
      readonly output: string;
      readonly seconds: number | null;
      readonly tool_calls: string[];
      readonly seq: number;
    } | null;
    readonly b: {
      readonly turn_id: string;
      readonly status: string;
      readonly input: string;
      readonly output: string;
      readonly seconds: number | null;
      readonly tool_calls: string[];
      readonly seq: number;
    } | null;
  }[];
  /** The value of after for the next page. */
  readonly next_cursor: number | null;
}

export interface SessionBranchesInput {
  readonly id: string;
}

export interface SessionBranchesOutput {
  /** Parents before their forks, at most 200. */
  readonly branches: {
    readonly session_id: string;
    readonly entity_id: string;
    readonly parent_session_id: string | null;
    /** The event at which it was forked. */
    readonly at: number | null;
    readonly depth: number;
    readonly agent_name: string;
    readonly title: string | null;
    readonly status:
      | "created"
      | "active"
      | "suspended"
      | "completed"
      | "failed"
      | "cancelled"
      | "archived";
    readonly turns: number;
    readonly merged_into: string[];
    readonly deleted: boolean;
  }[];
  readonly more: boolean;
}

export interface SessionLogInput {
  readonly id: string;
  /** Only events after this one: its seq, or its cursor, which is checked. Default: 0. */
  readonly after?: number | string | undefined;
  /** The last events before this seq; a number above the last seq gives the newest events. */
  readonly before?: number | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
}

export interface SessionLogOutput {
  readonly events: LogEvent[];
  /** The value of after, or before, for the next page. */
  readonly next_cursor: number | null;
  /** The cursor of the last of these events, for following the log; null without events. */
  readonly cursor: string | null;
}

export interface LogEvent {
  readonly seq: number;
  readonly type: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

export interface SessionExportInput {
  readonly id: string;
  /** Replace secrets with [redacted:KIND]. Default: false. */
  readonly redact?: boolean | undefined;
  /** Only events after this seq. Default: 0. */
  readonly after?: number | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
}

export interface SessionExportOutput {
  readonly session: Session;
  readonly events: {
    readonly seq: number;
    readonly type: string;
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly actor: string;
    readonly interface: string;
    readonly trace_id: string | null;
    readonly data: Readonly<Record<string, unknown>>;
    /** Null in a redacted export, because a short secret could be guessed from its hash. */
    readonly hash: string | null;
  }[];
  /** Each secret that was replaced. */
  readonly hidden: HiddenSecret[];
  /** The value of after for the next page. */
  readonly next_cursor: number | null;
}

export interface HiddenSecret {
  /** The event that contains it; null: the session's own fields. */
  readonly seq: number | null;
  readonly path: string;
  /** The kind of secret. */
  readonly rule: string;
  readonly length: number;
}

export interface SessionNextInput {
  /** Only sessions of this task. */
  readonly task_id?: string | undefined;
  /** Only sessions in this working directory; default: all. */
  readonly project?: string | undefined;
}

export interface SessionNextOutput {
  readonly session: Session | null;
  readonly last_turn: Turn | null;
  readonly approvals: Approval[];
  /** If there is no session: the first task that has not started. */
  readonly task: Task | null;
}

export interface Turn {
  readonly turn_id: string;
  readonly status: string;
  readonly input: string;
  readonly output: string;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly seq: number;
  /** Set if input and output were cut at 2 MB; the log contains them in full, from seq on. */
  readonly whole_bytes?: number | undefined;
  /** The agent that answered, if Belay ran it. */
  readonly agent_name?: string | undefined;
  /** Set for a merge: the session it merged, and where its turns are. */
  readonly merged?:
    | {
        readonly session_id: string;
        readonly entity_id: string;
        readonly turns: number;
        readonly after: number;
        readonly to: number;
      }
    | undefined;
}

export interface Approval {
  readonly approval_id: string;
  readonly session_id: string;
  readonly agent_name: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string | null;
  /** ISO 8601, UTC. */
  readonly requested_at: string;
  readonly expires_at: string | null;
  /** The answers that the agent offers; empty: approve or reject. */
  readonly options: ("allow_once" | "allow_always" | "reject_once" | "reject_always")[];
  /** The tool call or action it is about. */
  readonly action: ApprovalAction | null;
  /** For a recovery: the commands that the answer rollback would run. */
  readonly rollback: RollbackStep[];
  readonly session_title: string | null;
  /** False if the process that asked has ended. */
  readonly answerable: boolean;
  /** The event that requested it. */
  readonly seq: number;
  /** Null while it is open. */
  readonly decided: ApprovalAnswer | null;
}

export interface ApprovalAction {
  readonly action_id: string;
  readonly type: string;
  readonly title: string;
  readonly effects: "none" | "local" | "remote" | "unknown";
  readonly input: unknown;
  readonly diffs: FileDiff[];
}

export interface FileDiff {
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

export interface RollbackStep {
  readonly title: string;
  readonly command: string;
}

export interface ApprovalAnswer {
  readonly decision: "approved" | "rejected" | "expired";
  /** The person's note, or why it expired. */
  readonly note: string | null;
  /** True if the answer also covers similar requests. */
  readonly always: boolean;
  /** Who decided, such as user:ann, person:ann or token:ci. */
  readonly by: string;
  /** Where the answer came from. */
  readonly interface: string;
  /** ISO 8601, UTC. */
  readonly decided_at: string;
}

export interface Task {
  readonly task_id: string;
  readonly title: string;
  readonly status: string;
  readonly source: string;
  readonly priority: string | null;
  readonly est_hours: number | null;
  readonly added_at: string | null;
  readonly session_id: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly updated_at: string;
}

export interface TurnListInput {
  readonly id: string;
  /** Only turns before this seq. */
  readonly before?: number | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
}

export interface TurnListOutput {
  readonly turns: Turn[];
  readonly next_cursor: number | null;
}

export interface TurnRecordInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  /** The turn's id; default: a new id. */
  readonly turn_id?: string | undefined;
  /** The message to the agent. */
  readonly input: string;
  /** The agent's answer. */
  readonly output: string;
  /** Tokens and cost, such as {"input_tokens": 5, "output_tokens": 9, "cost_usd": 0.01}. */
  readonly usage?: UsageInput | undefined;
}

/** tokens and cost, such as {"input_tokens": 5, "output_tokens": 9, "cost_usd": 0.01} */
export interface UsageInput {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
}

export interface TurnRecordOutput {
  readonly session_id: string;
  readonly turn_id: string;
  readonly version: number;
}

export interface TurnSendInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  readonly message: string;
  readonly turn_id?: string | undefined;
  /** Hand the session to this agent first. */
  readonly agent?: string | undefined;
}

export interface TurnSendOutput {
  readonly session_id: string;
  readonly turn_id: string;
  /** The seq of the event with the message. */
  readonly seq: number;
  readonly version: number;
  /** Set if the message waits for a free agent of this server; 1 is the next. */
  readonly queue_position?: number | undefined;
}

export interface TurnInterruptInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
}

export interface ActionBeginInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  /** The action's id; default: a new id. */
  readonly action_id?: string | undefined;
  readonly type: string;
  /** What the action may change; default: unknown. */
  readonly effects?: "none" | "local" | "remote" | "unknown" | undefined;
  /** Running it twice has the same effect as once. Default: false. */
  readonly idempotent?: boolean | undefined;
  /** The idempotency key that the action sends, so that a repeat is harmless. */
  readonly action_key?: string | undefined;
  /** Its process may outlive the session. Default: false. */
  readonly detachable?: boolean | undefined;
  /** Recovery never stops its process. Default: false. */
  readonly orphanable?: boolean | undefined;
  /** The commands that undo it, such as [{"title": "back to v1", "command": "./deploy v1"}]. */
  readonly rollback?:
    | readonly {
        readonly title: string;
        readonly command: string;
      }[]
    | undefined;
  /** The id of its process; a token needs scope admin for pid, rollback and paths. */
  readonly pid?: number | undefined;
  /** The command line of the process. */
  readonly cmd?: string | undefined;
  /** The file with its standard output. */
  readonly stdout_path?: string | undefined;
  /** The file with its standard error. */
  readonly stderr_path?: string | undefined;
  /** Files in the project folder to remove before a local action is repeated. */
  readonly temporary?: readonly string[] | undefined;
  /** Facts to store with the action. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ActionBeginOutput {
  readonly session_id: string;
  readonly action_id: string;
  readonly version: number;
}

export interface ActionCompleteInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  readonly action_id: string;
  /** How the action ended; default: completed. */
  readonly status?: "completed" | "failed" | "interrupted" | undefined;
  /** The result in one word; default: success. */
  readonly result?: string | undefined;
  /** Facts to store with the result. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ActionCompleteOutput {
  readonly session_id: string;
  readonly action_id: string;
  readonly version: number;
}

export interface CheckpointSaveInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  readonly name: string;
  /** The state to save. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
}

export interface Checkpoint {
  readonly name: string;
  readonly checkpoint_id: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly files?:
    | {
        /** The folder of the work tree. */
        readonly root: string;
        readonly commit: string;
        readonly tree: string;
        readonly count: number;
        readonly bytes: number;
      }
    | undefined;
  /** Why no files were recorded, shown or restored. */
  readonly files_skipped?: string | undefined;
  /** The session it was merged from. */
  readonly merged_from?: string | undefined;
}

export interface CheckpointListInput {
  readonly id: string;
  /** Only entries after this seq. Default: 0. */
  readonly after?: number | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
}

export interface CheckpointListOutput {
  readonly checkpoints: CheckpointLine[];
  readonly next_cursor: number | null;
}

export interface CheckpointLine {
  readonly name: string;
  readonly checkpoint_id: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly files?:
    | {
        /** The folder of the work tree. */
        readonly root: string;
        readonly commit: string;
        readonly tree: string;
        readonly count: number;
        readonly bytes: number;
      }
    | undefined;
  /** Why no files were recorded, shown or restored. */
  readonly files_skipped?: string | undefined;
  /** The session it was merged from. */
  readonly merged_from?: string | undefined;
}

export interface CheckpointShowInput {
  /** Not needed if name is the checkpoint's id. */
  readonly id?: string | undefined;
  /** The checkpoint's name or id. */
  readonly name: string;
}

export interface CheckpointRestoreInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  readonly name: string;
  /** Continue from there in a fork (needs scope write). Default: false. */
  readonly fork?: boolean | undefined;
  /** Also restore the files (needs scope admin). Default: false. */
  readonly files?: boolean | undefined;
  /** Only show the state and the file difference. Default: false. */
  readonly dry_run?: boolean | undefined;
  /** The value of present from a dry run; the restore is refused if files have changed since. */
  readonly expected_files?: string | undefined;
}

export interface CheckpointRestoreOutput {
  readonly name: string;
  readonly checkpoint_id: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly files?:
    | {
        /** The folder of the work tree. */
        readonly root: string;
        readonly commit: string;
        readonly tree: string;
        readonly count: number;
        readonly bytes: number;
      }
    | undefined;
  /** Why no files were recorded, shown or restored. */
  readonly files_skipped?: string | undefined;
  /** The session it was merged from. */
  readonly merged_from?: string | undefined;
  /** The session in which work continues. */
  readonly session_id: string;
  /** False if nothing was changed. */
  readonly restored: boolean;
  readonly difference?:
    | {
        readonly root: string;
        readonly commit: string;
        /** The files as they are now: give it back as expected_files. */
        readonly present: string;
        /** The first 500. */
        readonly changes: {
          readonly path: string;
          /** What restoring does to the file. */
          readonly change: "added" | "modified" | "removed";
          /** Lines; null for a binary file. */
          readonly added: number | null;
          readonly removed: number | null;
        }[];
        /** How many files change. */
        readonly total: number;
        /** The difference as text, the first 64 KB of it. */
        readonly patch: string;
        readonly patch_cut: boolean;
        readonly restored: boolean;
        /** The checkpoint that holds the files as they were before they were restored. */
        readonly undo: string | null;
      }
    | undefined;
}

export interface ApprovalRequestInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  readonly title: string;
  /** Details that help to decide. */
  readonly body?: string | undefined;
  /** When the request expires; default: never (ISO 8601; UTC unless it has a time zone). */
  readonly expires_at?: string | undefined;
}

export interface ApprovalListInput {
  /** Only approvals of this session; default: all sessions. */
  readonly id?: string | undefined;
  /** Only the approval with this whole id, open or not. */
  readonly approval_id?: string | undefined;
  /** Decided and expired approvals, newest first: the newest 20 of each session. Default: false. */
  readonly decided?: boolean | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly cursor?: string | undefined;
}

export interface ApprovalListOutput {
  readonly approvals: Approval[];
  /** Null on the last page; with decided, earlier pages may be short or empty. */
  readonly next_cursor: string | null;
  /** Sessions that cannot be read. */
  readonly damaged: string[];
}

export interface ApprovalDecideInput {
  readonly approval_id: string;
  readonly decision: "approved" | "rejected";
  /** A reason or an instruction for the agent. */
  readonly note?: string | undefined;
  /** Give the same answer to all similar requests. Default: false. */
  readonly always?: boolean | undefined;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
}

export interface ApprovalDecideOutput {
  readonly approval_id: string;
  readonly decision: "approved" | "rejected";
  readonly session_id: string;
}

export interface OutcomeRecordInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  readonly type: string;
  readonly outcome_id?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ArtifactRecordInput {
  readonly id: string;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
  /** Fail unless the session has this version. */
  readonly expected_version?: number | undefined;
  readonly name: string;
  readonly uri?: string | undefined;
  readonly media_type?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ArtifactRecordOutput {
  readonly session_id: string;
  readonly artifact_id: string;
}

export interface ArtifactListInput {
  readonly id: string;
  /** Only entries after this seq. Default: 0. */
  readonly after?: number | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
}

export interface ArtifactListOutput {
  readonly artifacts: Artifact[];
  readonly next_cursor: number | null;
}

export interface Artifact {
  readonly artifact_id: string;
  readonly name: string;
  readonly uri: string | null;
  readonly media_type: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** The session it was merged from. */
  readonly merged_from?: string | undefined;
}

export interface ObservationSubmitOutput {
  readonly entity_id: string;
  readonly observation_count: number;
  readonly warnings?: string[] | undefined;
}

export interface ObservationHistoryInput {
  /** Only this session. */
  readonly session_id?: string | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
  /** The time to sort by; with ended_at, sessions that have not ended come last. Default: "started_at". */
  readonly order_by?: "started_at" | "ended_at" | "updated_at" | undefined;
  /** The sort order; default: desc, newest first. */
  readonly order?: "asc" | "desc" | undefined;
  /** next_cursor of the previous page. */
  readonly cursor?: string | undefined;
}

export interface ObservationHistoryOutput {
  readonly sessions: {
    readonly entity_id: string;
    readonly snapshot: SessionSnapshot;
  }[];
  /** A session of more than 2 MB continues on the next page. */
  readonly next_cursor: string | null;
}

export interface SessionSnapshot {
  readonly session_id: string;
  readonly actions: ObservedAction[];
  readonly checkpoints: ObservedCheckpoint[];
  readonly outcomes: ObservedOutcome[];
  /** Seconds. */
  readonly duration?: number | undefined;
  readonly started_at: string;
  readonly ended_at?: string | undefined;
  /** What people decided since the agent last recorded work, newest first, if anything. */
  readonly decisions?: NewDecision[] | undefined;
}

export interface ObservedAction {
  readonly type: string;
  readonly result: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly timestamp?: string | undefined;
  /** The id of an action that was started here, to complete it. */
  readonly action_id?: string | undefined;
}

export interface ObservedCheckpoint {
  readonly name: string;
  readonly state?: Readonly<Record<string, unknown>> | undefined;
  readonly timestamp: string;
}

export interface ObservedOutcome {
  readonly type: string;
  readonly id?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface TaskAddInput {
  /** The task's id; default: a new id. */
  readonly task_id?: string | undefined;
  readonly title: string;
  /** The status, such as pending, running or completed. Default: "pending". */
  readonly status?: string | undefined;
  /** The priority, such as high or low. */
  readonly priority?: string | undefined;
  /** Estimated hours of work. */
  readonly est_hours?: number | undefined;
  /** When the task was added (ISO 8601; UTC unless it has a time zone). */
  readonly added_at?: string | undefined;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
}

export interface TaskUpdateInput {
  readonly task_id: string;
  /** A new title. */
  readonly title?: string | undefined;
  /** A new status. */
  readonly status?: string | undefined;
  /** The priority, such as high or low. */
  readonly priority?: string | undefined;
  /** Estimated hours of work. */
  readonly est_hours?: number | undefined;
  /** A request that is repeated with the same key runs only once. */
  readonly idempotency_key?: string | undefined;
}

export interface TaskListInput {
  /** Only tasks with this status. */
  readonly status?: string | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly cursor?: string | undefined;
}

export interface TaskListOutput {
  readonly tasks: Task[];
  readonly next_cursor: string | null;
  /** Tasks that cannot be read. */
  readonly damaged: string[];
}

export interface AgentListInput {
  /** Also list the agents of the workspace in this folder; ignored for members of a server and for tokens without scope write. */
  readonly cwd?: string | undefined;
}

export interface AgentListOutput {
  readonly agents: Agent[];
}

export interface Agent {
  readonly name: string;
  readonly source: "preset" | "user" | "workspace";
  readonly command: string;
  readonly installed: boolean;
  readonly path: string | null;
  readonly trusted: boolean;
  readonly problem: string | null;
  readonly hint: string | null;
}

export interface RecoveryRunInput {
  /** One session; default: all that need recovery. */
  readonly id?: string | undefined;
  /** Only show the plan. Default: false. */
  readonly dry_run?: boolean | undefined;
  /** Recover one session even if a process still runs it. Default: false. */
  readonly force?: boolean | undefined;
  /** Continue interrupted turns that need no decision, as servers do. Default: false. */
  readonly continue?: boolean | undefined;
}

export interface RecoveryRunOutput {
  readonly checked: number;
  readonly sessions: SessionRecovery[];
  readonly failed: {
    readonly session_id: string;
    readonly why: string;
  }[];
}

export interface SessionRecovery {
  readonly session_id: string;
  readonly agent_name: string;
  readonly status: "ok" | "manual-review" | "required-rollback";
  /** What was interrupted, in one sentence. */
  readonly happened: string;
  readonly actions: RecoveredAction[];
  readonly next_step: string | null;
  /** The approval that waits for a person. */
  readonly approval_id: string | null;
  /** The file that describes that question. */
  readonly checkpoint_file: string | null;
  /** The new turn in which the interrupted work continues automatically. */
  readonly continued_turn_id: string | null;
  /** False if there was nothing to do, or with dry_run. */
  readonly changed: boolean;
}

export interface RecoveredAction {
  readonly action_id: string;
  readonly type: string;
  readonly title: string;
  readonly effects: "none" | "local" | "remote" | "unknown";
  readonly process: "alive" | "gone" | "unproven";
  readonly pid: number | null;
  readonly step:
    | "proceed"
    | "wait"
    | "leave"
    | "leave_and_ask"
    | "rerun"
    | "rerun_with_key"
    | "ask"
    | "retry"
    | "review";
  readonly why: string;
  /** The end of its process's output. */
  readonly tail: string | null;
  /** Temporary files that were, or would be, removed before a repeat. */
  readonly removed: string[];
}

export interface RecoveryListOutput {
  /** Sessions not recovered yet, or with an open question; never a session that is running. */
  readonly pending: PendingRecovery[];
  /** At most 50, newest first. */
  readonly past: PastRecovery[];
  /** Sessions that could not be checked. */
  readonly failed: {
    readonly session_id: string;
    readonly why: string;
  }[];
}

export interface PendingRecovery {
  readonly session_id: string;
  readonly agent_name: string;
  readonly status: "ok" | "manual-review" | "required-rollback";
  /** What was interrupted, in one sentence. */
  readonly happened: string;
  readonly actions: RecoveredAction[];
  readonly next_step: string | null;
  /** The approval that waits for a person. */
  readonly approval_id: string | null;
  /** The file that describes that question. */
  readonly checkpoint_file: string | null;
  /** The new turn in which the interrupted work continues automatically. */
  readonly continued_turn_id: string | null;
  /** False if there was nothing to do, or with dry_run. */
  readonly changed: boolean;
  readonly session_title: string | null;
  /** The question's title; null if nothing was asked yet. */
  readonly title: string | null;
  /** The commands that the answer rollback would run. */
  readonly rollback: RollbackStep[];
  readonly asked_at: string | null;
}

export interface PastRecovery {
  readonly session_id: string;
  readonly session_title: string | null;
  readonly agent_name: string;
  readonly at: string;
  readonly status: "ok" | "manual-review" | "required-rollback";
  readonly steps: {
    readonly action_id: string;
    readonly type: string;
    readonly title: string;
    readonly step:
      | "proceed"
      | "wait"
      | "leave"
      | "leave_and_ask"
      | "rerun"
      | "rerun_with_key"
      | "ask"
      | "retry"
      | "review";
  }[];
  readonly next_step: string | null;
  /** The event that records it. */
  readonly seq: number;
}

export interface RecoveryAnswerInput {
  readonly approval_id: string;
  readonly answer: "continue" | "rollback" | "abort";
  /** With rollback: only show the steps. Default: false. */
  readonly dry_run?: boolean | undefined;
}

export interface RecoveryAnswerOutput {
  readonly approval_id: string;
  readonly answer: "continue" | "rollback" | "abort";
  readonly session_id: string;
  readonly status:
    | "created"
    | "active"
    | "suspended"
    | "completed"
    | "failed"
    | "cancelled"
    | "archived";
  readonly rollback: {
    readonly title: string;
    readonly command: string;
    readonly result: "planned" | "success" | "failed" | "not run";
    readonly output: string | null;
  }[];
  /** The turn in which the agent continues; null if Belay does not run the agent. */
  readonly continued_turn_id: string | null;
}

export interface PastTimelineInput {
  readonly entity_id: string;
  /** Only what happened at or after this time (ISO 8601; UTC unless it has a time zone). */
  readonly start_date?: string | undefined;
  /** Only what happened before this time; a date includes the whole day (ISO 8601; UTC unless it has a time zone). */
  readonly end_date?: string | undefined;
  /** next_cursor of the previous page. */
  readonly cursor?: string | undefined;
}

export interface PastTimelineOutput {
  readonly entity_id: string;
  readonly events: TimelineEvent[];
  /** Set if the answer was cut at 2 MB. */
  readonly next_cursor: string | null;
}

export interface TimelineEvent {
  readonly timestamp: string;
  readonly type: "session_started" | "action" | "checkpoint" | "session_ended";
  readonly session_id: string;
  readonly session_entity_id: string;
  readonly agent_name: string;
  /** An action's type, a checkpoint's name, or a status. */
  readonly name: string;
  readonly result: string | null;
}

export interface PastSpansInput {
  readonly entity_id: string;
  /** Only what happened at or after this time (ISO 8601; UTC unless it has a time zone). */
  readonly start_date?: string | undefined;
  /** Only what happened before this time; a date includes the whole day (ISO 8601; UTC unless it has a time zone). */
  readonly end_date?: string | undefined;
  /** Only what started before this seq, in the session with this id. */
  readonly before?: number | undefined;
  /** The newest spans of each kind, per session. Default: 500. */
  readonly limit?: number | undefined;
}

export interface PastSpansOutput {
  readonly entity_id: string;
  /** True if there are older sessions. */
  readonly more: boolean;
  /** At most 50, newest first. */
  readonly sessions: SessionSpans[];
}

export interface SessionSpans {
  readonly session_id: string;
  readonly entity_id: string;
  readonly agent_name: string;
  readonly title: string | null;
  readonly status:
    | "created"
    | "active"
    | "suspended"
    | "completed"
    | "failed"
    | "cancelled"
    | "archived";
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly version: number;
  /** The value of `before` for earlier spans; null if there are none. */
  readonly earlier: number | null;
  /** In the order in which they started. */
  readonly spans: Span[];
}

export interface Span {
  readonly kind: "phase" | "turn" | "action" | "approval" | "checkpoint" | "life" | "recovery";
  /** A phase's name, a turn's message, an action's title, or how an agent's process started. */
  readonly name: string;
  readonly status: string | null;
  /** What an action may change. */
  readonly effects: "none" | "local" | "remote" | "unknown" | null;
  /** True for an interrupted action that may have changed something. */
  readonly unknown: boolean;
  readonly from: string;
  /** Null: still running; for a single moment the same as from. */
  readonly to: string | null;
  /** The event that started it. */
  readonly seq: number;
  readonly turn_id: string | null;
  /** An action's id; for an approval, the action it is about. */
  readonly action_id: string | null;
}

export interface PastAuditInput {
  /** Only this session; default: all. */
  readonly id?: string | undefined;
  /** For server admins: all owners, without the contents of sessions and tasks. Default: false. */
  readonly everyone?: boolean | undefined;
  /** Only entries since then; default: the last 24 hours (ISO 8601; UTC unless it has a time zone). */
  readonly since?: string | undefined;
  /** Only what this person did, saw or was refused, and what happened in their own sessions. */
  readonly person?: string | undefined;
  /** Only changes (did), reads of shared sessions and links (saw), or refusals. */
  readonly what?: "did" | "saw" | "refused" | undefined;
  /** Only this many entries, the newest. Default: 200. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly cursor?: string | undefined;
}

export interface PastAuditOutput {
  readonly events: AuditEvent[];
  /** For earlier entries; null if there are none. */
  readonly next_cursor: string | null;
  /** True if you may read the entries of all owners. */
  readonly for_everyone: boolean;
}

export interface AuditEvent {
  readonly seq: number;
  readonly type: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly hash: string;
  readonly kind: string;
  readonly id: string;
  readonly owner: string;
}

export interface PastEventsInput {
  /** next_cursor of the previous page; default: from the start. */
  readonly after?: string | undefined;
  /** Entries per page. Default: 50. */
  readonly limit?: number | undefined;
}

export interface PastEventsOutput {
  readonly events: FeedEvent[];
  /** Null on the last page; earlier pages may be short. */
  readonly next_cursor: string | null;
  /** The cursor to continue from when you follow the feed. */
  readonly cursor: string;
}

export interface FeedEvent {
  readonly seq: number;
  readonly type: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly hash: string;
  readonly kind: string;
  readonly id: string;
  readonly cursor: string;
}

export interface PastStatsInput {
  /** Only sessions that were active at or after this time (ISO 8601; UTC unless it has a time zone). */
  readonly from?: string | undefined;
  /** Only sessions created before this time; a date includes the whole day (ISO 8601; UTC unless it has a time zone). */
  readonly to?: string | undefined;
  /** Only this agent. */
  readonly agent?: string | undefined;
}

export interface Stats {
  readonly from: string | null;
  readonly to: string | null;
  readonly total: AgentStats;
  readonly by_agent: Readonly<Record<string, AgentStats>>;
  readonly by_day: Readonly<Record<string, number>>;
}

export interface AgentStats {
  readonly sessions: number;
  readonly by_status: Readonly<Record<string, number>>;
  /** Share of sessions resumed at least once. */
  readonly resume_rate: number | null;
  /** Share of ended sessions that completed. */
  readonly success_rate: number | null;
  readonly mean_duration_s: number | null;
  readonly median_duration_s: number | null;
  readonly turns: number;
  readonly errors: number;
  readonly cost_usd: number;
}

export interface ShareAddInput {
  readonly id: string;
  /** A person's name. */
  readonly with?: string | undefined;
  /** Every person of this server. Default: false. */
  readonly everyone?: boolean | undefined;
  /** What the person may do; default: viewer. */
  readonly role?: "viewer" | "approver" | "editor" | undefined;
  /** When the share ends; default: when you unshare it (a span from now, such as 12h, 7d or 4w; or ISO 8601; UTC unless it has a time zone). */
  readonly until?: string | undefined;
}

export interface ShareAddOutput {
  readonly session_id: string;
  readonly shares: {
    /** Null: every person of this server. */
    readonly person: string | null;
    readonly role: "viewer" | "approver" | "editor";
    /** Null: until you unshare it. */
    readonly until: string | null;
  }[];
}

export interface ShareRemoveInput {
  readonly id: string;
  /** A person's name. */
  readonly with?: string | undefined;
  /** Every person of this server. Default: false. */
  readonly everyone?: boolean | undefined;
}

export interface ShareRemoveOutput {
  readonly session_id: string;
  readonly shares: {
    /** Null: every person of this server. */
    readonly person: string | null;
    readonly role: "viewer" | "approver" | "editor";
    /** Null: until you unshare it. */
    readonly until: string | null;
  }[];
}

export interface ShareOfInput {
  readonly id: string;
}

export interface ShareOfOutput {
  readonly session_id: string;
  readonly shares: {
    /** Null: every person of this server. */
    readonly person: string | null;
    readonly role: "viewer" | "approver" | "editor";
    /** Null: until you unshare it. */
    readonly until: string | null;
  }[];
}

export interface ShareReceivedOutput {
  readonly sessions: {
    /** OWNER/ID. */
    readonly session_id: string;
    readonly entity_id: string;
    readonly owner: string;
    readonly title: string | null;
    readonly agent_name: string;
    readonly status: string;
    readonly role: "viewer" | "approver" | "editor";
  }[];
}

export interface PublicLinkPreviewInput {
  readonly id: string;
}

export interface PublicLinkPreviewOutput {
  readonly session_id: string;
  /** The last event that it would show. */
  readonly through: number;
  /** Events that it would show. */
  readonly shown: number;
  readonly hidden_count: number;
  /** The first 500. */
  readonly hidden: HiddenSecret[];
}

export interface PublicLinkAddInput {
  readonly id: string;
  /** When it ends, within a year; default: in 7 days (a span from now, such as 12h, 7d or 4w; or ISO 8601; UTC unless it has a time zone). */
  readonly until?: string | undefined;
}

export interface PublicLinkAddOutput {
  readonly link_id: string;
  readonly session_id: string;
  /** The last event that the link shows. */
  readonly through: number;
  readonly until: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** How often it was opened. */
  readonly opened: number;
  readonly last_opened_at: string | null;
  /** The path on this server; it contains the secret. */
  readonly path: string;
}

export interface PublicLinkListInput {
  readonly id: string;
}

export interface PublicLinkListOutput {
  readonly session_id: string;
  readonly links: PublicLink[];
}

export interface PublicLink {
  readonly link_id: string;
  readonly session_id: string;
  /** The last event that the link shows. */
  readonly through: number;
  readonly until: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** How often it was opened. */
  readonly opened: number;
  readonly last_opened_at: string | null;
}

export interface PublicLinkRevokeInput {
  readonly id: string;
  readonly link_id: string;
}

export interface PersonAddInput {
  /** The name that owns this person's sessions. */
  readonly name: string;
  /** The name to show; default: unchanged, or the name for a new person. */
  readonly display_name?: string | undefined;
  /** What the person may do on the server; default: unchanged, or member for a new person. */
  readonly role?: "member" | "admin" | undefined;
  /** Accounts that log this person in, each ISSUER#SUBJECT; default: unchanged. */
  readonly identities?: readonly string[] | undefined;
}

export interface PersonAddOutput {
  readonly name: string;
  readonly display_name: string;
  /** Null unless you are an admin. */
  readonly role: "member" | "admin" | null;
  /** Empty unless you are an admin. */
  readonly identities: string[];
  /** Null unless you are an admin. */
  readonly created_at: string | null;
  readonly disabled_at: string | null;
}

export interface PersonListOutput {
  readonly people: {
    readonly name: string;
    readonly display_name: string;
    /** Null unless you are an admin. */
    readonly role: "member" | "admin" | null;
    /** Empty unless you are an admin. */
    readonly identities: string[];
    /** Null unless you are an admin. */
    readonly created_at: string | null;
    readonly disabled_at: string | null;
  }[];
}

export interface PersonDisableInput {
  readonly name: string;
}

export interface PersonDisableOutput {
  readonly name: string;
  readonly display_name: string;
  /** Null unless you are an admin. */
  readonly role: "member" | "admin" | null;
  /** Empty unless you are an admin. */
  readonly identities: string[];
  /** Null unless you are an admin. */
  readonly created_at: string | null;
  readonly disabled_at: string | null;
}

export interface PersonWhoamiOutput {
  /** The name that your sessions belong to. */
  readonly owner: string;
  /** Null if no person is on record for you, or if the token has scope record. */
  readonly display_name: string | null;
  /** Your server role; null if you have none, or if the token has scope record. */
  readonly role: "member" | "admin" | null;
  /** Null with direct access to the data folder, which allows everything. */
  readonly token: {
    readonly name: string;
    readonly scope: "read" | "record" | "write" | "admin";
  } | null;
}

export interface TokenCreateInput {
  /** A name that says what the token is for. Default: "token". */
  readonly name?: string | undefined;
  /** What the token allows; default: write. */
  readonly scope?: "read" | "record" | "write" | "admin" | undefined;
  /** The owner whose sessions it can access; default: you. */
  readonly owner?: string | undefined;
  /** Expires after this many days without use; default: never. */
  readonly idle_days?: number | undefined;
  /** Expires at this time, used or not (a span from now, such as 12h, 7d or 4w; or ISO 8601; UTC unless it has a time zone). */
  readonly until?: string | undefined;
}

export interface TokenCreateOutput {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly scope: "read" | "record" | "write" | "admin";
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** With idle_days, each use moves it; null: never. */
  readonly expires_at: string | null;
  /** Rounded to the hour; null: never used. */
  readonly last_used_at: string | null;
  readonly token: string;
}

export interface TokenListOutput {
  readonly tokens: Token[];
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly scope: "read" | "record" | "write" | "admin";
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** With idle_days, each use moves it; null: never. */
  readonly expires_at: string | null;
  /** Rounded to the hour; null: never used. */
  readonly last_used_at: string | null;
}

export interface TokenRevokeInput {
  readonly token_id: string;
}

export interface WebhookAddInput {
  readonly url: string;
  /** The events to send. */
  readonly on: readonly (
    | "approval.requested"
    | "session.suspended"
    | "session.completed"
    | "session.failed"
    | "session.recovered"
  )[];
  /** whsec_ and base64; default: a new secret, shown only once. */
  readonly secret?: string | undefined;
  /** Also allow http:// and addresses of this machine and its networks. Default: false. */
  readonly allow_private?: boolean | undefined;
  /** Replace text that looks like a secret with [redacted:KIND] before it is sent. Default: false. */
  readonly redact?: boolean | undefined;
}

export interface WebhookAddOutput {
  readonly id: string;
  readonly url: string;
  readonly on: (
    | "approval.requested"
    | "session.suspended"
    | "session.completed"
    | "session.failed"
    | "session.recovered"
  )[];
  readonly allow_private: boolean;
  /** Text that looks like a secret is replaced before it is sent. */
  readonly redact: boolean;
  readonly created_at: string;
  readonly state: "active" | "failing" | "parked";
  /** How many events were acknowledged. */
  readonly delivered: number;
  readonly delivered_at: string | null;
  /** The event that is retried; later events wait for it. */
  readonly failing: {
    readonly event_id: string;
    readonly type: string;
    readonly session_id: string;
    readonly attempts: number;
    readonly why: string;
    readonly since: string;
    readonly next_at: string;
  } | null;
  readonly parked: {
    readonly at: string;
    readonly why: string;
  } | null;
  /** Set if an older copy of the data was restored, or the history changed otherwise. */
  readonly history_changed: {
    readonly at: string;
    /** After its newest delivery that still exists; or, without any delivery, after it was added; or with new events only. */
    readonly continued: "after_delivery" | "after_creation" | "at_end";
  } | null;
  /** Only if Belay created it; shown only once. */
  readonly secret?: string | undefined;
}

export interface WebhookAcceptInput {
  readonly name: string;
  /** How requests are signed: as GitHub does (github), or by Standard Webhooks (json). */
  readonly preset: "github" | "json";
  /** The agent that receives the messages. */
  readonly agent_name: string;
  /** The secret for the signatures; default: a new secret, shown only once. */
  readonly secret?: string | undefined;
  /** A path in the payload, such as issue.number; requests with the same value there go to one session. */
  readonly session_key?: string | undefined;
  /** The message for the agent; {{issue.title}} inserts that value from the payload. */
  readonly message?: string | undefined;
  /** Accept only these events, such as issues or issues.opened; default: all events for which there is a message. */
  readonly events?: readonly string[] | undefined;
  /** The agent's working directory; default: the current folder. */
  readonly cwd?: string | undefined;
}

export interface WebhookAcceptOutput {
  readonly id: string;
  readonly name: string;
  /** The path on the server that receives it. */
  readonly path: string;
  readonly preset: "github" | "json";
  readonly agent_name: string;
  readonly session_key: string | null;
  readonly message: string | null;
  readonly events: string[];
  readonly cwd: string | null;
  readonly created_at: string;
  /** Only if Belay created it; shown only once. */
  readonly secret?: string | undefined;
}

export interface WebhookListOutput {
  readonly webhooks: Webhook[];
  readonly accepted: AcceptedWebhook[];
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly on: (
    | "approval.requested"
    | "session.suspended"
    | "session.completed"
    | "session.failed"
    | "session.recovered"
  )[];
  readonly allow_private: boolean;
  /** Text that looks like a secret is replaced before it is sent. */
  readonly redact: boolean;
  readonly created_at: string;
  readonly state: "active" | "failing" | "parked";
  /** How many events were acknowledged. */
  readonly delivered: number;
  readonly delivered_at: string | null;
  /** The event that is retried; later events wait for it. */
  readonly failing: {
    readonly event_id: string;
    readonly type: string;
    readonly session_id: string;
    readonly attempts: number;
    readonly why: string;
    readonly since: string;
    readonly next_at: string;
  } | null;
  readonly parked: {
    readonly at: string;
    readonly why: string;
  } | null;
  /** Set if an older copy of the data was restored, or the history changed otherwise. */
  readonly history_changed: {
    readonly at: string;
    /** After its newest delivery that still exists; or, without any delivery, after it was added; or with new events only. */
    readonly continued: "after_delivery" | "after_creation" | "at_end";
  } | null;
}

export interface AcceptedWebhook {
  readonly id: string;
  readonly name: string;
  /** The path on the server that receives it. */
  readonly path: string;
  readonly preset: "github" | "json";
  readonly agent_name: string;
  readonly session_key: string | null;
  readonly message: string | null;
  readonly events: string[];
  readonly cwd: string | null;
  readonly created_at: string;
}

export interface WebhookRemoveInput {
  /** The webhook's id, or the name of an accepted webhook. */
  readonly webhook: string;
}

export interface WebhookRemoveOutput {
  readonly id: string;
  readonly removed_at: string;
}

export interface WebhookTestInput {
  readonly webhook: string;
}

export interface WebhookTestOutput {
  readonly acknowledged: boolean;
  readonly status: number | null;
  readonly why: string | null;
  readonly duration_ms: number;
  /** It was parked and is active again. */
  readonly resumed: boolean;
}

export interface WebhookDeliveriesInput {
  readonly webhook: string;
  /** Number of deliveries. Default: 20. */
  readonly limit?: number | undefined;
}

export interface WebhookDeliveriesOutput {
  readonly id: string;
  readonly deliveries: WebhookDelivery[];
}

export interface WebhookDelivery {
  readonly event_id: string;
  readonly type: string;
  readonly session_id: string;
  readonly attempt: number;
  readonly acknowledged: boolean;
  readonly status: number | null;
  readonly why: string | null;
  readonly at: string;
  readonly next_at: string | null;
}

export interface ImportListOutput {
  readonly tools: {
    readonly tool:
      | "claude-code"
      | "codex"
      | "gemini"
      | "qwen"
      | "opencode"
      | "copilot"
      | "cursor"
      | "chatgpt"
      | "claude-ai"
      | "atif";
    /** Where the tool keeps its files. */
    readonly path: string;
    /** Whether that place exists. */
    readonly found: boolean;
  }[];
}

export interface ImportRunInput {
  readonly tool:
    | "claude-code"
    | "codex"
    | "gemini"
    | "qwen"
    | "opencode"
    | "copilot"
    | "cursor"
    | "chatgpt"
    | "claude-ai"
    | "atif";
  /** A file or folder; default: where the tool keeps its files. Not allowed with a token. */
  readonly path?: string | undefined;
  /** Only show what would be imported. Default: false. */
  readonly dry_run?: boolean | undefined;
  /** Skip conversations with no activity since then (ISO 8601; UTC unless it has a time zone). */
  readonly since?: string | undefined;
}

export interface ImportRunOutput {
  readonly tool:
    | "claude-code"
    | "codex"
    | "gemini"
    | "qwen"
    | "opencode"
    | "copilot"
    | "cursor"
    | "chatgpt"
    | "claude-ai"
    | "atif";
  readonly dry_run: boolean;
  /** Files read. */
  readonly files: number;
  readonly conversations: number;
  readonly new_sessions: number;
  /** Already imported sessions with new turns. */
  readonly grown_sessions: number;
  /** Sessions with nothing new. */
  readonly known_sessions: number;
  /** Turns added. */
  readonly turns: number;
  /** New sessions, sessions with new turns, and skipped sessions; at most 1000. */
  readonly sessions: {
    readonly session_id: string;
    readonly title: string | null;
    readonly state: "new" | "grown" | "known" | "kept";
    readonly turns: number;
    /** Why the session was not changed. */
    readonly why: string | null;
  }[];
  /** Damaged places in the files; at most 1000. */
  readonly damage: {
    readonly file: string;
    readonly line: number | null;
    readonly why: string;
  }[];
  /** Number of all damaged places. */
  readonly damaged: number;
}

export interface RunInNewSession {
  readonly agent: string;
  readonly session_id?: string | undefined;
  readonly purpose?: string | undefined;
  readonly title?: string | undefined;
  readonly task_id?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly cwd?: string | undefined;
  readonly message: string;
}

export interface RunInSession {
  readonly id: string;
  readonly message: string;
}

export interface AgentStep {
  readonly agent: string;
  /** The agent's first message. */
  readonly topic: string;
  /** `single` runs one turn; `interactive` waits until people have finished talking with the agent. */
  readonly mode?: "single" | "interactive" | undefined;
  /** The session of a suspended step; the step continues in it. */
  readonly session_id?: string | undefined;
  readonly task_id?: string | undefined;
  readonly cwd?: string | undefined;
}

export interface NewFile {
  readonly id: string;
  readonly name: string;
  /** For example text/markdown. */
  readonly media_type?: string | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface KnownFile {
  readonly id: string;
  readonly digest: string;
}

export interface LibraryOptions {
  /** The data folder; default: BELAY_HOME, or ~/.belay. */
  readonly home?: string | undefined;
  /** Acknowledged changes survive a power cut (`power`, the default) or only killed processes (`process`). It applies to a new data folder; a folder with the other setting is refused. */
  readonly durability?: "power" | "process" | undefined;
  readonly owner?: string | undefined;
  /** The name recorded as the author of all changes. */
  readonly actor?: string | undefined;
  readonly interface?:
    | "cli"
    | "api"
    | "graphql"
    | "webhook"
    | "mcp"
    | "hook"
    | "library"
    | "web"
    | undefined;
  readonly trace_id?: string | undefined;
}
