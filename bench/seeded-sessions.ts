import { type ListedSession, type ListFilter, sessionStatuses } from "./contender.ts";

/** Sessions spread evenly over every pair of status and agent, oldest first. */
export interface SeededSessions {
  readonly count: number;
  readonly agents: number;
}

export function* seededSessions({ count, agents }: SeededSessions): Generator<ListedSession> {
  for (let index = 0; index < count; index++) yield seededSession(index, agents);
}

/** The filter of a call: all pairs of status and agent in turn. */
export function filterOf(call: number, { agents }: SeededSessions): ListFilter {
  const { status, agent } = seededSession(call, agents);
  return { status, agent, limit: 50 };
}

/** The number of calls after which the filters repeat. */
export function countFilters({ agents }: SeededSessions): number {
  return agents * sessionStatuses.length;
}

/** The expected answer of a list. */
export function newestSeeded({ count, agents }: SeededSessions, filter: ListFilter) {
  const found: ListedSession[] = [];
  for (let index = count - 1; index >= 0 && found.length < filter.limit; index--) {
    const session = seededSession(index, agents);
    if (session.status === filter.status && session.agent === filter.agent) found.push(session);
  }
  return found;
}

function seededSession(index: number, agents: number): ListedSession {
  return {
    session: `session-${String(index).padStart(8, "0")}`,
    agent: `agent-${index % agents}`,
    status: sessionStatuses[Math.floor(index / agents) % sessionStatuses.length] ?? "created",
  };
}
