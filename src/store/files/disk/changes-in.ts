import { StreamWatchers } from "../../stream-watchers.ts";
import type { CommitEntry } from "./commit-entry.ts";

/** The streams that a commit has changed. */
export function* changesIn(entries: readonly CommitEntry[]): Generator<readonly [string, number]> {
  for (const entry of entries) {
    if ("purged" in entry) yield [entry.purged.id, StreamWatchers.GONE];
    else if ("log" in entry) yield [entry.id, entry.to];
  }
}
