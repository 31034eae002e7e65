import type { ApprovalChoice } from "../../../src/contract/approval/approval-choice.ts";
import { CHOICE_WORDS } from "../../../src/contract/approval/choice-words.ts";
import type { ApprovalDecision, PermissionKind } from "../../../src/contract/vocabulary.ts";
import { isAlways, isRejecting } from "../../../src/core/session/choose-option.ts";

/** The part of a question that says how it can be answered. */
export interface Offer {
  readonly kind: string;
  readonly options: readonly PermissionKind[];
  readonly choices: readonly ApprovalChoice[];
  readonly missing_choices: number;
}

/** One button of a question. */
export interface OfferedAnswer {
  readonly key: string;
  readonly label: string;
  /** The effect of the agent's option, because its name may say anything. */
  readonly effect: string | null;
  readonly body:
    | { readonly option: string }
    | { readonly decision: ApprovalDecision; readonly always: boolean };
  readonly approvesOnce: boolean;
  /** The label of the button that confirms it; null if it needs none. */
  readonly confirm: string | null;
  readonly decision: ApprovalDecision;
  /** True if its effect is not known. */
  readonly isUnknown: boolean;
}

const APPROVE = ofDecision("Approve", "approved", false);
const REJECT = ofDecision("Reject", "rejected", false);
const OF_KIND = {
  allow_once: APPROVE,
  allow_always: ofDecision("Approve always", "approved", true),
  reject_once: REJECT,
  reject_always: ofDecision("Reject always", "rejected", true),
} as const satisfies Record<PermissionKind, OfferedAnswer>;
/** Always in this order, however the agent listed them; rejecting comes last. */
const ORDER = ["allow_once", "allow_always", "reject_once", "reject_always"] as const;

/** The answers to a question: the agent's options in its order, or approve and reject. Rejecting is always possible. */
export function offeredAnswers({ kind, options, choices, missing_choices }: Offer) {
  if (choices.length === 0) {
    if (options.length > 0) {
      return ORDER.filter((known) => options.includes(known)).map((known) => OF_KIND[known]);
    }
    return kind === "permission" ? [REJECT] : [APPROVE, REJECT];
  }
  const answers = choices
    .filter((choice) => missing_choices === 0 || isRejecting(choice.kind))
    .map(ofChoice);
  return choices.some((choice) => isRejecting(choice.kind)) ? answers : [...answers, REJECT];
}

function ofChoice({ option_id, name, kind }: ApprovalChoice): OfferedAnswer {
  const decision = isRejecting(kind) ? "rejected" : "approved";
  const always = decision === "rejected" ? "Reject always" : "Approve always";
  return {
    key: `option ${option_id}`,
    label: name,
    effect: CHOICE_WORDS[kind],
    body: { option: option_id },
    approvesOnce: kind === "allow_once",
    confirm: isAlways(kind) ? always : kind === "other" ? "Choose" : null,
    decision,
    isUnknown: kind === "other",
  };
}

function ofDecision(label: string, decision: ApprovalDecision, always: boolean): OfferedAnswer {
  return {
    key: label,
    label,
    effect: null,
    body: { decision, always },
    approvesOnce: decision === "approved" && !always,
    confirm: always ? label : null,
    decision,
    isUnknown: false,
  };
}

/** True for an answer that only the owner of the session may give. */
export function isReservedAnswer(
  { confirm, decision }: OfferedAnswer,
  switches_mode: boolean,
): boolean {
  return confirm !== null || (switches_mode && decision === "approved");
}
