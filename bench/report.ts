import { type Bar, type BarId, bars, type Verdict } from "./bars.ts";
import { belayUnsynced } from "./belay.ts";
import type { Facts } from "./facts.ts";
import type { Measurements, Series } from "./measurements.ts";
import { mastra } from "./peer.ts";
import type { Absent, SideBySide } from "./side-by-side.ts";
import { BESIDE_FORMAT, storedFormat } from "./stored-format.ts";

/** All results of a run, as written to the results file. */
export interface Report {
  readonly facts: Facts;
  readonly bars: readonly JudgedBar[];
  readonly side_by_side: readonly (SideBySide | Absent)[];
  readonly samples: Record<string, Record<string, number[]>>;
}

export interface JudgedBar extends Omit<Bar, "judge" | "isRawFloor">, Partial<Verdict> {
  readonly contender: string;
  /** The same for the stored format alone. */
  readonly floor?: string | undefined;
  readonly verdict: "reached" | "missed" | "the limit itself" | "not measured";
}

export function composeReport(
  facts: Facts,
  limit: string,
  contenders: readonly string[],
  measured: readonly BarId[],
  measurements: Measurements,
  sideBySide: readonly (SideBySide | Absent)[],
): Report {
  const raw = measurements.get(limit) ?? new Map();
  // Raw is only judged if it runs alone, to show what the harness measures.
  const judged = contenders.length > 1 ? contenders.filter((name) => name !== limit) : contenders;
  return {
    facts,
    bars: [
      ...bars
        .filter(({ id }) => measured.includes(id))
        .flatMap((bar) =>
          judged.map((name) => ({
            ...judgeBar(bar, name, name === limit, measurements.get(name), raw),
            floor: floorOf(bar, measurements),
          })),
        ),
      ...judgePeers(sideBySide),
    ],
    side_by_side: sideBySide,
    samples: Object.fromEntries(
      [...measurements].map(([name, series]) => [name, Object.fromEntries(series)]),
    ),
  };
}

function floorOf({ judge, isRawFloor }: Bar, measurements: Measurements): string | undefined {
  const raw = measurements.get(BESIDE_FORMAT);
  const floor = isRawFloor ? raw : measurements.get(storedFormat.name);
  return floor && raw && judge(floor, raw)?.against;
}

const LEAST_OVER_PEER = 1.2;

/** Like for like: a peer that does not fsync, and Belay with the same durability, in the same run. */
function judgePeers(rows: readonly (SideBySide | Absent)[]): JudgedBar[] {
  const rateOf = (name: string) =>
    rows.flatMap((row) => (row.name === name && "appendRate" in row ? [row.appendRate] : []))[0];
  const [own, peer] = [rateOf(belayUnsynced.name), rateOf(mastra.name)];
  if (own === undefined || peer === undefined) return [];
  const value = own / peer;
  const reached = value >= LEAST_OVER_PEER;
  const shown = (rate: number) => `${Math.round(rate).toLocaleString("en")}/s`;
  return [
    {
      id: "p1",
      what: `append with durability process (raw: ${mastra.name})`,
      bar: `>= ${LEAST_OVER_PEER} x raw`,
      contender: belayUnsynced.name,
      measured: shown(own),
      raw: shown(peer),
      against: `${value.toFixed(2)} x`,
      value,
      reached,
      verdict: reached ? "reached" : "missed",
    },
  ];
}

function judgeBar(
  { id, what, bar, judge }: Bar,
  contender: string,
  isLimit: boolean,
  own: Series | undefined,
  raw: Series,
): JudgedBar {
  const judged = own && judge(own, raw);
  if (!judged) return { id, what, bar, contender, verdict: "not measured" };
  const verdict = judged.reached ? "reached" : "missed";
  return { id, what, bar, contender, ...judged, verdict: isLimit ? "the limit itself" : verdict };
}
