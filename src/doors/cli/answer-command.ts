import type { ApprovalChoice } from "../../contract/approval/approval-choice.ts";
import type { Approval } from "../../contract/session.ts";
import { answerKeys } from "./talk/answer-keys.ts";

/** The command that answers a question. */
export function answerCommand(
  asked: Pick<Approval, "approval_id"> & Parameters<typeof answerKeys>[0],
): string {
  const { kind, approval_id, choices = [], missing_choices = 0 } = asked;
  if (kind === "recovery") return `belay answer ${approval_id} continue|rollback|abort`;
  if (answerKeys(asked).has("y")) return `belay approve ${approval_id}`;
  const isRejection = (choice: ApprovalChoice) => choice.kind.startsWith("reject");
  return missing_choices > 0 || choices.every(isRejection)
    ? `belay reject ${approval_id}`
    : `belay approve ${approval_id} --option OPTION`;
}
