import { useEffect, useState, useSyncExternalStore } from "react";
import { Unreachable } from "../api/api-error.ts";
import { useLive } from "../live/live.tsx";
import { SessionLog } from "./session-log.ts";

/** A session's log while the page shows it. Give whatever calls this the session's id as `key`. */
export function useLog(id: string, at: number | null) {
  const [log] = useState(() => new SessionLog(id, at));
  const state = useSyncExternalStore(log.subscribe, log.read);
  useEffect(() => log.start(), [log]);
  const { connection } = useLive();
  const isCutOff = state.phase === "failed" && state.error instanceof Unreachable;
  useEffect(() => {
    if (connection === "live" && isCutOff) void log.load();
  }, [connection, isCutOff, log]);
  return { log, state };
}
