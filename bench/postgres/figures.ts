import { median, pairedRatios, quartiles } from "../measurements.ts";
import { kilobytes, milliseconds, perSecond, times } from "../units.ts";

/** One row of the table: the rounds of Belay, and those of what it is compared with. */
export interface Figure {
  readonly what: string;
  readonly unit: keyof typeof units;
  readonly own: readonly number[];
  /** Measured in the same rounds. The target then limits the ratio, and otherwise the value. */
  readonly base?: readonly number[];
  readonly target?: Target;
}

type Target =
  | { readonly atLeast: number }
  | { readonly atMost: number }
  | { readonly below: number };

const units = { perSecond, milliseconds, kilobytes } as const;

interface JudgedFigure {
  readonly what: string;
  readonly measured: string;
  readonly base: string;
  /** The limited value, and the middle half of the rounds. */
  readonly value: string;
  readonly target: string;
  readonly isMissed: boolean;
}

export function judgeFigure({ what, unit, own, base, target }: Figure): JudgedFigure {
  const inUnit = units[unit];
  const rounds = base ? pairedRatios(own, base) : own;
  const show = base ? times : inUnit;
  const [low, high] = quartiles(rounds).map(show);
  const spread = low === high ? "" : ` (${low} to ${high})`;
  return {
    what,
    measured: inUnit(median(own)),
    base: base ? inUnit(median(base)) : "",
    value: `${show(median(rounds))}${spread}`,
    target: target ? describeTarget(target, show) : "",
    isMissed: target !== undefined && !isReached(target, median(rounds)),
  };
}

function isReached(target: Target, value: number): boolean {
  if ("atLeast" in target) return value >= target.atLeast;
  return "atMost" in target ? value <= target.atMost : value < target.below;
}

function describeTarget(target: Target, show: (value: number) => string): string {
  if ("atLeast" in target) return `>= ${show(target.atLeast)}`;
  return "atMost" in target ? `<= ${show(target.atMost)}` : `< ${show(target.below)}`;
}
