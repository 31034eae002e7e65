import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { RecoveryAnswer } from "../../../src/contract/vocabulary.ts";
import { ApiError } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import type { OfferedAnswer } from "./offered-answers.ts";

/** The key of the answers to a question. */
export function answerKey(approval_id: string): readonly string[] {
  return ["answer", approval_id];
}

/** Answers a permission or a question as it was shown: if it has changed since, the answer is refused. */
export function useAnswer(
  approval_id: string,
  digest: string | undefined,
  onAnswered?: () => void,
) {
  const refresh = useRefresh();
  return useMutation({
    mutationKey: answerKey(approval_id),
    mutationFn: ({ answer, note }: { answer: OfferedAnswer; note: string }) =>
      call("decide_approval", {
        approval_id,
        ...answer.body,
        ...(digest !== undefined && { digest }),
        ...(note !== "" && { note }),
      }),
    onSuccess: () => {
      refresh();
      onAnswered?.();
    },
    onError: (error) => (isClosed(error) || isChanged(error)) && refresh(),
  });
}

/** Answers a recovery question. The server accepts a rollback only from a terminal. */
export function useRecoveryAnswer(approval_id: string, onAnswered?: () => void) {
  const refresh = useRefresh();
  return useMutation({
    mutationKey: answerKey(approval_id),
    mutationFn: (answer: Exclude<RecoveryAnswer, "rollback">) =>
      call("answer_recovery", { approval_id, answer, dry_run: false }),
    onSuccess: () => {
      refresh();
      onAnswered?.();
    },
    onError: (error) => isClosed(error) && refresh(),
  });
}

/** True if someone else was faster, it has expired, its subject has changed, or the person no longer sees it. */
export function isClosed(error: unknown): boolean {
  return isMissing(error) || (error instanceof ApiError && error.code === "approval_closed");
}

export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code === "approval_not_found";
}

function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === "approval_changed";
}

/** The feed would bring the change a moment later, but the person should not wait. */
function useRefresh(): () => void {
  const queries = useQueryClient();
  return () => {
    for (const key of ["approvals", "question", "counts", "recoveries"]) {
      void queries.invalidateQueries({ queryKey: [key] });
    }
  };
}
