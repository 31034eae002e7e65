import type { OpenContender } from "./contender.ts";
import { turnText } from "./turn-text.ts";

/**
 * Enough turns for SQLite's log file to reach its full size once. Until then each commit also grows a file, which makes
 * its fsync about three times as long; a store in use is past that.
 */
export const settlingTurns = 600;

/**
 * Appends after which the engine has optimized the code of an append. Before that, an append of Belay takes up to twice
 * as long; the rows about the first appends of a process measure that part.
 */
export const warmingTurns = { oneWriter: 6_000, manyWriters: 40_000 } as const;

/** The first appends of a process, while the engine still optimizes the code. */
export const youngTurns = { oneWriter: 500, manyWriters: 3_840 } as const;

/** Appends turns one by one, each durable before the next. */
export async function appendTurns(store: OpenContender, session: string, turns: number) {
  for (let turn = 0; turn < turns; turn++) await store.appendTurn(session, turnText(turn));
}

export function* turnTexts(turns: number): Generator<string> {
  for (let turn = 0; turn < turns; turn++) yield turnText(turn);
}
