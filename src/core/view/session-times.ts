import type { SessionHead } from "../../contract/head.ts";
import { readInstant } from "../../contract/read-instant.ts";

/** When a session ran. Times are milliseconds. */
interface SessionTimes {
  readonly started_at: number;
  /** Of its last run, where that has ended. */
  readonly ended_at: number | null;
  readonly duration_ms: number | null;
  readonly last_active_at: number;
}

/** As its agent told it, where the session is known from what its agent submitted; else as it was recorded. */
export function sessionTimes(head: SessionHead): SessionTimes {
  const { ended, created_at, updated_at, observation } = head;
  const recorded = {
    started_at: created_at,
    ended_at: ended?.at ?? null,
    duration_ms: ended?.duration_ms ?? null,
    last_active_at: updated_at,
  };
  // A session that went on here has runs of its own.
  if (!head.observed || head.run > 1 || observation?.started_at == null) return recorded;
  const started_at = readInstant(observation.started_at);
  if (!ended) return { ...recorded, started_at };
  const ended_at = observation.ended_at === null ? ended.at : readInstant(observation.ended_at);
  const told = observation.duration;
  const duration_ms = told === null ? Math.max(0, ended_at - started_at) : told * 1000;
  return { started_at, ended_at, duration_ms, last_active_at: ended_at };
}
