import type { MergeSide } from "../../contract/vocabulary.ts";
import { deepEqual } from "../deep-equal.ts";

type Values = Readonly<Record<string, unknown>>;

/** A key that both sides changed to different values. */
interface MetadataConflict {
  readonly name: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

interface SettledMetadata {
  /** The values that the merge sets. */
  readonly taken: Record<string, unknown>;
  readonly conflicts: readonly MetadataConflict[];
}

/**
 * Merges the changes of one side into the other, key by key, starting from the values both had
 * before. Lists are joined if both sides only added items. Any other key that both changed is a
 * conflict, and is only set if `side` is "theirs".
 */
export function settleMetadata(
  base: Values,
  ours: Values,
  theirs: Values,
  side: MergeSide | null,
): SettledMetadata {
  const taken: [string, unknown][] = [];
  const conflicts: MetadataConflict[] = [];
  for (const [name, theirValue] of Object.entries(theirs)) {
    const ourValue = ours[name];
    const known = base[name];
    if (deepEqual(theirValue, ourValue) || deepEqual(theirValue, known)) continue;
    if (deepEqual(ourValue, known)) {
      taken.push([name, theirValue]);
      continue;
    }
    const joined = joinLists(known, ourValue, theirValue);
    if (joined) {
      if (!deepEqual(joined, ourValue)) taken.push([name, joined]);
      continue;
    }
    conflicts.push({ name, ours: ourValue, theirs: theirValue });
    if (side === "theirs") taken.push([name, theirValue]);
  }
  return { taken: Object.fromEntries(taken), conflicts };
}

/** Our list, followed by the items that only theirs added; null if one side did more than add. */
function joinLists(base: unknown, ours: unknown, theirs: unknown): unknown[] | null {
  const known = base === undefined ? [] : base;
  if (!Array.isArray(known) || !Array.isArray(ours) || !Array.isArray(theirs)) return null;
  const hasAll = (list: readonly unknown[]) => known.every((item) => contains(list, item));
  if (!hasAll(ours) || !hasAll(theirs)) return null;
  return [...ours, ...theirs.filter((item) => !contains(ours, item))];
}

function contains(list: readonly unknown[], item: unknown): boolean {
  return list.some((one) => deepEqual(one, item));
}
