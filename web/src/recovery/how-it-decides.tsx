const RULES = [
  ["Its process ended. It changes nothing, or only this machine.", "It may run again."],
  [
    "Its process ended. It may change things outside this machine, and has a key that makes a repeat harmless.",
    "It may run again with the same key.",
  ],
  [
    "Its process ended. It may change things outside this machine, or its effects are unknown.",
    "You decide. It never runs again automatically.",
  ],
  [
    "Its process is still running. It changes nothing, or only this machine.",
    "Recovery waits for it, or leaves it running.",
  ],
  [
    "Its process is still running. It may change things outside this machine.",
    "It is left running, and you decide.",
  ],
  [
    "A process has the same number, but may be another program.",
    "You decide. Recovery never stops that process.",
  ],
] as const;

/** The rules in words, for people who have to trust them. */
export function HowItDecides() {
  return (
    <details className="rounded-lg border border-line bg-panel">
      <summary className="px-4 py-3 font-medium">How recovery decides</summary>
      <div className="space-y-3 px-4 pb-4 text-sm text-soft">
        <p>
          A session is interrupted when the process that ran its turn or action ended before the
          work was done. Each action declares beforehand what it may change. Recovery checks its
          process and does only what is safe. You decide the rest.
        </p>
        <dl className="divide-y divide-line border-y border-line">
          {RULES.map(([when, then]) => (
            <div key={when} className="py-2 sm:flex sm:gap-6">
              <dt className="sm:w-1/2">{when}</dt>
              <dd className="font-medium text-ink sm:w-1/2">{then}</dd>
            </div>
          ))}
        </dl>
        <p>
          A tool call that was waiting for permission did not run. The first answer to a question
          counts. If the facts change before the answer, recovery asks again.
        </p>
      </div>
    </details>
  );
}
