// Written by `npm run write:library` from the table of operations. Do not edit.

/** The operations as methods, in groups. */
export interface BelayOperations {
  /** Sessions: one durable piece of work of one agent each. */
  readonly sessions: SessionMethods;
  /** The conversation of a session: prompts and what the agent did to answer them. */
  readonly turns: TurnMethods;
  /** Actions: the intent is stored before the work starts, the result after it. */
  readonly actions: ActionMethods;
  /** Checkpoints: named, saved states of a session. */
  readonly checkpoints: CheckpointMethods;
  /** Approvals: durable questions to a person, with one answer each. */
  readonly approvals: ApprovalMethods;
  /** Outcomes that a session has led to. */
  readonly outcomes: OutcomeMethods;
  /** Artifacts that a session has produced. */
  readonly artifacts: ArtifactMethods;
  /** Observations: what an outside agent submits about its own session. */
  readonly observations: ObservationMethods;
  /** Tasks: the work that sessions serve. */
  readonly tasks: TaskMethods;
  /** Agents that can be run on this machine. */
  readonly agents: AgentMethods;
  /** Recovery: what may safely happen after a crash. */
  readonly recovery: RecoveryMethods;
  /** The past: timelines, the audit trail, all events in one order, statistics. */
  readonly past: PastMethods;
  /** Sessions that are shared with other people. */
  readonly shares: ShareMethods;
  /** Public links: pages without login that show a session, redacted. */
  readonly links: PublicLinkMethods;
  /** People of this server. */
  readonly people: PersonMethods;
  /** Tokens that let programs in over HTTP. */
  readonly tokens: TokenMethods;
  /** Webhooks: endpoints that Belay calls, and endpoints that others call. */
  readonly webhooks: WebhookMethods;
  /** Conversations that other tools keep on this machine, as sessions. */
  readonly imports: ImportMethods;
}

export interface SessionMethods {
  /**
   * Begin a session.
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
   * List sessions: pinned ones first, then those that need you, then by last activity.
   *
   * Errors: unknown_filter.
   */
  list(input?: SessionListInput): Promise<SessionListOutput>;
  /**
   * How many sessions there are, by status, and how many questions wait for a person.
   */
  count(): Promise<SessionCountOutput>;
  /**
   * Change a session's phase or metadata, count an error, or say whether it may be resumed.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, too_large, limit_reached.
   */
  update(input: SessionUpdateInput): Promise<Session>;
  /**
   * Give a session a title.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted, too_large.
   */
  rename(input: SessionRenameInput): Promise<Session>;
  /**
   * Keep a session from ever being cleaned up.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted.
   */
  pin(input: SessionPinInput): Promise<Session>;
  /**
   * Let a session be cleaned up again.
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
   * Take up a suspended session, from whichever interface.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_not_suspended, recovery_pending.
   */
  resume(input: SessionResumeInput): Promise<Session>;
  /**
   * May this session be picked up automatically?
   *
   * Errors: invalid_id, ambiguous_id.
   */
  shouldResume(input: SessionShouldResumeInput): Promise<SessionShouldResumeOutput>;
  /**
   * How would one come back to this session, and to what?
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  resumePlan(input: SessionResumePlanInput): Promise<SessionResumePlanOutput>;
  /**
   * End a session's run.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  finalize(input: SessionFinalizeInput): Promise<Session>;
  /**
   * Give a session up.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  cancel(input: SessionCancelInput): Promise<Session>;
  /**
   * Put a session away for good; it stays readable.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_archived, session_deleted.
   */
  archive(input: SessionArchiveInput): Promise<Session>;
  /**
   * Move a session to the trash, from which it can be taken back for 7 days.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted.
   */
  delete(input: SessionDeleteInput): Promise<Session>;
  /**
   * Take a session back from the trash.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_not_deleted.
   */
  undelete(input: SessionUndeleteInput): Promise<Session>;
  /**
   * Say when a session is to be deleted by itself, or that it is not.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted.
   */
  setExpiry(input: SessionSetExpiryInput): Promise<Session>;
  /**
   * Show after how many days without activity sessions are deleted.
   */
  expiration(): Promise<SessionExpirationOutput>;
  /**
   * Delete sessions so many days after their last activity.
   *
   * Errors: store_busy.
   */
  setExpiration(input?: SessionSetExpirationInput): Promise<SessionSetExpirationOutput>;
  /**
   * Move sessions without activity to the trash, and purge what has been there for 7 days.
   *
   * Errors: clock_uncertain.
   */
  cleanup(input?: SessionCleanupInput): Promise<SessionCleanupOutput>;
  /**
   * Begin a new session that shares this one's history up to a point.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, session_exists, event_not_found, idempotency_conflict.
   */
  fork(input: SessionForkInput): Promise<Session>;
  /**
   * Let another agent go on with a session; it is told what the one before knew.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_suspended, recovery_pending, agent_not_found, agent_not_trusted, agents_busy, turn_open, limit_reached.
   */
  handoff(input: SessionHandoffInput): Promise<SessionHandoffOutput>;
  /**
   * Send a session's prompts to another agent, in a fork from before the first of them; compare shows both side by side.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_suspended, agent_not_found, agent_not_trusted, agents_busy, limit_reached.
   */
  replay(input: SessionReplayInput): Promise<SessionReplayOutput>;
  /**
   * Bring a fork's work back into the session it was forked from.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, not_related, merge_conflict, turn_open, event_not_found, limit_reached, recovery_pending.
   */
  merge(input: SessionMergeInput): Promise<SessionMergeOutput>;
  /**
   * Show where two sessions differ: what each did since they parted, turn by turn.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  compare(input: SessionCompareInput): Promise<SessionCompareOutput>;
  /**
   * Show the tree of forks that a session belongs to.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  branches(input: SessionBranchesInput): Promise<SessionBranchesOutput>;
  /**
   * Read a session's events in order.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  log(input: SessionLogInput): Promise<SessionLogOutput>;
  /**
   * Export a session with all its events; redacted, without what looks like a secret.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  export(input: SessionExportInput): Promise<SessionExportOutput>;
  /**
   * What was I doing? The newest unfinished session, and what it waits for.
   */
  next(input?: SessionNextInput): Promise<SessionNextOutput>;
}

