/** What a campaign counts. */
export interface Tally {
  scenarios: number;
  deaths: number;
  acknowledged: number;
  lost: number;
  duplicated: number;
  other: number;
  listed: number;
  /** The first few, with everything needed to reproduce them. */
  violations: string[];
}

export function emptyTally(): Tally {
  return {
    scenarios: 0,
    deaths: 0,
    acknowledged: 0,
    lost: 0,
    duplicated: 0,
    other: 0,
    listed: 0,
    violations: [],
  };
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = emptyTally();
  for (const tally of tallies) {
    sum.scenarios += tally.scenarios;
    sum.deaths += tally.deaths;
    sum.acknowledged += tally.acknowledged;
    sum.lost += tally.lost;
    sum.duplicated += tally.duplicated;
    sum.other += tally.other;
    sum.listed += tally.listed;
    sum.violations.push(...tally.violations);
  }
  return sum;
}
