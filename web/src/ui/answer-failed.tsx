import { useQuery } from "@tanstack/react-query";
import { Unreachable } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import { Button } from "./button.tsx";
import { describeDecided } from "./describe-decided.ts";
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
  readonly approval_id: string;
  readonly error: unknown;
  onClose?: (() => void) | undefined;
}

/** Replaces the buttons if someone else has answered, and says who, and with what. */
export function AnsweredElsewhere({ approval_id, error, onClose }: AnsweredElsewhereProps) {
  const { data, isPending } = useQuery({
    queryKey: ["approvals", "closed", approval_id],
    queryFn: ({ signal }) => call("list_approvals", { approval_id }, signal),
    retry: false,
  });
  const [closed] = data?.approvals ?? [];
  const answered = closed?.decided && describeDecided(closed.decided, closed.session_id);
  const isLate = isClosed(error);
  return (
    <div className="space-y-2">
      {answered ? (
        <p role={isLate ? "alert" : "status"} className={isLate ? LATE : NEUTRAL}>
          {isLate && "Your answer was not used. "}
          {answered}
        </p>
      ) : (
        <>
          {!isLate && !isPending && (
            <p role="status" className={NEUTRAL}>
              This question is closed. Someone else answered it, it expired, or its session is no
              longer shared with you.
            </p>
          )}
          <AnswerFailed error={error} />
        </>
      )}
      {onClose && <Button onClick={onClose}>Done</Button>}
    </div>
  );
}

const NEUTRAL = "rounded-md bg-raised px-3 py-2 text-sm break-words text-soft";
const LATE = "rounded-md bg-warn-soft px-3 py-2 text-sm break-words text-warn";

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