export interface TurnMethods {
  /**
   * Read a session's conversation, the newest turns by default.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  list(input: TurnListInput): Promise<TurnListOutput>;
  /**
   * Record a whole turn of an agent that lives elsewhere.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_held, too_large.
   */
  record(input: TurnRecordInput): Promise<TurnRecordOutput>;
  /**
   * Send a message to a session's agent; messages are answered in order.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_suspended, agent_not_found, agent_not_trusted, agents_busy, turn_open, limit_reached.
   */
  send(input: TurnSendInput): Promise<TurnSendOutput>;
  /**
   * Stop the turn that is running; the session goes on.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, nothing_to_interrupt.
   */
  interrupt(input: TurnInterruptInput): Promise<Session>;
}

export interface ActionMethods {
  /**
   * Record what an agent is about to do, before it does it.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, session_held, action_exists, limit_reached.
   */
  begin(input: ActionBeginInput): Promise<ActionBeginOutput>;
  /**
   * Record what became of an action.
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
   * Return to a checkpoint: answers its state and notes that work goes on from there; of a finished session, only answers it.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_deleted, checkpoint_not_found.
   */
  restore(input: CheckpointRestoreInput): Promise<CheckpointRestoreOutput>;
}

export interface ApprovalMethods {
  /**
   * Ask a person and suspend the session until there is an answer.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted, limit_reached.
   */
  request(input: ApprovalRequestInput): Promise<Approval>;
  /**
   * List the questions that wait for a person, over all sessions.
   */
  list(input?: ApprovalListInput): Promise<ApprovalListOutput>;
  /**
   * Answer a question; the first answer stands.
   *
   * Errors: approval_not_found, approval_closed.
   */
  decide(input: ApprovalDecideInput): Promise<ApprovalDecideOutput>;
}

export interface OutcomeMethods {
  /**
   * Record something the work has produced.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  record(input: OutcomeRecordInput): Promise<Session>;
}

export interface ArtifactMethods {
  /**
   * Record a file or document that the work has produced.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, version_conflict, idempotency_conflict, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  record(input: ArtifactRecordInput): Promise<ArtifactRecordOutput>;
  /**
   * List what a session has produced, oldest first.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  list(input: ArtifactListInput): Promise<ArtifactListOutput>;
}

export interface ObservationMethods {
  /**
   * Record what an agent says of its own session; observations of one session are merged.
   *
   * Errors: schema_validation_failed.
   */
  submit(): Promise<ObservationSubmitOutput>;
  /**
   * Read sessions whole, as agents submit them: actions, checkpoints with their states, outcomes.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, session_deleted.
   */
  history(input?: ObservationHistoryInput): Promise<ObservationHistoryOutput>;
}

export interface TaskMethods {
  /**
   * Put a task on the backlog.
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
   * List the agents that can be run, and what stands in the way of the others.
   */
  list(input?: AgentListInput): Promise<AgentListOutput>;
}

export interface RecoveryMethods {
  /**
   * After a crash: do what is safe, and ask where a person must decide.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, session_held.
   */
  run(input?: RecoveryRunInput): Promise<RecoveryRunOutput>;
  /**
   * Show what was interrupted, what recovery made of it, and what waits for an answer.
   */
  list(): Promise<RecoveryListOutput>;
  /**
   * Answer what recovery asked: go on, undo it, or give the session up.
   *
   * Errors: approval_not_found, approval_closed, session_completed, session_failed, session_cancelled, session_archived, session_deleted.
   */
  answer(input: RecoveryAnswerInput): Promise<RecoveryAnswerOutput>;
}

export interface PastMethods {
  /**
   * Show when what was done, over all sessions that refer to an entity, a task or a session.
   */
  timeline(input: PastTimelineInput): Promise<PastTimelineOutput>;
  /**
   * Show when what was under way, over all sessions that refer to an entity, a task or a session.
   */
  spans(input: PastSpansInput): Promise<PastSpansOutput>;
  /**
   * Show who did what, over all sessions and tasks, oldest first.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  audit(input?: PastAuditInput): Promise<PastAuditOutput>;
  /**
   * Read what happened in all sessions and tasks, in one order.
   */
  events(input?: PastEventsInput): Promise<PastEventsOutput>;
  /**
   * Count sessions of a span of time: how many resumed, succeeded, failed, and how long they took.
   */
  stats(input?: PastStatsInput): Promise<Stats>;
}

export interface ShareMethods {
  /**
   * Share a session with a person. A viewer reads and follows it; an approver also answers its questions; an editor also sends messages, which amounts to a shell within the agent's limits.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found, person_not_found, session_deleted.
   */
  add(input: ShareAddInput): Promise<ShareAddOutput>;
  /**
   * Take back what was shared: streams of that person end within two seconds.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  remove(input: ShareRemoveInput): Promise<ShareRemoveOutput>;
  /**
   * List with whom a session is shared.
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
   * Show what a public link to a session would hide, before there is one.
   *
   * Errors: invalid_id, ambiguous_id, session_not_found.
   */
  preview(input: PublicLinkPreviewInput): Promise<PublicLinkPreviewOutput>;
  /**
   * Make a public link: everyone who has it can read the session as it is now, redacted, without login. The link is shown only once.
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
   * Add a person, change one, or enable one again.
   *
   * Errors: not_allowed.
   */
  add(input: PersonAddInput): Promise<PersonAddOutput>;
  /**
   * List the people of this server.
   */
  list(): Promise<PersonListOutput>;
  /**
   * Shut a person out: tokens and streams end at once, what was shared too.
   *
   * Errors: not_allowed, person_not_found, invalid_input.
   */
  disable(input: PersonDisableInput): Promise<PersonDisableOutput>;
}

