import {
  type ForkSize,
  forkSizes,
  type Metric,
  median,
  pairedRatio,
  pairedRatios,
  quartiles,
  resumeSizes,
  type Series,
} from "./measurements.ts";
import { youngTurns } from "./turns.ts";
import { count, kilobytes, megabytes, milliseconds, percent, perSecond, times } from "./units.ts";

/** One promise about speed: the measurement, the limit as text, and the judgement of a contender. */
export interface Bar {
  readonly id: BarId;
  readonly what: string;
  readonly bar: string;
  /** The floor is that of raw SQLite, because the stored format alone is not measured. */
  readonly isRawFloor?: true;
  judge(own: Series, raw: Series): Verdict | undefined;
}

export const barIds = [
  "p1",
  "p2",
  "p3",
  "p4",
  "p5",
  "p6",
  "p7",
  "p8",
  "p9",
  "p10",
  "p11",
  "p14",
] as const;
export type BarId = (typeof barIds)[number];

export interface Verdict {
  /** The result of the contender, and of raw SQLite in the same rounds. */
  readonly measured: string;
  readonly raw: string;
  /** The limited value, as text and as the number compared. */
  readonly against: string;
  readonly value: number;
  readonly reached: boolean;
  /** The middle half of the rounds: the scatter of the limited value. */
  readonly spread: string;
}

