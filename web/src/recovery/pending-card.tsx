import { Link } from "@tanstack/react-router";
import type { PendingRecovery, RecoveredAction } from "../../../src/contract/recovery.ts";
import { EFFECTS_WORDS } from "../ui/effects-words.ts";
import { RecoveryAnswer } from "../ui/recovery-answer.tsx";
import { RollbackSteps } from "../ui/rollback-steps.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import { toSentence } from "../ui/to-sentence.ts";
import { RecoverNow } from "./recover-now.tsx";
import { processWords, STEP_WORDS } from "./recovery-words.ts";

interface PendingCardProps {
  readonly recovery: PendingRecovery;
  /** False if its question was answered while it is shown here. */
  readonly isOpen: boolean;
  onAnswered(): void;
}

/** One interrupted session: what happened, the evidence, and the decision. */
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
        <p className="mt-1 text-soft">{toSentence(recovery.happened)}</p>
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

/** The evidence about one action, the planned step, and the reason. */
function ActionFound({ action }: { readonly action: RecoveredAction }) {
  const { title, effects, step, why, tail } = action;
  const { plan, asks } = STEP_WORDS[step];
  return (
    <li className="px-4 py-3">
      <div className="items-baseline justify-between gap-4 sm:flex">
        <p className="min-w-0 font-medium break-words">{title}</p>
        <p
          className={`w-fit shrink-0 rounded-full px-2 py-0.5 text-xs font-medium ${asks ? "bg-accent-soft text-accent" : "bg-good-soft text-good"}`}
        >
          {plan}
        </p>
      </div>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm text-soft [&_dt]:text-faint">
        <dt>Effects</dt>
        <dd>{toSentence(EFFECTS_WORDS[effects])}</dd>
        <dt>Process</dt>
        <dd>{processWords(action)}.</dd>
        <dt>Why</dt>
        <dd>{toSentence(why)}</dd>
      </dl>
      {tail !== null && tail !== "" && (
        <details className="mt-2 text-sm">
          <summary className="w-fit py-1.5 text-soft hover:text-ink">The end of its output</summary>
          <pre className="mt-1 rounded-md bg-raised px-3 py-2 font-mono text-[13px] leading-5 break-words whitespace-pre-wrap">
            {tail}
          </pre>
        </details>
      )}
    </li>
  );
}