export interface TokenMethods {
  /**
   * Let a program in: answers a token, shown this once.
   *
   * Errors: not_allowed, too_large, invalid_input.
   */
  create(input?: TokenCreateInput): Promise<TokenCreateOutput>;
  /**
   * List the tokens that let programs in.
   */
  list(): Promise<TokenListOutput>;
  /**
   * Shut a program out; its open streams end.
   *
   * Errors: token_not_found.
   */
  revoke(input: TokenRevokeInput): Promise<Token>;
}

export interface WebhookMethods {
  /**
   * Tell an address of what happens in your sessions, signed as Standard Webhooks describes.
   *
   * Errors: limit_reached, too_large, storage_unsupported, store_busy.
   */
  add(input: WebhookAddInput): Promise<WebhookAddOutput>;
  /**
   * Let another service send messages to an agent, by signed requests to /webhooks/NAME.
   *
   * Errors: limit_reached, too_large, webhook_exists, storage_unsupported, store_busy.
   */
  accept(input: WebhookAcceptInput): Promise<WebhookAcceptOutput>;
  /**
   * List the addresses that are told, how that goes, and the names under which others send.
   */
  list(): Promise<WebhookListOutput>;
  /**
   * Tell an address no more, or take no more messages under a name.
   *
   * Errors: webhook_not_found, store_busy.
   */
  remove(input: WebhookRemoveInput): Promise<WebhookRemoveOutput>;
  /**
   * Send a test event now and see what comes back; a parked webhook goes on if it is acknowledged.
   *
   * Errors: webhook_not_found, storage_unsupported.
   */
  test(input: WebhookTestInput): Promise<WebhookTestOutput>;
  /**
   * Show what was sent to an address, the newest first.
   *
   * Errors: webhook_not_found.
   */
  deliveries(input: WebhookDeliveriesInput): Promise<WebhookDeliveriesOutput>;
}

export interface ImportMethods {
  /**
   * List the tools whose conversations can be imported, and where this machine keeps them.
   *
   * Errors: not_allowed.
   */
  list(): Promise<ImportListOutput>;
  /**
   * Import the conversations that a tool keeps on this machine. Importing again adds only what is new.
   *
   * Errors: not_allowed.
   */
  run(input: ImportRunInput): Promise<ImportRunOutput>;
}

export interface SessionCreateInput {
  readonly agent_name: string;
  readonly purpose?: string | undefined;
  readonly session_id?: string | undefined;
  readonly title?: string | undefined;
  readonly task_id?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly project?: ProjectInput | undefined;
  /** Default: false. */
  readonly supports_resume?: boolean | undefined;
  /** Delete it at this time (ISO 8601; UTC if it names no zone). */
  readonly expires_at?: string | undefined;
  readonly idempotency_key?: string | undefined;
}

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
  /** What it is doing; interrupted: its work was cut off when a process ended. */
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
  /** Seconds, of the last finished run. */
  readonly duration: number | null;
  readonly summary: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it is to be resumed by itself. */
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
  readonly open_actions: number;
  readonly pending_approvals: number;
  readonly usage: Usage;
  readonly pinned: boolean;
  /** When it is to be deleted by a date of its own. */
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  /** Who drives it now. */
  readonly driver: string | null;
  /** Something was in progress when the process that did it ended. */
  readonly stale: boolean;
  readonly recovery: "awaiting-approval" | null;
  /** The seq of its newest event. */
  readonly version: number;
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

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
}

export interface SessionGetInput {
  readonly id: string;
}

export interface SessionListInput {
  /** Created, active and suspended ones. Default: false. */
  readonly active_only?: boolean | undefined;
  readonly agent?: string | undefined;
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
  readonly state?: "created" | "active" | "suspended" | "completed" | "failed" | undefined;
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
  /** Working directory. */
  readonly project?: string | undefined;
  readonly task_id?: string | undefined;
  /** Archived and cancelled ones too. Default: false. */
  readonly archived?: boolean | undefined;
  /** All failed ones, not only those of the last 24 hours. Default: false. */
  readonly failed?: boolean | undefined;
  /** Only what is in the trash. Default: false. */
  readonly deleted?: boolean | undefined;
  /** Still active at or after this time (ISO 8601; UTC if it names no zone). */
  readonly from?: string | undefined;
  /** Created at or before this time (ISO 8601; UTC if it names no zone). */
  readonly to?: string | undefined;
  /** Words that its title, purpose, id, agent, project folder, branch, task or summary contain. */
  readonly search?: string | undefined;
  /** Default: 50. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface SessionListOutput {
  readonly sessions: Session[];
  /** Null at the end; with search, a page may be short or empty before it. */
  readonly next_cursor: string | null;
  readonly damaged: {
    readonly entity_id: string;
    readonly session_id: string;
  }[];
}

export interface SessionCountOutput {
  /** Without those in the trash. */
  readonly by_status: {
    readonly created: number;
    readonly active: number;
    readonly suspended: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly archived: number;
  };
  /** Those whose display_status is active or suspended. */
  readonly badge: number;
  /** Questions that wait for a person. */
  readonly waiting: number;
}

export interface SessionUpdateInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
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
  readonly error?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly resume_ready?: boolean | undefined;
}

export interface SessionRenameInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly title: string;
}

export interface SessionPinInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
}

export interface SessionUnpinInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
}

export interface SessionSuspendInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  /** Any text, or a code: user_requested, api_requested, approval, shutdown, pipeline_suspended. Default: "user_requested". */
  readonly reason?: string | undefined;
  /** Resume it by itself at this time (ISO 8601; UTC if it names no zone). */
  readonly until?: string | undefined;
}

export interface SessionResumeInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
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
    /** Open actions that may have happened. */
    readonly unknown_outcomes: string[];
    readonly cwd_moved: boolean;
    readonly turns: number;
    /** Of the turns that a new agent would be told. */
    readonly context_bytes: number;
  };
}

