import type { AgentStats } from "../../../src/contract/past.ts";
import {
  formatChange,
  formatCost,
  formatCount,
  formatRate,
  formatSeconds,
  type Measure,
} from "./format-numbers.ts";

interface Card {
  readonly measure: Measure;
  readonly name: string;
  readonly means: string;
  format(stats: AgentStats): string;
}

const CARDS: readonly Card[] = [
  {
    measure: "sessions",
    name: "Sessions",
    means: "started in this period",
    format: ({ sessions }) => formatCount(sessions),
  },
  {
    measure: "success",
    name: "Success rate",
    means: "completed, of all that ended",
    format: ({ success_rate }) => formatRate(success_rate),
  },
  {
    measure: "resumes",
    name: "Resume rate",
    means: "resumed at least once, of all sessions",
    format: ({ resume_rate }) => formatRate(resume_rate),
  },
  {
    measure: "duration",
    name: "Median duration",
    means: "half of the ended sessions were shorter",
    format: ({ median_duration_s }) => formatSeconds(median_duration_s),
  },
  {
    measure: "mean",
    name: "Mean duration",
    means: "of ended sessions",
    format: ({ mean_duration_s }) => formatSeconds(mean_duration_s),
  },
  {
    measure: "turns",
    name: "Turns",
    means: "messages sent to agents",
    format: ({ turns }) => formatCount(turns),
  },
  {
    measure: "errors",
    name: "Errors",
    means: "failed turns, and agents that failed",
    format: ({ errors }) => formatCount(errors),
  },
  {
    measure: "cost",
    name: "Cost",
    means: "as reported by agents",
    format: ({ cost_usd }) => formatCost(cost_usd),
  },
];

interface Props {
  readonly stats: AgentStats;
  readonly before: AgentStats | undefined;
  /** The name of the previous span. */
  readonly than: string;
}

/** Each number with its meaning and its change. */
export function NumberCards({ stats, before, than }: Props) {
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {CARDS.map(({ measure, name, means, format }) => {
        const change = formatChange(measure, stats, before);
        return (
          <div key={measure} className="rounded-lg border border-line bg-panel p-3">
            <dt className="text-sm text-soft">{name}</dt>
            <dd className="mt-0.5 text-2xl font-semibold tabular-nums">{format(stats)}</dd>
            <dd className="text-xs text-faint">{means}</dd>
            {change !== null && (
              <dd className="mt-1 text-xs text-soft tabular-nums">
                {change}
                {change === "no change" ? "" : <span className="text-faint"> vs. {than}</span>}
              </dd>
            )}
          </div>
        );
      })}
    </dl>
  );
}
