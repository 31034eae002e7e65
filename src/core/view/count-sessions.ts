import type { SessionHead } from "../../contract/head.ts";
import type { AgentStats, Stats } from "../../contract/past.ts";
import { finiteSum } from "../finite-sum.ts";
import { iso } from "./view-session.ts";

/** The fields of a session that the statistics need. */
export interface CountedSession
  extends Pick<SessionHead, "agent_name" | "status" | "phase" | "created_at" | "error_count"> {
  readonly counts: Pick<SessionHead["counts"], "resumes" | "turns">;
  readonly ended: Pick<NonNullable<SessionHead["ended"]>, "duration_ms"> | null;
  readonly usage: Pick<SessionHead["usage"], "cost_usd">;
}

/** The statistics of a set of sessions: in total, by agent and by day of creation. */
export function countSessions(heads: Iterable<CountedSession>): Omit<Stats, "from" | "to"> {
  const total = new Count();
  const agents = new Map<string, Count>();
  const days = new Map<number, number>();
  for (const head of heads) {
    total.add(head);
    const agent = agents.get(head.agent_name) ?? new Count();
    agents.set(head.agent_name, agent);
    agent.add(head);
    increase(days, Math.floor(head.created_at / DAY_MS));
  }
  return {
    total: total.stats(),
    by_agent: Object.fromEntries([...agents].map(([name, agent]) => [name, agent.stats()])),
    by_day: Object.fromEntries(
      [...days].map(([day, sessions]) => [iso(day * DAY_MS).slice(0, 10), sessions]),
    ),
  };
}

const DAY_MS = 24 * 3_600_000;
const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "abandoned"]);

/** Sums up sessions one by one, so that each is read only once. */
class Count {
  readonly #statuses = new Map<string, number>();
  readonly #durations: number[] = [];
  #sessions = 0;
  #resumed = 0;
  #completed = 0;
  #ended = 0;
  #turns = 0;
  #errors = 0;
  #cost = 0;

  add(head: CountedSession): void {
    this.#sessions += 1;
    increase(this.#statuses, head.status);
    if (head.ended) this.#durations.push(head.ended.duration_ms / 1000);
    if (head.counts.resumes > 0) this.#resumed += 1;
    if (head.phase === "completed") this.#completed += 1;
    if (ENDED.has(head.phase)) this.#ended += 1;
    this.#turns += head.counts.turns;
    this.#errors += head.error_count;
    this.#cost = finiteSum(this.#cost, head.usage.cost_usd);
  }

  stats(): AgentStats {
    const durations = this.#durations.toSorted((a, b) => a - b);
    const seconds = durations.reduce((sum, duration) => sum + duration, 0);
    return {
      sessions: this.#sessions,
      by_status: Object.fromEntries(this.#statuses),
      resume_rate: share(this.#resumed, this.#sessions),
      success_rate: share(this.#completed, this.#ended),
      mean_duration_s: share(seconds, durations.length),
      median_duration_s: median(durations),
      turns: this.#turns,
      errors: this.#errors,
      cost_usd: this.#cost,
    };
  }
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

function increase<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
