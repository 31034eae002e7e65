import { useEffect, useState } from "react";
import { useIsAway } from "./use-is-away.ts";

/** The time, updated every second while something is under way. It stops while the server is unreachable. */
export function useNow(isTicking: boolean): number {
  const isAway = useIsAway();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking || isAway) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isTicking, isAway]);
  return now;
}
