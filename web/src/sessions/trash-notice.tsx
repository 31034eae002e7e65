import { useEffect, useEffectEvent } from "react";
import { Button } from "../ui/button.tsx";
import { nameOf } from "./session-words.ts";
import type { Actions } from "./use-actions.tsx";

const SHOWN_MS = 12_000;

/** What was moved to the trash, and the way back. */
export function TrashNotice({ actions }: { readonly actions: Actions }) {
  const { trashed, undo, forgetTrashed } = actions;
  const forget = useEffectEvent(forgetTrashed);
  useEffect(() => {
    if (!trashed) return;
    const timer = setTimeout(() => forget(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [trashed]);
  return (
    <div role="status">
      {trashed && (
        <div className="flex items-center gap-3 border-t border-line bg-raised px-4 py-2 text-sm">
          <p className="min-w-0 flex-1 truncate">
            In the trash for 7 days: <span className="font-medium">{nameOf(trashed)}</span>
          </p>
          <Button onClick={undo}>Restore</Button>
          <Button look="quiet" onClick={forgetTrashed}>
            Dismiss
          </Button>
        </div>
      )}
    </div>
  );
}
