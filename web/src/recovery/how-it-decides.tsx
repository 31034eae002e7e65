const RULES = [
  ["Its process ended. It changes nothing, or only this machine.", "It may run again."],
  [
    "Its process ended. It may change things outside, and has a key that makes a repeat harmless.",
    "It may run again with the same key.",
  ],
  [
    "Its process ended. It may change things outside, or its effects are unknown.",
    "You decide. It never runs again automatically.",
  ],
  ["Its process still runs, which is harmless.", "Recovery waits for it, or leaves it running."],
  ["Its process still runs. It may change things outside.", "It is left running, and you decide."],
  [
    "A process has its number, but may be another program.",
    "You decide. The process is never signalled.",
  ],
] as const;

/** The rules in words, for whoever has to trust them. */
export function HowItDecides() {
  return (
    <details className="rounded-lg border border-line bg-panel">
      <summary className="px-4 py-3 font-medium">How recovery decides</summary>
      <div className="space-y-3 px-4 pb-4 text-sm text-soft">
        <p>
          A session is interrupted when a turn or an action was under way and whoever did it is
          gone. Each action said before it ran what it may change; recovery looks at what is left of
          its process and does only what is safe. What nobody can know, a person decides.
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
          A tool call that still waited for permission did not run. The first answer to a question
          stands; when the world has changed since it was asked, it is asked anew.
        </p>
      </div>
    </details>
  );
}
