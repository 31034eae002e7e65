import { useSyncExternalStore } from "react";
import { useLive } from "./live.tsx";

/** Whether this device has a network, as far as the browser knows. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(watchNetwork, () => navigator.onLine);
}

/** Whether the server cannot be heard now, so that nobody here knows what goes on. */
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
