import type { Append, StreamRef } from "../stream-store.ts";
import { findStream, type MemoryBacking, placeOf } from "./memory-backing.ts";

/** A database locks what a transaction declares, so a decision that touches more is wrong even where nothing is locked. */
export function rejectUndeclared(
  backing: MemoryBacking,
  streams: readonly StreamRef[],
  appends: readonly Append[],
): void {
  const ids = new Set(streams.map((ref) => findStream(backing, ref)?.id));
  const places = new Set(streams.map((ref) => ("id" in ref ? "" : placeOf(ref))));
  for (const { id, create } of appends) {
    const isDeclared = create
      ? places.has(placeOf(create)) && (!create.base || ids.has(create.base.id))
      : ids.has(id);
    if (!isDeclared) throw new Error(`${id} needs streams that its transaction did not declare`);
  }
}
