import { useMutationState } from "@tanstack/react-query";
import { answerKey, isClosed } from "./use-answer.ts";

/** True if an answer was sent from this tab after the question was closed. Known even after its buttons are gone. */
export function useIsLate(approval_id: string): boolean {
  const errors = useMutationState({
    filters: { mutationKey: answerKey(approval_id) },
    select: ({ state }) => state.error,
  });
  return errors.some(isClosed);
}
