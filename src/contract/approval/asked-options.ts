import type { ApprovalKind, PermissionKind } from "../vocabulary.ts";
import type { ApprovalChoice } from "./approval-choice.ts";

/** The options of a question, as the event that asked it has them. */
export interface AskedOptions {
  readonly kind: ApprovalKind;
  readonly options?: readonly PermissionKind[] | undefined;
  /** Undefined if the question has no options of its own, or an older version asked it. */
  readonly choices?: readonly ApprovalChoice[] | undefined;
  readonly missing_choices?: number | undefined;
}
