import { ownerIn } from "../../../src/contract/id-pattern.ts";
import { answerOperation, LEAST_ROLE } from "../../../src/core/shares.ts";

interface CannotAnswerProps {
  readonly id: string;
  /** The kind of the question. */
  readonly kind: string;
}

/** Replaces the buttons of a question in another person's session if the reader's role does not allow an answer. */
export function CannotAnswer({ id, kind }: CannotAnswerProps) {
  const owner = ownerIn(id);
  return (
    <p className="mt-2 text-sm text-soft">
      {LEAST_ROLE[answerOperation(kind)] === null
        ? `Only ${owner} can answer.`
        : `An approver, an editor or ${owner} can answer.`}
    </p>
  );
}
