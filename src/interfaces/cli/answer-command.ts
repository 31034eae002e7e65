import type { Approval } from "../../contract/session.ts";

/** The command that answers a question. */
export function answerCommand({
  kind,
  approval_id,
}: Pick<Approval, "kind" | "approval_id">): string {
  return kind === "recovery"
    ? `belay answer ${approval_id} continue|rollback|abort`
    : `belay approve ${approval_id}`;
}
