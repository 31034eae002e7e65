import { alternate } from "../lab.ts";

/** One side of a comparison, and its result in each round. */
export interface Series {
  readonly rounds: number[];
  measure(): Promise<number>;
}

export function series(measure: () => Promise<number>): Series {
  return { rounds: [], measure };
}

/** Measures all sides in turn. A first round does not count, because code and caches are still cold. */
export async function interleave(rounds: number, sides: readonly Series[]): Promise<void> {
  for (const side of sides) await side.measure();
  await alternate(sides, rounds, async (side) => {
    side.rounds.push(await side.measure());
  });
}