export interface SessionFinalizeInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly outcome: "completed" | "failed" | "abandoned";
  readonly summary?: string | undefined;
  readonly error?: string | undefined;
}

export interface SessionCancelInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly summary?: string | undefined;
}

export interface SessionArchiveInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
}

export interface SessionDeleteInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
}

export interface SessionUndeleteInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
}

export interface SessionSetExpiryInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  /** Delete it at this time (ISO 8601; UTC if it names no zone). */
  readonly expires_at?: string | undefined;
  /** Instead: take its date away. Default: false. */
  readonly never?: boolean | undefined;
}

export interface SessionExpirationOutput {
  /** Your sessions; null: not by their age. */
  readonly own_days: number | null;
  /** Every owner's sessions; null: not by their age. */
  readonly everyone_days: number | null;
}

export interface SessionSetExpirationInput {
  readonly after_days?: number | undefined;
  /** Instead: do not delete them by their age. Default: false. */
  readonly never?: boolean | undefined;
  /** Of every owner, not only yours. Default: false. */
  readonly everyone?: boolean | undefined;
}

export interface SessionSetExpirationOutput {
  /** Your sessions; null: not by their age. */
  readonly own_days: number | null;
  /** Every owner's sessions; null: not by their age. */
  readonly everyone_days: number | null;
}

export interface SessionCleanupInput {
  /** Those without activity for so long. */
  readonly hours?: number | undefined;
  /** Instead: those that have expired. Default: false. */
  readonly expired?: boolean | undefined;
  /** Only say what would be removed. Default: false. */
  readonly dry_run?: boolean | undefined;
  /** Remove although this computer's clock disagrees with what is stored. Default: false. */
  readonly force?: boolean | undefined;
}

export interface SessionCleanupOutput {
  readonly removed: string[];
  readonly purged: string[];
  readonly protected: {
    readonly session_id: string;
    readonly because: string;
  }[];
  readonly dry_run: boolean;
}

export interface SessionForkInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  /** The last event to share; default: all. */
  readonly at?: number | undefined;
  readonly session_id?: string | undefined;
  readonly title?: string | undefined;
}

export interface SessionHandoffInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  /** The agent that goes on. */
  readonly to: string;
  /** Its first message; default: the next one sent. */
  readonly message?: string | undefined;
  readonly turn_id?: string | undefined;
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
  /** What it is doing; interrupted: its work was cut off when a process ended. */
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
  /** Seconds, of the last finished run. */
  readonly duration: number | null;
  readonly summary: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it is to be resumed by itself. */
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
  readonly open_actions: number;
  readonly pending_approvals: number;
  readonly usage: Usage;
  readonly pinned: boolean;
  /** When it is to be deleted by a date of its own. */
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  /** Who drives it now. */
  readonly driver: string | null;
  /** Something was in progress when the process that did it ended. */
  readonly stale: boolean;
  readonly recovery: "awaiting-approval" | null;
  /** The seq of its newest event. */
  readonly version: number;
  /** Of the message. */
  readonly turn_id: string | null;
}

export interface SessionReplayInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  /** The agent that answers them; it may be the same. */
  readonly agent: string;
  /** A fork that an earlier replay made, to go on with. */
  readonly into?: string | undefined;
  /** Only prompts behind this many. Default: 0. */
  readonly after?: number | undefined;
  /** Default: 10. */
  readonly limit?: number | undefined;
  /** False: only make the fork and answer the prompts. Default: true. */
  readonly send?: boolean | undefined;
}

export interface SessionReplayOutput {
  /** The fork. */
  readonly session_id: string;
  readonly of: string;
  readonly prompts: string[];
  /** The after of the next page. */
  readonly next_cursor: number | null;
}

export interface SessionMergeInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  /** Default: the session that it was forked from. */
  readonly into?: string | undefined;
  /** The last event to merge; default: all. */
  readonly at?: number | undefined;
  /** What both changed: keep ours, use theirs, or ask a person; default: refuse. */
  readonly rule?: "ours" | "theirs" | "ask" | undefined;
  /** Only say what the merge would bring. Default: false. */
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
  /** What it is doing; interrupted: its work was cut off when a process ended. */
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
  /** Seconds, of the last finished run. */
  readonly duration: number | null;
  readonly summary: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it is to be resumed by itself. */
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
  readonly open_actions: number;
  readonly pending_approvals: number;
  readonly usage: Usage;
  readonly pinned: boolean;
  /** When it is to be deleted by a date of its own. */
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  /** Who drives it now. */
  readonly driver: string | null;
  /** Something was in progress when the process that did it ended. */
  readonly stale: boolean;
  readonly recovery: "awaiting-approval" | null;
  /** The seq of its newest event. */
  readonly version: number;
  readonly merge: {
    /** The session that was merged. */
    readonly from: string;
    readonly into: string;
    /** The last event that both share. */
    readonly base: number;
    /** The first events of the merged session that are new stand behind this seq. */
    readonly after: number;
    readonly to: number;
    readonly turns: number;
    readonly actions: number;
    readonly checkpoints: string[];
    readonly artifacts: string[];
    readonly outcomes: string[];
    /** What the merge sets. */
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly conflicts: {
      readonly kind: "metadata" | "checkpoint";
      readonly name: string;
      readonly ours: unknown;
      readonly theirs: unknown;
      readonly taken: "ours" | "theirs" | null;
    }[];
    /** False where there was nothing new. */
    readonly added: boolean;
    /** The question that decides the conflicts. */
    readonly approval_id: string | null;
    readonly dry_run: boolean;
  };
}

export interface SessionCompareInput {
  readonly id: string;
  readonly with: string;
  /** Only turns behind this many. Default: 0. */
  readonly after?: number | undefined;
  /** Turns of each side. Default: 20. */
  readonly limit?: number | undefined;
}

