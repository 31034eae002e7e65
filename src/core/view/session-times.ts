import type { SessionHead } from "../../contract/head.ts";
import { readInstant } from "../../contract/read-instant.ts";

/** The start, end and duration of a session, in milliseconds. */
interface SessionTimes {
  readonly started_at: number;
  /** The end of the last run; null if it has not ended. */
  readonly ended_at: number | null;
  readonly duration_ms: number | null;
  readonly last_active_at: number;
}

/**
 * For a session that only an observation describes, the times the agent submitted; otherwise the
 * recorded ones.
 */
export function sessionTimes(head: SessionHead): SessionTimes {
  const { ended, created_at, updated_at, observation } = head;
  const recorded = {
    started_at: created_at,
    ended_at: ended?.at ?? null,
    duration_ms: ended?.duration_ms ?? null,
    last_active_at: updated_at,
  };
  // A session that was continued in Belay has recorded runs of its own.
  if (!head.observed || head.run > 1 || observation?.started_at == null) return recorded;
  const started_at = readInstant(observation.started_at);
  if (!ended) return { ...recorded, started_at };
  const ended_at = observation.ended_at === null ? ended.at : readInstant(observation.ended_at);
  const told = observation.duration;
  const duration_ms = told === null ? Math.max(0, ended_at - started_at) : told * 1000;
  return { started_at, ended_at, duration_ms, last_active_at: ended_at };
}