export const bars: readonly Bar[] = [
  {
    id: "p1",
    what: "durable append, one writer",
    bar: ">= 0.6 x raw",
    judge: againstRaw("append_rate", perSecond, atLeast(0.6)),
  },
  {
    id: "p1",
    what: "durable append with an idempotency key against one without",
    bar: ">= 0.9 x",
    isRawFloor: true,
    judge: againstSelf("append_keyed_rate", "append_rate", perSecond, atLeast(0.9)),
  },
  {
    id: "p2",
    what: "durable append, 64 callers, one session",
    bar: ">= 0.45 x raw",
    judge: againstRaw("concurrent_rate_one_session", perSecond, atLeast(0.45)),
  },
  {
    id: "p2",
    what: "durable append, 64 callers, 64 sessions",
    bar: ">= 0.45 x raw",
    judge: againstRaw("concurrent_rate_64_sessions", perSecond, atLeast(0.45)),
  },
  {
    id: "p3",
    what: "append from turn 9,800 against the first 200",
    bar: ">= 0.8 x",
    judge: againstSelf("append_rate_from_9800", "append_rate_first_200", perSecond, atLeast(0.8)),
  },
  {
    id: "p3",
    what: "disk per 2 KB turn after 10,000 turns",
    bar: "<= 2.6 KB",
    judge: judgeDisk,
  },
  {
    id: "p4",
    what: "resume @10,000 turns against @50",
    bar: "<= 1.3 x",
    judge: againstSelf("resume_ms_10000", "resume_ms_50", milliseconds, atMost(1.3)),
  },
  ...resumeSizes.map(
    (size): Bar => ({
      id: "p4",
      what: `resume @${size.toLocaleString("en")} turns`,
      bar: "<= 2 x raw",
      judge: againstRaw(`resume_ms_${size}`, milliseconds, atMost(2)),
    }),
  ),
  ...forkSizes.flatMap((size): Bar[] => [
    {
      id: "p5",
      what: `fork at the tip of ${size.toLocaleString("en")} events`,
      bar: "<= 2 x own append",
      judge: againstSelf(`fork_tip_ms_${size}`, "fork_append_ms", milliseconds, atMost(2)),
    },
    {
      id: "p5",
      what: `fork at any seq of ${size.toLocaleString("en")} events`,
      bar: "<= 3 x own append",
      judge: againstSelf(`fork_any_ms_${size}`, "fork_append_ms", milliseconds, atMost(3)),
    },
  ]),
  {
    id: "p5",
    what: "fork at the tip, 100,000 events against 500",
    bar: "<= 1.3 x",
    judge: forkFlatness("tip"),
  },
  {
    id: "p5",
    what: "fork at any seq, 100,000 events against 500",
    bar: "<= 1.3 x",
    judge: forkFlatness("any"),
  },
  {
    id: "p6",
    what: "50 newest of all sessions by status + agent, warm",
    bar: "<= 2 x raw",
    judge: againstRaw("list_ms", milliseconds, atMost(2)),
  },
  {
    id: "p6",
    what: "the same of sessions that the process has not read before (50,000 sessions)",
    bar: "<= 4 x raw",
    judge: againstRaw("list_cold_ms", milliseconds, atMost(4)),
  },
  {
    id: "p6",
    what: "the same, first call of a process",
    bar: "-",
    judge: againstRaw("list_first_ms", milliseconds, () => true),
  },
  {
    id: "p6",
    what: "resume @50 turns, first call of a process",
    bar: "-",
    judge: againstRaw("resume_first_ms", milliseconds, () => true),
  },
  {
    id: "p6",
    what: "append, first call of a process",
    bar: "-",
    judge: againstRaw("append_first_ms", milliseconds, () => true),
  },
  {
    id: "p6",
    what: `durable append, one writer, the first ${youngTurns.oneWriter} of a process`,
    bar: "-",
    judge: againstRaw("append_young_rate", perSecond, () => true),
  },
  {
    id: "p6",
    what: `durable append, 64 callers, one session, the next ${youngTurns.manyWriters.toLocaleString("en")} of that process`,
    bar: "-",
    judge: againstRaw("concurrent_young_rate", perSecond, () => true),
  },
  {
    id: "p7",
    what: "hook pre-delegate, whole process (raw: an empty script)",
    bar: "<= 1.2 x raw",
    judge: againstRaw("hook_ms", milliseconds, atMost(1.2)),
  },
  {
    id: "p7",
    what: "hook claude-code with a prompt to record, whole process (raw: an empty script)",
    bar: "<= 1.2 x raw",
    judge: againstRaw("hook_prompt_ms", milliseconds, atMost(1.2)),
  },
  {
    id: "p7",
    what: "the same beside a running server",
    bar: "<= 1.2 x raw",
    judge: againstRaw("hook_served_ms", milliseconds, atMost(1.2)),
  },
  {
    id: "p7",
    what: "the same beside a process that has the database open",
    bar: "-",
    judge: againstRaw("hook_open_ms", milliseconds, () => true),
  },
  {
    id: "p8",
    what: "cleanup of 1,000 old sessions (original: 300 to 500 ms)",
    bar: "< 100 ms",
    judge: onItsOwn("cleanup_ms", milliseconds, (ms) => ms < 100),
  },
  {
    id: "p8",
    what: "belay list at 10,000 sessions (original: 1,285 ms)",
    bar: "<= 257 ms",
    judge: onItsOwn("list_process_ms", milliseconds, atMost(257)),
  },
  {
    id: "p8",
    what: "resume check in process (original, whole process: 118 ms)",
    bar: "< 10 ms",
    judge: onItsOwn("resume_check_ms", milliseconds, (ms) => ms < 10),
  },
  {
    id: "p8",
    what: "stored size of a plain session",
    bar: "1 to 5 KB",
    judge: onItsOwn("session_bytes", kilobytes, (bytes) => bytes <= 5 * 1024),
  },
  {
    id: "p9",
    what: "GET one session over HTTP (raw: a bare route, same framework and bytes)",
    bar: ">= 0.7 x raw",
    judge: againstRaw("http_get_rate", perSecond, atLeast(0.7)),
  },
  {
    id: "p9",
    what: "the same in processor time of the server",
    bar: "-",
    judge: againstRaw("http_get_processor_ms", milliseconds, () => true),
  },
  {
    id: "p9",
    what: "one session in GraphQL (raw: the same over REST)",
    bar: ">= 0.5 x raw",
    judge: againstRaw("graphql_get_rate", perSecond, atLeast(0.5)),
  },
  {
    id: "p9",
    what: "the same in processor time of the server",
    bar: "-",
    judge: againstRaw("graphql_get_processor_ms", milliseconds, () => true),
  },
  {
    id: "p9",
    what: "50 sessions in GraphQL (raw: the same over REST)",
    bar: ">= 0.5 x raw",
    judge: againstRaw("graphql_list_rate", perSecond, atLeast(0.5)),
  },
  {
    id: "p9",
    what: "store reads of 50 sessions with turns, artifacts, checkpoints, tasks (raw: of 1)",
    bar: "<= 1 x raw",
    judge: againstRaw("graphql_list_reads", count, atMost(1)),
  },
  {
    id: "p10",
    what: "a piece of an answer, agent to library (raw: reading the pipe)",
    bar: "< 2 ms over raw",
    judge: overRaw("chunk_ms", milliseconds, (ms) => ms < 2),
  },
  {
    id: "p10",
    what: "a piece of an answer, agent to SSE client (raw: a bare route on the pipe)",
    bar: "< 5 ms",
    judge: besideRaw("stream_ms_1", milliseconds, (ms) => ms < 5),
  },
  {
    id: "p10",
    what: "the same to each of 200 SSE clients",
    bar: "< 5 ms",
    judge: besideRaw("stream_ms_200", milliseconds, (ms) => ms < 5),
  },
  {
    id: "p11",
    what: "memory of an idle server with 100,000 stored sessions",
    bar: "< 130 MB",
    judge: onItsOwn("server_rss_mb", megabytes, (mb) => mb < 130),
  },
  {
    id: "p11",
    what: "the same right after it has answered requests",
    bar: "-",
    judge: onItsOwn("server_busy_rss_mb", megabytes, () => true),
  },
  {
    id: "p11",
    what: "share of a core that it uses when nobody asks",
    bar: "<= 1 %",
    judge: onItsOwn("server_idle_cpu", percent, atMost(0.01)),
  },
  {
    id: "p14",
    what: "encrypted: durable append, one writer (raw: Belay without encryption)",
    bar: ">= 0.75 x raw",
    judge: againstRaw("sealed_append_rate", perSecond, atLeast(0.75)),
  },
  {
    id: "p14",
    what: "encrypted: durable append, 64 callers, one session",
    bar: ">= 0.5 x raw",
    judge: againstRaw("sealed_concurrent_rate", perSecond, atLeast(0.5)),
  },
  {
    id: "p14",
    what: "encrypted: resume @50 turns, for the first time",
    bar: "<= 2.2 x raw",
    judge: againstRaw("sealed_resume_first_ms", milliseconds, atMost(1 / 0.45)),
  },
  {
    id: "p14",
    what: "encrypted: resume @50 turns, again",
    bar: "<= 2.2 x raw",
    judge: againstRaw("sealed_resume_ms", milliseconds, atMost(1 / 0.45)),
  },
  {
    id: "p14",
    what: "encrypted: 50 newest sessions that the process has not read before",
    bar: "<= 2.2 x raw",
    judge: againstRaw("sealed_list_ms", milliseconds, atMost(1 / 0.45)),
  },
];