export interface SessionCompareOutput {
  /** The last event that both share; null: they share no history. */
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
    /** Names, the first 100. */
    readonly checkpoints: string[];
    /** Names, the first 100. */
    readonly artifacts: string[];
    /** Type and id, the first 100. */
    readonly outcomes: string[];
    /** Of the whole session. */
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
    /** Names, the first 100. */
    readonly checkpoints: string[];
    /** Names, the first 100. */
    readonly artifacts: string[];
    /** Type and id, the first 100. */
    readonly outcomes: string[];
    /** Of the whole session. */
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
  /** The after of the next page. */
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
    /** The event that it was forked at. */
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
  /** Only those behind this seq. Default: 0. */
  readonly after?: number | undefined;
  /** Instead: the newest before this seq, which may lie beyond the end. */
  readonly before?: number | undefined;
  /** Default: 50. */
  readonly limit?: number | undefined;
}

export interface SessionLogOutput {
  readonly events: LogEvent[];
  /** The after, or the before, of the next page. */
  readonly next_cursor: number | null;
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
  /** Replace secrets by [redacted:KIND]. Default: false. */
  readonly redact?: boolean | undefined;
  /** Only events behind this seq. Default: 0. */
  readonly after?: number | undefined;
  /** Default: 50. */
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
    /** Null in a redacted export: short secrets could be guessed by it. */
    readonly hash: string | null;
  }[];
  /** Each secret that was replaced. */
  readonly hidden: HiddenSecret[];
  /** The after of the next page. */
  readonly next_cursor: number | null;
}

export interface HiddenSecret {
  /** The event it stands in; null: the session's own fields. */
  readonly seq: number | null;
  readonly path: string;
  /** What kind of secret it looks like. */
  readonly rule: string;
  readonly length: number;
}

export interface SessionNextInput {
  readonly task_id?: string | undefined;
  /** Working directory; default: anywhere. */
  readonly project?: string | undefined;
}

export interface SessionNextOutput {
  readonly session: Session | null;
  readonly last_turn: Turn | null;
  readonly approvals: Approval[];
  /** Without a session: the first task nobody has started. */
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
  /** Set where input and output were cut at 2 MB: the log has them whole, from seq on. */
  readonly whole_bytes?: number | undefined;
  /** The agent that answered, where Belay ran it. */
  readonly agent_name?: string | undefined;
  /** Set where a merge stands in the conversation: whose turns it brought, and where they are. */
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
  /** What the agent offers; empty: yes or no. */
  readonly options: ("allow_once" | "allow_always" | "reject_once" | "reject_always")[];
  /** The tool call or action that it is about. */
  readonly action: ApprovalAction | null;
  /** Of a recovery: what the answer rollback would run. */
  readonly rollback: RollbackStep[];
  readonly session_title: string | null;
  /** False when the process that asked has ended. */
  readonly answerable: boolean;
  /** The event that asks it. */
  readonly seq: number;
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
  readonly before?: number | undefined;
  /** Default: 50. */
  readonly limit?: number | undefined;
}

export interface TurnListOutput {
  readonly turns: Turn[];
  readonly next_cursor: number | null;
}

export interface TurnRecordInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly turn_id?: string | undefined;
  readonly input: string;
  readonly output: string;
  readonly usage?: UsageInput | undefined;
}

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
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly message: string;
  readonly turn_id?: string | undefined;
  /** Hand the session to this agent first. */
  readonly agent?: string | undefined;
}

export interface TurnSendOutput {
  readonly session_id: string;
  readonly turn_id: string;
  /** The event that holds the message. */
  readonly seq: number;
  readonly version: number;
}

export interface TurnInterruptInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
}

export interface ActionBeginInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly action_id?: string | undefined;
  readonly type: string;
  /** Default: "unknown". */
  readonly effects?: "none" | "local" | "remote" | "unknown" | undefined;
  /** Default: false. */
  readonly idempotent?: boolean | undefined;
  /** Sent along, so that a repeat is harmless. */
  readonly action_key?: string | undefined;
  /** Default: false. */
  readonly detachable?: boolean | undefined;
  /** Default: false. */
  readonly orphanable?: boolean | undefined;
  readonly rollback?:
    | readonly {
        readonly title: string;
        readonly command: string;
      }[]
    | undefined;
  /** The process that does it; like rollback and the paths, needs scope admin. */
  readonly pid?: number | undefined;
  readonly cmd?: string | undefined;
  readonly stdout_path?: string | undefined;
  readonly stderr_path?: string | undefined;
  /** Files in the project folder that are removed before a local action is repeated. */
  readonly temporary?: readonly string[] | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ActionBeginOutput {
  readonly session_id: string;
  readonly action_id: string;
  readonly version: number;
}

export interface ActionCompleteInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly action_id: string;
  /** Default: "completed". */
  readonly status?: "completed" | "failed" | "interrupted" | undefined;
  /** Default: "success". */
  readonly result?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ActionCompleteOutput {
  readonly session_id: string;
  readonly action_id: string;
  readonly version: number;
}

export interface CheckpointSaveInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly name: string;
  readonly state?: Readonly<Record<string, unknown>> | undefined;
}

export interface Checkpoint {
  readonly name: string;
  readonly checkpoint_id: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly state: Readonly<Record<string, unknown>>;
  /** The session that a merge brought it from. */
  readonly merged_from?: string | undefined;
}

export interface CheckpointListInput {
  readonly id: string;
  /** Default: 0. */
  readonly after?: number | undefined;
  /** Default: 50. */
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
  /** The session that a merge brought it from. */
  readonly merged_from?: string | undefined;
}

export interface CheckpointShowInput {
  /** May be left out where name is the checkpoint's id. */
  readonly id?: string | undefined;
  /** Its name or its id. */
  readonly name: string;
}

export interface CheckpointRestoreInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly name: string;
  /** Go on from there in a fork (needs scope write). Default: false. */
  readonly fork?: boolean | undefined;
}

