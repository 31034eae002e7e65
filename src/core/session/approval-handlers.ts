import type { SessionCommand } from "../../contract/commands.ts";
import type { Refusal } from "../../contract/errors.ts";
import { refuse } from "../../contract/errors.ts";
import type { SessionFact } from "../../contract/events.ts";
import type { OpenApproval, SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { ApprovalDecision } from "../../contract/vocabulary.ts";
import { chooseOption, isReserved } from "./choose-option.ts";
import type { DecisionContext, Verdict } from "./decision.ts";
import { changePhase, isRefusal, refuseTooLong } from "./decision.ts";
import { isAnswerable } from "./session-activity.ts";

/**
 * A question to a person gets exactly one answer. A question that no process waits for suspends its
 * session until then.
 */
export const approvalHandlers = {
  request_approval: (command: SessionCommand<"request_approval">, head: SessionHead): Verdict => {
    const { type, options, choices, missing_choices, rollback, basis, ...asked } = command;
    const data = {
      ...asked,
      ...(options ? { options: [...options] } : {}),
      ...(choices ? { choices: [...choices] } : {}),
      ...(missing_choices ? { missing_choices } : {}),
      ...(rollback ? { rollback: [...rollback] } : {}),
      ...(basis === undefined ? {} : { basis }),
    };
    if (head.approvals.length >= LIMITS.OPEN_APPROVALS) {
      return refuse(
        "limit_reached",
        "This session has too many open approvals. Answer one first.",
        {
          limit: LIMITS.OPEN_APPROVALS,
        },
      );
    }
    const suspended: SessionFact = {
      type: "session.suspended",
      data: { reason: "approval", checkpoint_id: null },
    };
    return (
      refuseTooLong({ approval_id: [data.approval_id, LIMITS.ITEM_ID] }) ?? [
        { type: "approval.requested", data },
        ...changePhase(head, "approval"),
        ...(data.awaited || head.status === "suspended" ? [] : [suspended]),
      ]
    );
  },
  decide_approval: (
    command: SessionCommand<"decide_approval">,
    head: SessionHead,
    context: DecisionContext,
  ): Verdict => {
    const { approval_id, note, of = null, asked, guest } = command;
    const open = findOpen(head, approval_id);
    if (!open || (open.expires_at !== null && open.expires_at <= context.now)) {
      return refuse("approval_closed", "This approval was already answered or has expired.", {
        approval_id,
      });
    }
    const misunderstood = refuseOtherKind(open, of);
    if (misunderstood) return misunderstood;
    if (!isAnswerable(open, head, context.lease)) {
      const message =
        "This question can no longer be answered. The process that asked has ended, and its turn was lost. Send the message again.";
      return refuse("approval_closed", message, { approval_id, session_id: head.session_id });
    }
    if (command.is_outdated) {
      const message =
        command.of === "merge"
          ? "The values have changed since this question was asked. Reject it, then merge again to see them."
          : "The question has changed since it was shown. Read it again, then answer.";
      return refuse("approval_changed", message, { approval_id });
    }
    const chosen = chooseOption(command, asked);
    if (isRefusal(chosen)) return chosen;
    const { decision, always, choice } = chosen;
    if (guest && isReserved(chosen, guest.switches_mode)) {
      const what = choice ? `choose "${choice.name}"` : 'answer "always"';
      return refuse("not_allowed", `Only ${head.owner} may ${what}.`, { approval_id });
    }
    return [
      {
        type: "approval.decided",
        data: {
          approval_id,
          decision,
          note,
          ...(always ? { always } : {}),
          ...(choice ? { choice } : {}),
        },
      },
      ...(open.awaited || isLastOfRecovery(head, open, decision)
        ? changePhase(head, open.awaited && decision === "approved" ? "executing" : "investigating")
        : []),
    ];
  },
  expire_approval: (command: SessionCommand<"expire_approval">, head: SessionHead): Verdict => {
    const { approval_id, reason } = command;
    if (!findOpen(head, approval_id)) return [];
    return [{ type: "approval.expired", data: { approval_id, reason } }];
  },
};

/**
 * Recovery questions have answers of their own, because "approve" would be ambiguous. Null if the
 * answer fits.
 */
export function refuseOtherKind(
  open: OpenApproval,
  of: "recovery" | "merge" | null,
): Refusal | null {
  const special = open.kind === "recovery" || open.kind === "merge" ? open.kind : null;
  if (special === of) return null;
  if (special === "merge") {
    const message = `${open.id} is a question about a merge. Approve or reject it.`;
    return refuse("invalid_input", message, { approval_id: open.id });
  }
  const message =
    of === "recovery"
      ? `${open.id} is not a recovery question. Answer it with: belay approve or belay reject`
      : `${open.id} is a recovery question. Answer it with: belay answer ${open.id} continue|rollback|abort`;
  return refuse("invalid_input", message, { approval_id: open.id });
}

/** True if this answer continues the session and no other recovery question is open. */
function isLastOfRecovery(
  { approvals }: SessionHead,
  { kind }: OpenApproval,
  decision: ApprovalDecision,
): boolean {
  return kind === "recovery" && decision === "approved" && approvals.length === 1;
}

function findOpen(head: SessionHead, approval_id: string): OpenApproval | undefined {
  return head.approvals.find((approval) => approval.id === approval_id);
}
