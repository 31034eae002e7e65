import type { z } from "zod";
import { RollbackStep } from "../../contract/action/intent.ts";
import { AgentInfo } from "../../contract/agent-info.ts";
import { ApprovalChoice } from "../../contract/approval/approval-choice.ts";
import { Decided, NewDecision } from "../../contract/approval/decided.ts";
import { Project, Usage } from "../../contract/events.ts";
import {
  ObservedCheckpoint,
  ObservedOutcome,
  SessionSnapshot,
} from "../../contract/observation.ts";
import { FeedLine } from "../../contract/operations/past-operations.ts";
import { PublicLink } from "../../contract/operations/share-operations.ts";
import { Token } from "../../contract/operations/token-operations.ts";
import {
  AcceptedWebhook,
  Webhook,
  WebhookDelivery,
} from "../../contract/operations/webhook-operations.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import {
  AgentStats,
  AuditLine,
  HiddenSecret,
  SessionSpans,
  Span,
  Stats,
  TimelineEvent,
} from "../../contract/past.ts";
import {
  PastRecovery,
  PendingRecovery,
  RecoveredAction,
  SessionRecovery,
} from "../../contract/recovery.ts";
import {
  Approval,
  ApprovalAction,
  Artifact,
  Checkpoint,
  FileDiff,
  LogEvent,
  Session,
  Task,
  Turn,
} from "../../contract/session.ts";
import {
  ACTION_STATUSES,
  CHOICE_KINDS,
  DECISIONS,
  DISPLAY_STATUSES,
  EFFECTS,
  FINAL_PHASES,
  INTERFACES,
  PERMISSION_KINDS,
  PHASES,
  RECOVERY_ANSWERS,
  RECOVERY_STATUSES,
  RECOVERY_STEPS,
  SCOPES,
  SPAN_KINDS,
  STATES,
  STATUSES,
  WEBHOOK_EVENTS,
  WEBHOOK_PRESETS,
} from "../../contract/vocabulary.ts";

/** The names of types that several operations share. Others are named after their operation. */
export const NAMED_SCHEMAS: ReadonlyMap<unknown, string> = new Map<z.ZodType, string>([
  [Session, "AgentSession"],
  [Session.shape.history.element, "PhaseChange"],
  [Turn, "ConversationTurn"],
  [Artifact, "Artifact"],
  [Checkpoint, "Checkpoint"],
  [OPERATIONS.list_checkpoints.output.shape.checkpoints.element, "CheckpointLine"],
  [Approval, "Approval"],
  [ApprovalAction, "ApprovalAction"],
  [ApprovalChoice, "ApprovalChoice"],
  [Decided, "ApprovalAnswer"],
  [NewDecision, "NewDecision"],
  [FileDiff, "FileDiff"],
  [RollbackStep, "RollbackStep"],
  [Task, "Task"],
  [Project, "Project"],
  [Usage, "Usage"],
  [LogEvent, "LogEvent"],
  [AuditLine, "AuditEvent"],
  [FeedLine, "FeedEvent"],
  [TimelineEvent, "TimelineEvent"],
  [SessionSpans, "SessionSpans"],
  [Span, "Span"],
  [Stats, "Stats"],
  [AgentStats, "AgentStats"],
  [AgentInfo, "Agent"],
  [SessionSnapshot, "SessionSnapshot"],
  [SessionSnapshot.shape.actions.element, "ObservedAction"],
  [ObservedCheckpoint, "ObservedCheckpoint"],
  [ObservedOutcome, "ObservedOutcome"],
  [SessionRecovery, "SessionRecovery"],
  [RecoveredAction, "RecoveredAction"],
  [PendingRecovery, "PendingRecovery"],
  [PastRecovery, "PastRecovery"],
  [Token, "Token"],
  [PublicLink, "PublicLink"],
  [HiddenSecret, "HiddenSecret"],
  [Webhook, "Webhook"],
  [AcceptedWebhook, "AcceptedWebhook"],
  [WebhookDelivery, "WebhookDelivery"],
]);

/** The same for closed word lists. */
export const NAMED_ENUMS: readonly (readonly [name: string, words: readonly string[]])[] = [
  ["SessionState", STATES],
  ["SessionStatus", STATUSES],
  ["DisplayStatus", DISPLAY_STATUSES],
  ["Phase", PHASES],
  ["FinalPhase", FINAL_PHASES],
  ["Effects", EFFECTS],
  ["ActionStatus", ACTION_STATUSES],
  ["Decision", DECISIONS],
  ["PermissionKind", PERMISSION_KINDS],
  ["ChoiceKind", CHOICE_KINDS],
  ["RecoveryStatus", RECOVERY_STATUSES],
  ["RecoveryStep", RECOVERY_STEPS],
  ["RecoveryAnswer", RECOVERY_ANSWERS],
  ["SpanKind", SPAN_KINDS],
  ["Scope", SCOPES],
  ["WebhookEvent", WEBHOOK_EVENTS],
  ["WebhookPreset", WEBHOOK_PRESETS],
];

/** Lists that may grow; clients see them as texts. */
export const OPEN_ENUMS: readonly (readonly string[])[] = [INTERFACES];
