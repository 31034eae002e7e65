import { Link } from "@tanstack/react-router";
import type { PendingRecovery } from "../../../src/contract/recovery.ts";
import { RecoveryAnswer } from "../ui/recovery-answer.tsx";
import { RollbackSteps } from "../ui/rollback-steps.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import { ActionFound } from "./action-found.tsx";
import { RecoverNow } from "./recover-now.tsx";
import { sentence } from "./recovery-words.ts";

interface PendingCardProps {
  readonly recovery: PendingRecovery;
  /** False when its question was answered while it is shown here. */
  readonly isOpen: boolean;
  onAnswered(): void;
}

/** One interrupted session: what happened, what is known, and what has to be decided. */
export function PendingCard({ recovery, isOpen, onAnswered }: PendingCardProps) {
  const { session_id, session_title, agent_name, approval_id, actions, rollback } = recovery;
  return (
    <article className="overflow-hidden rounded-lg border border-line bg-panel">
      <header className="px-4 pt-4">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h3 className="min-w-0 font-semibold break-words">
            <Link to="/s/$id" params={{ id: session_id }} className="hover:underline">
              {session_title ?? session_id}
            </Link>
          </h3>
          <p className="text-sm text-soft">
            {agent_name}
            {recovery.asked_at !== null && (
              <>
                {" · asked "}
                <TimeAgo at={recovery.asked_at} />
              </>
            )}
          </p>
        </div>
        <p className="mt-1 text-soft">{sentence(recovery.happened)}</p>
      </header>
      {actions.length > 0 && (
        <ul className="mt-3 divide-y divide-line border-y border-line">
          {actions.map((action) => (
            <ActionFound key={action.action_id} action={action} />
          ))}
        </ul>
      )}
      <div className="space-y-4 p-4">
        {isOpen && approval_id !== null && rollback.length > 0 && (
          <div>
            <h4 className="mb-1.5 text-sm font-medium text-soft">Rollback steps</h4>
            <RollbackSteps steps={rollback} />
          </div>
        )}
        {approval_id === null ? (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <RecoverNow id={session_id} label="Recover now" />
            <p className="text-sm text-soft">
              {recovery.status === "ok"
                ? "Recovery does what is listed above."
                : "Recovery does what is safe and asks about the rest."}{" "}
              The server runs recovery within a minute.
            </p>
          </div>
        ) : (
          <>
            {isOpen && recovery.title !== null && <p className="font-medium">{recovery.title}</p>}
            <RecoveryAnswer {...{ approval_id, rollback, isOpen, onAnswered }} />
          </>
        )}
        {recovery.checkpoint_file !== null && (
          <p className="text-sm text-faint">
            Saved in <code className="font-mono break-all">{recovery.checkpoint_file}</code>
          </p>
        )}
      </div>
    </article>
  );
}
