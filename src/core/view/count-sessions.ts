import type { SessionHead } from "../../contract/head.ts";
import type { AgentStats, Stats } from "../../contract/past.ts";
import { iso } from "./view-session.ts";

/** What is counted of a session. */
export interface CountedSession
  extends Pick<SessionHead, "agent_name" | "status" | "phase" | "created_at" | "error_count"> {
  readonly counts: Pick<SessionHead["counts"], "resumes" | "turns">;
  readonly ended: Pick<NonNullable<SessionHead["ended"]>, "duration_ms"> | null;
  readonly usage: Pick<SessionHead["usage"], "cost_usd">;
}

/** The numbers of a set of sessions, in all, by agent and by day of creation. */
export function countSessions(heads: readonly CountedSession[]): Omit<Stats, "from" | "to"> {
  const days = groupBy(heads, (head) => Math.floor(head.created_at / DAY_MS));
  return {
    total: count(heads),
    by_agent: mapValues(
      groupBy(heads, (head) => head.agent_name),
      count,
    ),
    by_day: Object.fromEntries(
      [...days].map(([day, ofDay]) => [iso(day * DAY_MS).slice(0, 10), ofDay.length]),
    ),
  };
}

const DAY_MS = 24 * 3_600_000;

function count(heads: readonly CountedSession[]): AgentStats {
  const durations = heads
    .flatMap((head) => (head.ended ? [head.ended.duration_ms / 1000] : []))
    .sort((a, b) => a - b);
  const resumed = heads.filter((head) => head.counts.resumes > 0).length;
  const completed = heads.filter((head) => head.phase === "completed").length;
  const ended = heads.filter((head) => ["completed", "failed", "abandoned"].includes(head.phase));
  return {
    sessions: heads.length,
    by_status: mapValues(
      groupBy(heads, (head) => head.status),
      (ofStatus) => ofStatus.length,
    ),
    resume_rate: share(resumed, heads.length),
    success_rate: share(completed, ended.length),
    mean_duration_s: share(sum(durations), durations.length),
    median_duration_s: median(durations),
    turns: sum(heads.map((head) => head.counts.turns)),
    errors: sum(heads.map((head) => head.error_count)),
    cost_usd: sum(heads.map((head) => head.usage.cost_usd)),
  };
}

function median(sorted: readonly number[]): number | null {
  const middle = sorted.length / 2;
  const high = sorted[Math.floor(middle)];
  const low = sorted[Math.ceil(middle) - 1];
  return high === undefined || low === undefined ? null : (high + low) / 2;
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function mapValues<T, R>(map: ReadonlyMap<string, T>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries([...map].map(([key, value]) => [key, change(value)]));
}
