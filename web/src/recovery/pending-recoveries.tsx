import { useState } from "react";
import type { PendingRecovery } from "../../../src/contract/recovery.ts";
import { mergeAsked } from "./merge-asked.ts";
import { PendingCard } from "./pending-card.tsx";
import { RecoverNow } from "./recover-now.tsx";

interface PendingRecoveriesProps {
  readonly pending: readonly PendingRecovery[];
  /** Set if nothing was ever interrupted; then the page shows its own text. */
  readonly isQuiet: boolean;
}

/** The sessions that wait for recovery, or for a person's answer. */
export function PendingRecoveries({ pending, isQuiet }: PendingRecoveriesProps) {
  const [kept, setKept] = useState<readonly PendingRecovery[]>([]);
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const { shown, toKeep } = mergeAsked(kept, pending, dismissed);
  if (toKeep !== kept) setKept(toKeep);

  const untouched = pending.filter(({ approval_id }) => approval_id === null);
  if (shown.length === 0 && isQuiet) return null;
  return (
    <section aria-labelledby="pending">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 id="pending" className="text-lg font-semibold">
          Interrupted
        </h2>
        {untouched.length > 1 && <RecoverNow id={null} label={`Recover all ${untouched.length}`} />}
      </div>
      {shown.length === 0 && <p className="text-soft">Nothing is interrupted now.</p>}
      <ul className="space-y-4">
        {shown.map(({ recovery, isOpen }) => (
          <li key={recovery.approval_id ?? recovery.session_id}>
            <PendingCard
              recovery={recovery}
              isOpen={isOpen}
              onAnswered={() =>
                setDismissed((before) => new Set(before).add(recovery.approval_id ?? ""))
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
