import { useState } from "react";
import type { RollbackStep } from "../../../src/contract/events.ts";
import { AnsweredElsewhere, AnswerFailed } from "./answer-failed.tsx";
import { Button } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { RollbackSteps } from "./rollback-steps.tsx";
import { useRecoveryAnswer } from "./use-answer.ts";

interface RecoveryAnswerProps {
  readonly approval_id: string;
  /** What came with the actions to undo them; without any, rolling back is not offered. */
  readonly rollback: readonly RollbackStep[];
  /** False when the question has gone from the list meanwhile. */
  readonly isOpen?: boolean;
  onAnswered?: (() => void) | undefined;
}

/** Answers what recovery asked. Give it the approval's id as `key`. */
export function RecoveryAnswer({
  approval_id,
  rollback,
  isOpen = true,
  onAnswered,
}: RecoveryAnswerProps) {
  const plan = useRecoveryAnswer(approval_id);
  const answer = useRecoveryAnswer(approval_id, onAnswered);
  const [asks, setAsks] = useState<"rollback" | "abort" | null>(null);
  const isBusy = plan.isPending || answer.isPending;
  const done = answer.data?.rollback ?? [];
  if (answer.isSuccess && answer.data.answer === "rollback") {
    const isWhole = done.every(({ result }) => result === "success");
    return (
      <div role="status" className="space-y-3">
        <p className={`text-sm font-medium ${isWhole ? "text-good" : "text-bad"}`}>
          {isWhole
            ? "Rolled back. The session stays suspended until it is resumed."
            : "A rollback step failed, and the rest did not run. The session stays suspended."}
        </p>
        <RollbackSteps steps={done} />
        {onAnswered && <Button onClick={onAnswered}>Done</Button>}
      </div>
    );
  }
  const isDone = isBusy || answer.isSuccess;
  if (!isOpen && !isDone)
    return <AnsweredElsewhere error={answer.error ?? plan.error} onClose={onAnswered} />;
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          disabled={isDone}
          focusableWhenDisabled
          onClick={() => answer.mutate({ answer: "continue" })}
        >
          Continue
        </Button>
        {rollback.length > 0 && (
          <Button
            disabled={isDone}
            focusableWhenDisabled
            onClick={() =>
              plan.mutate(
                { answer: "rollback", dry_run: true },
                { onSuccess: () => setAsks("rollback") },
              )
            }
          >
            Roll back …
          </Button>
        )}
        <Button disabled={isDone} focusableWhenDisabled onClick={() => setAsks("abort")}>
          Abort …
        </Button>
      </div>
      <p className="text-sm text-soft">
        Continue without running it again,{" "}
        {rollback.length > 0 ? "roll it back (you see the steps first)," : ""} or abort and end the
        session.
      </p>
      {answer.isPending && (
        <p role="status" className="text-sm text-soft">
          {answer.variables?.answer === "rollback" ? "Rolling back …" : "Sending the answer …"}
        </p>
      )}
      <AnswerFailed error={answer.error ?? plan.error} />
      <Confirm
        open={asks === "rollback"}
        title="Run these rollback steps?"
        confirm="Roll back"
        cancel="Cancel"
        onConfirm={() => answer.mutate({ answer: "rollback" })}
        onClose={() => setAsks(null)}
      >
        <p className="mb-3">
          The steps run on this machine in this order. The rollback stops at the first step that
          fails.
        </p>
        <div className="max-h-[50vh] overflow-y-auto">
          <RollbackSteps steps={plan.data?.rollback ?? rollback} />
        </div>
      </Confirm>
      <Confirm
        open={asks === "abort"}
        title="Abort this session?"
        confirm="Abort session"
        cancel="Cancel"
        onConfirm={() => answer.mutate({ answer: "abort" })}
        onClose={() => setAsks(null)}
      >
        Nothing runs again and nothing is undone. The session ends. You can still read it and fork
        it.
      </Confirm>
    </div>
  );
}
