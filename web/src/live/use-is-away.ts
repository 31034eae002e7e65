import { useSyncExternalStore } from "react";
import { useLive } from "./live.tsx";

/** True if this device has a network, as far as the browser knows. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(watchNetwork, () => navigator.onLine);
}

/** True if the server is unreachable, so the shown state may be outdated. */
export function useIsAway(): boolean {
  const { connection } = useLive();
  const isOnline = useIsOnline();
  return !isOnline || (connection !== "live" && connection !== "connecting");
}

function watchNetwork(listen: () => void): () => void {
  window.addEventListener("online", listen);
  window.addEventListener("offline", listen);
  return () => {
    window.removeEventListener("online", listen);
    window.removeEventListener("offline", listen);
  };
}
