import { useState } from "react";
import type { RollbackStep } from "../../../src/contract/action/intent.ts";
import { AnsweredElsewhere, AnswerFailed } from "./answer-failed.tsx";
import { Button } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { CopyText } from "./copy-text.tsx";
import { Panel } from "./panel.tsx";
import { RollbackSteps } from "./rollback-steps.tsx";
import { useRecoveryAnswer } from "./use-answer.ts";

interface RecoveryAnswerProps {
  readonly approval_id: string;
  /** The steps that undo the actions; without any, a rollback is not offered. */
  readonly rollback: readonly RollbackStep[];
  /** False if the question has disappeared from the list. */
  readonly isOpen?: boolean;
  onAnswered?: (() => void) | undefined;
}

/** Answers a recovery question. The caller must use the approval's id as `key`. */
export function RecoveryAnswer({
  approval_id,
  rollback,
  isOpen = true,
  onAnswered,
}: RecoveryAnswerProps) {
  const answer = useRecoveryAnswer(approval_id, onAnswered);
  const [asks, setAsks] = useState<"rollback" | "abort" | null>(null);
  const isDone = answer.isPending || answer.isSuccess;
  if (!isOpen && !isDone) {
    const { error } = answer;
    return <AnsweredElsewhere approval_id={approval_id} error={error} onClose={onAnswered} />;
  }
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={isDone} onClick={() => answer.mutate("continue")}>
          Continue
        </Button>
        {rollback.length > 0 && (
          <Button disabled={isDone} onClick={() => setAsks("rollback")}>
            Roll back …
          </Button>
        )}
        <Button disabled={isDone} onClick={() => setAsks("abort")}>
          Abort …
        </Button>
      </div>
      <p className="text-sm text-soft">
        Continue without running it again, {rollback.length > 0 && "roll it back in a terminal,"} or
        abort and end the session.
      </p>
      {answer.isPending && (
        <p role="status" className="text-sm text-soft">
          Sending the answer …
        </p>
      )}
      <AnswerFailed error={answer.error} />
      <RollbackDialog
        approval_id={approval_id}
        steps={rollback}
        open={asks === "rollback"}
        onClose={() => setAsks(null)}
      />
      <Confirm
        open={asks === "abort"}
        title="Abort this session?"
        confirm="Abort session"
        cancel="Cancel"
        onConfirm={() => answer.mutate("abort")}
        onClose={() => setAsks(null)}
      >
        Nothing runs again and nothing is undone. The session ends. You can still read it and fork
        it.
      </Confirm>
    </div>
  );
}

interface RollbackDialogProps {
  readonly approval_id: string;
  readonly steps: readonly RollbackStep[];
  readonly open: boolean;
  onClose(): void;
}

/** Explains how to roll back in a terminal: the server refuses it from a browser, because it runs commands. */
function RollbackDialog({ approval_id, steps, open, onClose }: RollbackDialogProps) {
  return (
    <Panel open={open} title="Roll back in a terminal" onClose={onClose}>
      <p className="mb-3 text-soft">
        A rollback runs commands on the server’s computer, so a browser cannot start it. Run this
        command in a terminal there:
      </p>
      <CopyText text={`npx belay answer ${approval_id} rollback`} />
      <p className="mt-4 mb-2 text-soft">
        It runs these steps in this order and stops at the first step that fails:
      </p>
      <RollbackSteps steps={steps} />
      <Button className="mt-5" onClick={onClose}>
        Done
      </Button>
    </Panel>
  );
}
