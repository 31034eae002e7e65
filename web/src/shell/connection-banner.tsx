import { useLive } from "../live/live.tsx";
import { useIsOnline } from "../live/use-is-away.ts";

/** Says so when what is shown may be old, and nothing while all is well. */
export function ConnectionBanner() {
  const { connection, why } = useLive();
  const isOnline = useIsOnline();
  const said = isOnline
    ? SAID[connection]
    : "This device is offline. The page shows the last known state.";
  return (
    <div role="status" aria-live="polite">
      {said && (
        <p className="border-b border-line bg-warn-soft px-4 py-1.5 text-center text-sm text-warn">
          {said} {why}
        </p>
      )}
    </div>
  );
}

const SAID = {
  connecting: null,
  live: null,
  reconnecting: "The server does not answer. Reconnecting …",
  "logged out": "This browser is logged out. The page is not updated.",
  broken: "The page is not updated:",
} as const satisfies Record<ReturnType<typeof useLive>["connection"], string | null>;
