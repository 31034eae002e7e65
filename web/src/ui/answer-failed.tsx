import { Unreachable } from "../api/api-error.ts";
import { Button } from "./button.tsx";
import { explain } from "./states.tsx";
import { toSentence } from "./to-sentence.ts";
import { isClosed, isMissing } from "./use-answer.ts";

/** The reason why an answer was not accepted. */
export function AnswerFailed({ error }: { readonly error: unknown }) {
  return (
    <div role="alert">
      {error != null && (
        <p
          className={`rounded-md px-3 py-2 text-sm ${isClosed(error) ? "bg-warn-soft text-warn" : "bg-bad-soft text-bad"}`}
        >
          {describeFailure(error)}
        </p>
      )}
    </div>
  );
}

interface AnsweredElsewhereProps {
  readonly error: unknown;
  onClose?: (() => void) | undefined;
}

/** Replaces the buttons if someone else has answered. */
export function AnsweredElsewhere({ error, onClose }: AnsweredElsewhereProps) {
  return (
    <div className="space-y-2">
      {!isClosed(error) && (
        <p role="status" className="rounded-md bg-raised px-3 py-2 text-sm text-soft">
          This question is closed. Someone else answered it, it expired, or its session is no longer
          shared with you.
        </p>
      )}
      <AnswerFailed error={error} />
      {onClose && <Button onClick={onClose}>Done</Button>}
    </div>
  );
}

function describeFailure(error: unknown): string {
  if (isMissing(error)) {
    return "Your answer was not used. This question was deleted, or its session is no longer shared with you.";
  }
  if (isClosed(error)) return `Your answer was not used. ${toSentence(explain(error))}`;
  if (error instanceof Unreachable) {
    return "The server does not answer, so your answer may not have arrived. Answer again when the server is back. Only the first answer counts.";
  }
  return `Your answer was refused. ${toSentence(explain(error))}`;
}
