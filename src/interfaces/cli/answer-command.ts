import type { Approval } from "../../contract/session.ts";

/** What to type to answer a question. */
export function answerCommand({
  kind,
  approval_id,
}: Pick<Approval, "kind" | "approval_id">): string {
  return kind === "recovery"
    ? `belay answer ${approval_id} continue|rollback|abort`
    : `belay approve ${approval_id}`;
}
