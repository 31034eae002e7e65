import { setImmediate as nextRound } from "node:timers/promises";
import type { EventPlace, FoundInFeed } from "../../stream-store.ts";
import type { CommitEntry } from "../disk/commit-entry.ts";
import type { CommitLog } from "../disk/commit-log.ts";
import type { FilesFolder } from "../disk/files-folder.ts";
import { countOf, readFeedCursor, readLines, writeFeedCursor } from "./read-feed.ts";
import type { StreamIndex } from "./stream-index.ts";

interface Commits {
  readonly files: FilesFolder;
  readonly commits: CommitLog;
  readonly index: StreamIndex;
}

/** See `StreamStore.findInFeed`. */
export async function findInFeed(
  store: Commits,
  sought: string | EventPlace | null,
): Promise<FoundInFeed | null | undefined> {
  const { commits, index } = store;
  if (sought === null) return (await findBefore(store, index.end)) ?? undefined;
  if (typeof sought === "string") {
    const place = readFeedCursor(sought, commits, index.end);
    if (place === null) return undefined;
    const [line] = commits.read(place.at, index.end);
    return findUpTo(store, line, place.done) ?? findBefore(store, place.at);
  }
  const { stream, seq } = sought;
  if (!index.streams.has(stream)) {
    return (index.purged.get(stream)?.seq ?? 0) >= seq ? null : undefined;
  }
  if (seq > (index.streams.get(stream)?.seq ?? 0)) return undefined;
  return findOfStream(store, sought);
}

/** The commits do not say where a stream's are, so all are read. Only a reader from another store needs that, once. */
async function findOfStream(store: Commits, { stream, seq }: EventPlace) {
  let read = 0;
  for (const line of store.commits.read(0, store.index.end)) {
    let before = 0;
    for (const entry of line.entries) {
      const isIn = "id" in entry && entry.id === stream && entry.from <= seq && seq <= entry.to;
      if (isIn) return findInLine(store, line, before + seq - entry.from + 1);
      before += countOf(entry);
    }
    read += 1;
    if (read % READ_AT_ONCE === 0) await nextRound();
  }
  return undefined;
}

const READ_AT_ONCE = 500;

/** The newest event of the commits before a place; null if there is none. */
async function findBefore(store: Commits, place: number): Promise<FoundInFeed | null> {
  for (let end = place; end > 0; ) {
    const at = store.commits.startOf(end);
    const [line] = store.commits.read(at, end);
    const found = findUpTo(store, line);
    if (found) return found;
    end = at;
    await nextRound();
  }
  return null;
}

/** The newest of the first events of a commit. */
function findUpTo(store: Commits, line: Line | undefined, most?: number): FoundInFeed | null {
  if (!line) return null;
  const count = line.entries.reduce((sum, entry) => sum + countOf(entry), 0);
  for (let nth = Math.min(count, most ?? count); nth > 0; nth -= 1) {
    const found = findInLine(store, line, nth);
    if (found) return found;
  }
  return null;
}

interface Line {
  readonly entries: readonly CommitEntry[];
  readonly at: number;
}

/** The nth event of a commit; null if its stream was purged. */
function findInLine({ files, index }: Commits, line: Line, nth: number): FoundInFeed | null {
  let before = 0;
  for (const entry of line.entries) {
    const count = countOf(entry);
    if ("id" in entry && nth <= before + count) {
      const { id } = entry;
      const stream = index.streams.get(id);
      if (!stream) return null;
      for (const { meta, hash } of readLines(files, entry)) {
        const { seq, type, at } = meta;
        if (seq !== entry.from + nth - before - 1) continue;
        const cursor = writeFeedCursor({ at: line.at, done: nth });
        return { stream: id, seq, type, at, hash, owner: stream.owner, cursor };
      }
    }
    before += count;
  }
  return null;
}
