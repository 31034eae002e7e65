import type { AgentStats } from "../../../src/contract/past.ts";
import { formatDuration } from "../timeline/time/format-duration.ts";

const whole = new Intl.NumberFormat("en");
const money = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const smallMoney = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 2,
});

/** Shown for unknown values. */
export const NONE = "–";

export function formatCount(count: number): string {
  return whole.format(count);
}

export function formatRate(rate: number | null): string {
  return rate === null ? NONE : `${Math.round(rate * 100)} %`;
}

export function formatSeconds(seconds: number | null): string {
  return seconds === null ? NONE : formatDuration(seconds * 1000);
}

export function formatCost(usd: number): string {
  return usd > 0 && usd < 0.1 ? smallMoney.format(usd) : money.format(usd);
}

export type Measure =
  | "sessions"
  | "turns"
  | "errors"
  | "cost"
  | "resumes"
  | "success"
  | "duration"
  | "mean";

/** The change since the previous span; null if it means nothing. */
export function formatChange(
  measure: Measure,
  now: AgentStats,
  before: AgentStats | undefined,
): string | null {
  if (!before || before.sessions === 0) return null;
  switch (measure) {
    case "sessions":
    case "turns":
    case "errors":
      return signed(now[measure] - before[measure], formatCount);
    case "cost":
      return signed(now.cost_usd - before.cost_usd, formatCost);
    case "resumes":
      return points(now.resume_rate, before.resume_rate);
    case "success":
      return points(now.success_rate, before.success_rate);
    case "duration":
      return seconds(now.median_duration_s, before.median_duration_s);
    case "mean":
      return seconds(now.mean_duration_s, before.mean_duration_s);
  }
}

function seconds(now: number | null, before: number | null): string | null {
  return now === null || before === null ? null : signed(now - before, formatSeconds);
}

function points(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  return signed(Math.round(now * 100) - Math.round(before * 100), (n) => {
    return `${n} ${n === 1 ? "point" : "points"}`;
  });
}

function signed(difference: number, format: (size: number) => string): string {
  if (difference === 0) return "no change";
  return `${difference > 0 ? "+" : "−"}${format(Math.abs(difference))}`;
}
