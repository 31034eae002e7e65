import type { RecoveredAction } from "../../../src/contract/recovery.ts";
import { EFFECTS_WORDS } from "../ui/effects-words.ts";
import { processWords, STEP_WORDS, sentence } from "./recovery-words.ts";

/** What is known of one action, what will be done with it, and why. */
export function ActionFound({ action }: { readonly action: RecoveredAction }) {
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
        <dd>{sentence(EFFECTS_WORDS[effects])}</dd>
        <dt>Process</dt>
        <dd>{processWords(action)}.</dd>
        <dt>Why</dt>
        <dd>{sentence(why)}</dd>
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
