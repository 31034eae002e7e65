/** The results of one contender, one number per round. Rates are per second, times in milliseconds. */
export type Metric =
  | "append_rate"
  | "append_keyed_rate"
  | "append_young_rate"
  | "concurrent_rate_one_session"
  | "concurrent_rate_64_sessions"
  | "concurrent_young_rate"
  | "append_rate_first_200"
  | "append_rate_from_9800"
  | "bytes_per_turn"
  | `resume_ms_${ResumeSize}`
  | "fork_append_ms"
  | `fork_tip_ms_${ForkSize}`
  | `fork_any_ms_${ForkSize}`
  | "list_ms"
  | "list_cold_ms"
  | "list_first_ms"
  | "resume_first_ms"
  | "append_first_ms"
  | "hook_ms"
  | "hook_prompt_ms"
  | "hook_served_ms"
  | "hook_open_ms"
  | "cleanup_ms"
  | "list_process_ms"
  | "resume_check_ms"
  | "session_bytes"
  | `${"http_get" | "graphql_get" | "graphql_list"}_${"rate" | "processor_ms"}`
  | "graphql_list_reads"
  | "server_rss_mb"
  | "server_busy_rss_mb"
  | "server_idle_cpu"
  | "chunk_ms"
  | "sealed_append_rate"
  | "sealed_concurrent_rate"
  | "sealed_resume_first_ms"
  | "sealed_resume_ms"
  | "sealed_list_ms"
  | "stream_ms_1"
  | "stream_ms_200";

export const resumeSizes = [50, 500, 10_000] as const;
export type ResumeSize = (typeof resumeSizes)[number];

export const forkSizes = [500, 100_000] as const;
export type ForkSize = (typeof forkSizes)[number];

export type Series = Map<Metric, number[]>;

/** By the contender's name. */
export type Measurements = Map<string, Series>;

export function record(into: Measurements, contender: string, metric: Metric, value: number): void {
  const series = into.get(contender) ?? new Map<Metric, number[]>();
  into.set(contender, series);
  const rounds = series.get(metric) ?? [];
  series.set(metric, rounds);
  rounds.push(value);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * The median of the rounds' own ratios. Both sides of a round ran at the same time, so a slow disk slows both; a ratio
 * of two medians would compare different times.
 */
export function pairedRatio(of: readonly number[], to: readonly number[]): number {
  return median(pairedRatios(of, to));
}

export function pairedRatios(of: readonly number[], to: readonly number[]): number[] {
  const pairs = Math.min(of.length, to.length);
  return of.slice(0, pairs).map((value, round) => value / (to[round] ?? Number.NaN));
}

/** The values between which the middle half of the rounds lies. */
export function quartiles(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return [at(0.25), at(0.75)];
}

/** Calls per second as the median over slices of 20 calls, for a workload that can only run once. */
export function sliceRate(times: readonly number[]): number {
  const rates: number[] = [];
  for (let start = 0; start + 20 <= times.length; start += 20) {
    const ms = times.slice(start, start + 20).reduce((sum, each) => sum + each, 0);
    rates.push(20_000 / ms);
  }
  return median(rates);
}
