import { formatUsage } from "../format-usage.ts";
import type { TurnEnd } from "../log/entry.ts";
import { useConversation } from "./conversation-context.ts";
import { formatSpan, TimeOf } from "./time-of.tsx";

const OUTCOMES = {
  completed: ["✓", "Done", "text-faint"],
  without_usage: ["•", "Ended without usage", "text-warn"],
  failed: ["✕", "Failed", "text-bad"],
  interrupted: ["■", "Interrupted", "text-warn"],
  cancelled: ["■", "Cancelled", "text-warn"],
  dropped: ["■", "Continued in the other session", "text-faint"],
} as const satisfies Record<TurnEnd["outcome"], readonly [string, string, string]>;

/** The outcome of a turn, its usage, and a button to fork from here. */
export function TurnEndView({ end }: { readonly end: TurnEnd }) {
  const { fork } = useConversation();
  const { outcome, error, usage, took, seq } = end;
  const canFork = fork !== null && seq !== null && outcome !== "dropped";
  const [sign, word, look] = OUTCOMES[outcome];
  const facts = [took === null ? null : formatSpan(took), usage && formatUsage(usage)].filter(
    Boolean,
  );
  return (
    <footer className="group/end border-b border-line pb-2 text-xs text-faint">
      <div className="flex min-h-7 items-center gap-2">
        <span className={`shrink-0 font-medium ${look}`}>
          <span aria-hidden>{sign}</span> {word}
        </span>
        <span className="min-w-0 truncate">{facts.join(" · ")}</span>
        {canFork && (
          <button
            type="button"
            onClick={() => fork(seq)}
            className="ml-auto min-h-7 shrink-0 rounded px-1.5 opacity-0 group-focus-within/end:opacity-100 group-hover/end:opacity-100 hover:bg-raised hover:text-ink pointer-coarse:opacity-100"
          >
            Fork here
          </button>
        )}
        <span className={`shrink-0 ${canFork ? "" : "ml-auto"}`}>
          <TimeOf entry={end} />
        </span>
      </div>
      {error !== null && (
        <p className="mt-1 rounded-md bg-bad-soft px-3 py-2 text-sm break-words whitespace-pre-wrap text-bad">
          {error}
        </p>
      )}
    </footer>
  );
}
