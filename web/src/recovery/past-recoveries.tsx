import { Link } from "@tanstack/react-router";
import type { PastRecovery } from "../../../src/contract/recovery.ts";
import { TimeAgo } from "../ui/time-ago.tsx";
import { STATUS_WORDS, STEP_WORDS } from "./recovery-words.ts";

/** Past recoveries, newest first. */
export function PastRecoveries({ past }: { readonly past: readonly PastRecovery[] }) {
  return (
    <section aria-labelledby="past">
      <h2 id="past" className="mb-3 text-lg font-semibold">
        Past recoveries
      </h2>
      <ol className="divide-y divide-line rounded-lg border border-line bg-panel">
        {past.map((one) => (
          <PastRow key={`${one.session_id} ${one.seq}`} recovery={one} />
        ))}
      </ol>
    </section>
  );
}

function PastRow({ recovery }: { readonly recovery: PastRecovery }) {
  const { session_id, session_title, agent_name, at, status, steps, next_step, seq } = recovery;
  const [word, look] = STATUS_WORDS[status];
  return (
    <li className="px-4 py-3">
      <div className="flex items-baseline justify-between gap-4">
        <Link
          to="/s/$id"
          params={{ id: session_id }}
          search={{ at: seq }}
          className="min-w-0 font-medium break-words hover:underline"
        >
          {session_title ?? session_id}
        </Link>
        <span className={`shrink-0 rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
          {word}
        </span>
      </div>
      <p className="text-sm text-soft">
        {agent_name} · <TimeAgo at={at} />
      </p>
      {steps.length > 0 && (
        <ul className="mt-1.5 space-y-1 text-sm">
          {steps.map(({ action_id, title, step }) => (
            <li key={action_id} className="justify-between gap-4 sm:flex">
              <p className="min-w-0 break-words">{title}</p>
              <p className={`shrink-0 ${STEP_WORDS[step].asks ? "text-accent" : "text-soft"}`}>
                {STEP_WORDS[step].past}
              </p>
            </li>
          ))}
        </ul>
      )}
      {next_step !== null && <p className="mt-1 text-sm text-soft">Next step: {next_step}</p>}
    </li>
  );
}
