import type { LogRange } from "../../contract/branch/merged-work.ts";

/** The sessions that own the events of one log, oldest first. Events keep their numbers in every fork. */
export type Lineage = readonly LogRange[];

/** The last event that two logs share, and the session that owns it. */
interface CommonPoint {
  readonly session_id: string;
  readonly entity_id: string;
  readonly seq: number;
}

/** Finds the last event that two logs share; null if they share no history. */
export function findCommonPoint(a: Lineage, b: Lineage): CommonPoint | null {
  for (const { session_id, entity_id, to } of a.toReversed()) {
    const other = b.find((range) => range.entity_id === entity_id);
    if (other) return { session_id, entity_id, seq: Math.min(to, other.to) };
  }
  return null;
}

/** The ranges after a place in the log, each with the session that owns it. */
export function rangesAfter(lineage: Lineage, after: number): LogRange[] {
  return lineage
    .filter(({ to }) => to > after)
    .map((range) => ({ ...range, after: Math.max(range.after, after) }));
}

/**
 * The place in a log up to which everything was already merged. `merged` holds that place for each
 * owner.
 */
export function findMergedEnd(
  lineage: Lineage,
  common: number,
  merged: ReadonlyMap<string, number>,
): number {
  let end = common;
  for (const { entity_id, to } of rangesAfter(lineage, common)) {
    const known = Math.min(to, merged.get(entity_id) ?? 0);
    end = Math.max(end, known);
    if (known < to) break;
  }
  return end;
}
