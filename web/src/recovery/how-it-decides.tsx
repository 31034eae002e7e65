const RULES = [
  ["Its process is gone, and it changes nothing or only this machine", "It may be repeated."],
  [
    "Its process is gone, and it may change things outside, with a key that makes a repeat harmless",
    "It may be repeated under the same key.",
  ],
  [
    "Its process is gone, and it may change things outside, or nobody said",
    "You are asked. It is never repeated by itself.",
  ],
  ["Its process still runs, and that is harmless", "It is waited for, or left running."],
  [
    "Its process still runs, and it may change things outside",
    "It is left running, and you are asked.",
  ],
  [
    "A process has its number, but nothing proves that it is the same one",
    "You are asked. It is never signalled.",
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
