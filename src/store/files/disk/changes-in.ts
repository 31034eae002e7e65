import { StreamWatchers } from "../../stream-watchers.ts";
import type { CommitEntry } from "./commit-log.ts";

/** The streams that a commit has changed. */
export function* changesIn(entries: readonly CommitEntry[]): Generator<readonly [string, number]> {
  for (const entry of entries) {
    yield "purged" in entry ? [entry.purged.id, StreamWatchers.GONE] : [entry.id, entry.to];
  }
}