export interface CheckpointRestoreOutput {
  readonly name: string;
  readonly checkpoint_id: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly state: Readonly<Record<string, unknown>>;
  /** The session that a merge brought it from. */
  readonly merged_from?: string | undefined;
  /** Where work goes on. */
  readonly session_id: string;
  /** False for a finished session, which is only looked at. */
  readonly restored: boolean;
}

export interface ApprovalRequestInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly title: string;
  readonly body?: string | undefined;
  /** ISO 8601; UTC if it names no zone. */
  readonly expires_at?: string | undefined;
}

export interface ApprovalListInput {
  /** Default: 50. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ApprovalListOutput {
  readonly approvals: Approval[];
  readonly next_cursor: string | null;
  /** Sessions that cannot be read. */
  readonly damaged: string[];
}

export interface ApprovalDecideInput {
  readonly approval_id: string;
  readonly decision: "approved" | "rejected";
  readonly note?: string | undefined;
  /** The same answer to all that is alike. Default: false. */
  readonly always?: boolean | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface ApprovalDecideOutput {
  readonly approval_id: string;
  readonly decision: "approved" | "rejected";
  readonly session_id: string;
}

export interface OutcomeRecordInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
  readonly type: string;
  readonly outcome_id?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ArtifactRecordInput {
  readonly id: string;
  readonly idempotency_key?: string | undefined;
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
  /** Default: 0. */
  readonly after?: number | undefined;
  /** Default: 50. */
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
  /** The session that a merge brought it from. */
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
  /** Default: 50. */
  readonly limit?: number | undefined;
  /** By ended_at, those that have not ended come last. Default: "started_at". */
  readonly order_by?: "started_at" | "ended_at" | "updated_at" | undefined;
  /** Default: "desc". */
  readonly order?: "asc" | "desc" | undefined;
  readonly cursor?: string | undefined;
}

export interface ObservationHistoryOutput {
  readonly sessions: {
    readonly entity_id: string;
    readonly snapshot: SessionSnapshot;
  }[];
  /** After a session of more than 2 MB, the next page starts with the rest of it. */
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
}

export interface ObservedAction {
  readonly type: string;
  readonly result: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly timestamp?: string | undefined;
  /** Of one that was begun here, to complete it by. */
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
  readonly task_id?: string | undefined;
  readonly title: string;
  /** Default: "pending". */
  readonly status?: string | undefined;
  readonly priority?: string | undefined;
  readonly est_hours?: number | undefined;
  /** ISO 8601; UTC if it names no zone. */
  readonly added_at?: string | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface TaskUpdateInput {
  readonly task_id: string;
  readonly title?: string | undefined;
  readonly status?: string | undefined;
  readonly priority?: string | undefined;
  readonly est_hours?: number | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface TaskListInput {
  readonly status?: string | undefined;
  /** Default: 50. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface TaskListOutput {
  readonly tasks: Task[];
  readonly next_cursor: string | null;
  /** Tasks that cannot be read. */
  readonly damaged: string[];
}

export interface AgentListInput {
  /** Whose workspace's agents. */
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
  /** One session; default: all that need it. */
  readonly id?: string | undefined;
  /** Only show the plan. Default: false. */
  readonly dry_run?: boolean | undefined;
  /** With one session: also take it from a process that still drives it. Default: false. */
  readonly force?: boolean | undefined;
  /** Let interrupted turns go on where nothing has to be decided, as servers do. Default: false. */
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
  /** What was under way, in one sentence. */
  readonly happened: string;
  readonly actions: RecoveredAction[];
  readonly next_step: string | null;
  /** The question that waits for a person. */
  readonly approval_id: string | null;
  /** Where that question is written down. */
  readonly checkpoint_file: string | null;
  /** The new turn in which the interrupted work goes on by itself. */
  readonly continued_turn_id: string | null;
  /** False when nothing was left to do, or only planned. */
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
  /** The end of what its process had written. */
  readonly tail: string | null;
  /** Its temporary files that were removed before a repeat, or would be. */
  readonly removed: string[];
}

export interface RecoveryListOutput {
  /** Interrupted and not recovered yet, or asked about; never what somebody drives. */
  readonly pending: PendingRecovery[];
  /** The newest 50, newest first. */
  readonly past: PastRecovery[];
  /** Sessions that could not be looked at. */
  readonly failed: {
    readonly session_id: string;
    readonly why: string;
  }[];
}

export interface PendingRecovery {
  readonly session_id: string;
  readonly agent_name: string;
  readonly status: "ok" | "manual-review" | "required-rollback";
  /** What was under way, in one sentence. */
  readonly happened: string;
  readonly actions: RecoveredAction[];
  readonly next_step: string | null;
  /** The question that waits for a person. */
  readonly approval_id: string | null;
  /** Where that question is written down. */
  readonly checkpoint_file: string | null;
  /** The new turn in which the interrupted work goes on by itself. */
  readonly continued_turn_id: string | null;
  /** False when nothing was left to do, or only planned. */
  readonly changed: boolean;
  readonly session_title: string | null;
  /** Of the question; null when nothing was asked yet. */
  readonly title: string | null;
  /** What the answer rollback would run. */
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
  /** Of the event that tells of it. */
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
  /** The turn in which the agent goes on; null where Belay does not run the agent. */
  readonly continued_turn_id: string | null;
}

export interface PastTimelineInput {
  readonly entity_id: string;
  /** ISO 8601; UTC if it names no zone. */
  readonly start_date?: string | undefined;
  /** A date alone includes that whole day (ISO 8601; UTC if it names no zone). */
  readonly end_date?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface PastTimelineOutput {
  readonly entity_id: string;
  readonly events: TimelineEvent[];
  /** Set where the answer was cut at 2 MB. */
  readonly next_cursor: string | null;
}

export interface TimelineEvent {
  readonly timestamp: string;
  readonly type: "session_started" | "action" | "checkpoint" | "session_ended";
  readonly session_id: string;
  readonly session_entity_id: string;
  readonly agent_name: string;
  /** What it is: an action's type, a checkpoint's name, a status. */
  readonly name: string;
  readonly result: string | null;
}

export interface PastSpansInput {
  readonly entity_id: string;
  /** ISO 8601; UTC if it names no zone. */
  readonly start_date?: string | undefined;
  /** A date alone includes that whole day (ISO 8601; UTC if it names no zone). */
  readonly end_date?: string | undefined;
  /** A seq: what began before it, in the one session that has this id. */
  readonly before?: number | undefined;
  /** The newest of each kind, per session. Default: 500. */
  readonly limit?: number | undefined;
}

export interface PastSpansOutput {
  readonly entity_id: string;
  /** There are older sessions than these. */
  readonly more: boolean;
  /** The newest 50, newest first. */
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
  /** The `before` that brings what came earlier; null when all is there. */
  readonly earlier: number | null;
  /** By when they began. */
  readonly spans: Span[];
}

export interface Span {
  readonly kind: "phase" | "turn" | "action" | "approval" | "checkpoint" | "life" | "recovery";
  /** A phase's name, a turn's message, an action's title, how an agent's process began. */
  readonly name: string;
  readonly status: string | null;
  /** Of an action: what it may change. */
  readonly effects: "none" | "local" | "remote" | "unknown" | null;
  /** An action that was interrupted and may have changed something. */
  readonly unknown: boolean;
  readonly from: string;
  /** Null: still under way; of a moment the same as from. */
  readonly to: string | null;
  /** Of the event that opened it. */
  readonly seq: number;
  readonly turn_id: string | null;
  /** Of an action: its id; of an approval: the action that it is asked for. */
  readonly action_id: string | null;
}

export interface PastAuditInput {
  readonly id?: string | undefined;
  /** Default: the last 24 hours (ISO 8601; UTC if it names no zone). */
  readonly since?: string | undefined;
  /** The newest ones. Default: 200. */
  readonly limit?: number | undefined;
}

export interface PastAuditOutput {
  readonly events: AuditEvent[];
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
}

export interface PastEventsInput {
  /** A cursor; default: from the beginning. */
  readonly after?: string | undefined;
  /** Default: 50. */
  readonly limit?: number | undefined;
}

export interface PastEventsOutput {
  readonly events: FeedEvent[];
  /** Null at the end; a page may be short before it. */
  readonly next_cursor: string | null;
  /** Where a follower goes on. */
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
  /** ISO 8601; UTC if it names no zone. */
  readonly from?: string | undefined;
  /** ISO 8601; UTC if it names no zone. */
  readonly to?: string | undefined;
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
  /** Share of sessions that were resumed at least once. */
  readonly resume_rate: number | null;
  /** Completed, of all that ended. */
  readonly success_rate: number | null;
  readonly mean_duration_s: number | null;
  readonly median_duration_s: number | null;
  readonly turns: number;
  readonly errors: number;
  readonly cost_usd: number;
}

export interface ShareAddInput {
  readonly id: string;
  /** The name of a person. */
  readonly with?: string | undefined;
  /** Every person of this server. Default: false. */
  readonly everyone?: boolean | undefined;
  /** Default: "viewer". */
  readonly role?: "viewer" | "approver" | "editor" | undefined;
  /** When it ends; default: when it is taken back (so long from now, as 12h, 7d or 4w; or ISO 8601; UTC if it names no zone). */
  readonly until?: string | undefined;
}

export interface ShareAddOutput {
  readonly session_id: string;
  readonly shares: {
    /** Null: every person of this server. */
    readonly person: string | null;
    readonly role: "viewer" | "approver" | "editor";
    /** Null: until it is taken back. */
    readonly until: string | null;
  }[];
}

export interface ShareRemoveInput {
  readonly id: string;
  /** The name of a person. */
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
    /** Null: until it is taken back. */
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
    /** Null: until it is taken back. */
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
  /** When it ends, within a year; default: in 7 days (so long from now, as 12h, 7d or 4w; or ISO 8601; UTC if it names no zone). */
  readonly until?: string | undefined;
}

export interface PublicLinkAddOutput {
  readonly link_id: string;
  readonly session_id: string;
  /** The last event that it shows. */
  readonly through: number;
  readonly until: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** How often. */
  readonly opened: number;
  readonly last_opened_at: string | null;
  /** On this server; holds the secret. */
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
  /** The last event that it shows. */
  readonly through: number;
  readonly until: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** How often. */
  readonly opened: number;
  readonly last_opened_at: string | null;
}

export interface PublicLinkRevokeInput {
  readonly id: string;
  readonly link_id: string;
}

export interface PersonAddInput {
  /** The owner of this person's sessions. */
  readonly name: string;
  /** Default: as it was, or the name. */
  readonly display_name?: string | undefined;
  /** Default: as it was, or member. */
  readonly role?: "member" | "admin" | undefined;
  /** Accounts that log this person in, each ISSUER#SUBJECT; default: as they were. */
  readonly identities?: readonly string[] | undefined;
}

export interface PersonAddOutput {
  readonly name: string;
  readonly display_name: string;
  /** Null for those who are no admin. */
  readonly role: "member" | "admin" | null;
  /** Empty for those who are no admin. */
  readonly identities: string[];
  /** Null for those who are no admin. */
  readonly created_at: string | null;
  readonly disabled_at: string | null;
}

export interface PersonListOutput {
  readonly people: {
    readonly name: string;
    readonly display_name: string;
    /** Null for those who are no admin. */
    readonly role: "member" | "admin" | null;
    /** Empty for those who are no admin. */
    readonly identities: string[];
    /** Null for those who are no admin. */
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
  /** Null for those who are no admin. */
  readonly role: "member" | "admin" | null;
  /** Empty for those who are no admin. */
  readonly identities: string[];
  /** Null for those who are no admin. */
  readonly created_at: string | null;
  readonly disabled_at: string | null;
}

export interface TokenCreateInput {
  /** What it is for. Default: "token". */
  readonly name?: string | undefined;
  /** Default: "write". */
  readonly scope?: "read" | "record" | "write" | "admin" | undefined;
  /** Whose sessions it opens; default: your own. */
  readonly owner?: string | undefined;
  /** It expires after so many days without use; default: never. */
  readonly idle_days?: number | undefined;
  /** It expires then, used or not (so long from now, as 12h, 7d or 4w; or ISO 8601; UTC if it names no zone). */
  readonly until?: string | undefined;
}

export interface TokenCreateOutput {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly scope: "read" | "record" | "write" | "admin";
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Unless it is used before; null: never. */
  readonly expires_at: string | null;
  /** To the hour; null: not yet. */
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
  /** Unless it is used before; null: never. */
  readonly expires_at: string | null;
  /** To the hour; null: not yet. */
  readonly last_used_at: string | null;
}

export interface TokenRevokeInput {
  readonly token_id: string;
}

export interface WebhookAddInput {
  readonly url: string;
  /** What to tell. */
  readonly on: readonly (
    | "approval.requested"
    | "session.suspended"
    | "session.completed"
    | "session.failed"
    | "session.recovered"
  )[];
  /** Whsec_ and base64; default: a new one, shown this once. */
  readonly secret?: string | undefined;
  /** Also http:// and addresses of this machine and its networks. Default: false. */
  readonly allow_private?: boolean | undefined;
  /** Replace what looks like a secret by [redacted:KIND] before it is sent. Default: false. */
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
  /** What looks like a secret is replaced before it is sent. */
  readonly redact: boolean;
  readonly created_at: string;
  readonly state: "active" | "failing" | "parked";
  /** How many events were acknowledged. */
  readonly delivered: number;
  readonly delivered_at: string | null;
  /** The event that is tried again; later ones wait behind it. */
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
  /** Only where it was made for you, and this once. */
  readonly secret?: string | undefined;
}

export interface WebhookAcceptInput {
  readonly name: string;
  /** Who signs: GitHub, or anyone by Standard Webhooks. */
  readonly preset: "github" | "json";
  readonly agent_name: string;
  /** What it signs with; default: a new one, shown this once. */
  readonly secret?: string | undefined;
  /** A path in the payload, as issue.number: what has the same there goes to one session. */
  readonly session_key?: string | undefined;
  /** What the agent is told; {{issue.title}} inserts what stands there. */
  readonly message?: string | undefined;
  /** Only these, as issues or issues.opened; default: all that the message fits. */
  readonly events?: readonly string[] | undefined;
  /** Where the agent works; default: where you are. */
  readonly cwd?: string | undefined;
}

export interface WebhookAcceptOutput {
  readonly id: string;
  readonly name: string;
  /** Where the server takes it. */
  readonly path: string;
  readonly preset: "github" | "json";
  readonly agent_name: string;
  readonly session_key: string | null;
  readonly message: string | null;
  readonly events: string[];
  readonly cwd: string | null;
  readonly created_at: string;
  /** Only where it was made for you, and this once. */
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
  /** What looks like a secret is replaced before it is sent. */
  readonly redact: boolean;
  readonly created_at: string;
  readonly state: "active" | "failing" | "parked";
  /** How many events were acknowledged. */
  readonly delivered: number;
  readonly delivered_at: string | null;
  /** The event that is tried again; later ones wait behind it. */
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
}

export interface AcceptedWebhook {
  readonly id: string;
  readonly name: string;
  /** Where the server takes it. */
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
  /** Its id, or the name of an accepted one. */
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
  /** It was parked and goes on now. */
  readonly resumed: boolean;
}

export interface WebhookDeliveriesInput {
  readonly webhook: string;
  /** Default: 20. */
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
    /** Whether there are any. */
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
  /** File or folder; default: where the tool keeps its files. Not with a token. */
  readonly path?: string | undefined;
  /** Only say what would be imported. Default: false. */
  readonly dry_run?: boolean | undefined;
  /** Leave out conversations without a word since then (ISO 8601; UTC if it names no zone). */
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
  /** Files that were read. */
  readonly files: number;
  readonly conversations: number;
  readonly new_sessions: number;
  /** Sessions that were imported before and have new turns. */
  readonly grown_sessions: number;
  /** Sessions without anything new. */
  readonly known_sessions: number;
  /** Turns that were added. */
  readonly turns: number;
  /** New and grown sessions, and those that were left alone; at most 1000. */
  readonly sessions: {
    readonly session_id: string;
    readonly title: string | null;
    readonly state: "new" | "grown" | "known" | "kept";
    readonly turns: number;
    /** Why the session was left as it is. */
    readonly why: string | null;
  }[];
  /** What could not be read as it stands; at most 1000. */
  readonly damage: {
    readonly file: string;
    readonly line: number | null;
    readonly why: string;
  }[];
  /** All of it. */
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
  /** What it is about: the agent's first message. */
  readonly topic: string;
  /** `single` runs one turn to its end; `interactive` waits until people have talked with the agent. */
  readonly mode?: "single" | "interactive" | undefined;
  /** Of a step that was suspended before: its session goes on. */
  readonly session_id?: string | undefined;
  readonly task_id?: string | undefined;
  readonly cwd?: string | undefined;
}

export interface NewFile {
  readonly id: string;
  readonly name: string;
  /** Such as text/markdown. */
  readonly media_type?: string | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface KnownFile {
  readonly id: string;
  readonly digest: string;
}

export interface LibraryOptions {
  /** The data folder; default BELAY_HOME, else ~/.belay. */
  readonly home?: string | undefined;
  /** What acknowledged changes survive: `power` (default) a power cut too, `process` every kill. Chosen for a new data folder; one that has chosen otherwise is refused. */
  readonly durability?: "power" | "process" | undefined;
  readonly owner?: string | undefined;
  /** Who is on record for what this handle does. */
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