type Limit = (value: number) => boolean;
type Unit = (value: number) => string;

function againstRaw(metric: Metric, unit: Unit, limit: Limit): Bar["judge"] {
  return (own, raw) => {
    const ownRounds = own.get(metric);
    const rawRounds = raw.get(metric);
    if (!ownRounds || !rawRounds) return undefined;
    const value = pairedRatio(ownRounds, rawRounds);
    const spread = between(pairedRatios(ownRounds, rawRounds), times);
    return {
      measured: unit(median(ownRounds)),
      raw: unit(median(rawRounds)),
      against: times(value),
      spread,
      value,
      reached: limit(value),
    };
  };
}

function againstSelf(metric: Metric, base: Metric, unit: Unit, limit: Limit): Bar["judge"] {
  return (own, raw) => {
    const rounds = own.get(metric);
    const baseRounds = own.get(base);
    const rawRounds = raw.get(metric);
    if (!rounds || !baseRounds) return undefined;
    const value = pairedRatio(rounds, baseRounds);
    const spread = between(pairedRatios(rounds, baseRounds), times);
    return {
      measured: unit(median(rounds)),
      raw: rawRounds ? unit(median(rawRounds)) : "-",
      against: times(value),
      spread,
      value,
      reached: limit(value),
    };
  };
}

function overRaw(metric: Metric, unit: Unit, limit: Limit): Bar["judge"] {
  return (own, raw) => {
    const ownRounds = own.get(metric);
    const rawRounds = raw.get(metric);
    if (!ownRounds || !rawRounds) return undefined;
    const value = median(ownRounds) - median(rawRounds);
    return {
      measured: unit(median(ownRounds)),
      raw: unit(median(rawRounds)),
      against: `+ ${unit(value)}`,
      spread: between(ownRounds, unit),
      value,
      reached: limit(value),
    };
  };
}

/** Judged on its own; raw shows the machine's share of it. */
function besideRaw(metric: Metric, unit: Unit, limit: Limit): Bar["judge"] {
  return (own, raw) => {
    const verdict = onItsOwn(metric, unit, limit)(own, raw);
    return verdict && { ...verdict, raw: unit(median(raw.get(metric) ?? [])) };
  };
}

function onItsOwn(metric: Metric, unit: Unit, limit: Limit): Bar["judge"] {
  return (own) => {
    const rounds = own.get(metric);
    if (!rounds) return undefined;
    const value = median(rounds);
    const spread = between(rounds, unit);
    const measured = unit(value);
    return { measured, raw: "-", against: measured, spread, value, reached: limit(value) };
  };
}

function judgeDisk(own: Series, raw: Series): Verdict | undefined {
  const bytes = own.get("bytes_per_turn");
  if (!bytes) return undefined;
  const value = median(bytes) / 1024;
  return {
    measured: kilobytes(median(bytes)),
    raw: kilobytes(median(raw.get("bytes_per_turn") ?? [])),
    against: kilobytes(median(bytes)),
    spread: between(bytes, kilobytes),
    value,
    reached: value <= 2.6,
  };
}

function forkFlatness(place: "tip" | "any"): Bar["judge"] {
  const metric = (size: ForkSize): Metric => `fork_${place}_ms_${size}`;
  return againstSelf(metric(100_000), metric(500), milliseconds, atMost(1.3));
}

function between(values: readonly number[], unit: Unit): string {
  const [low, high] = quartiles(values);
  return unit(low) === unit(high) ? unit(low) : `${unit(low)} to ${unit(high)}`;
}

function atLeast(limit: number): Limit {
  return (value) => value >= limit;
}

function atMost(limit: number): Limit {
  return (value) => value <= limit;
}
