import { bytesIn } from "../../content.ts";
import { invalidCursor } from "../../page-rules.ts";
import type { FeedEvent, FeedPage, FeedQuery } from "../../stream-store.ts";
import type { AppendEntry, CommitEntry } from "../disk/commit-entry.ts";
import type { CommitLog } from "../disk/commit-log.ts";
import { type EventLine, readEventLine } from "../disk/event-line.ts";
import { type FilesFolder, streamFolder } from "../disk/files-folder.ts";
import { linesIn, readRange } from "../disk/line-file.ts";
import { showEvent } from "./loaded-stream.ts";
import type { StreamIndex } from "./stream-index.ts";

/** A place in the feed: a line of the commits, and how many of its events come before. */
interface FeedPlace {
  readonly at: number;
  readonly done: number;
}

/** The commits up to `index.end`, with the events of streams that are still there. */
export function readFeed(
  files: FilesFolder,
  commits: CommitLog,
  index: StreamIndex,
  { after, limit, bytes = Number.POSITIVE_INFINITY }: FeedQuery,
): FeedPage {
  if (after === null) return { events: [], cursor: writeFeedCursor({ at: index.end, done: 0 }) };
  const start = readFeedCursor(after, commits, index.end);
  if (start === null) throw invalidCursor(after);
  const events: FeedEvent[] = [];
  let size = 0;
  let place = start;
  /** The place after the last event of the page. */
  let last = start;
  for (const { entries, at, next } of commits.read(start.at, index.end)) {
    let done = 0;
    const skipped = at === start.at ? start.done : 0;
    for (const entry of entries) {
      const count = countOf(entry);
      for (const line of readEntry(files, index, entry, skipped - done)) {
        const nth = done + line.meta.seq - line.from;
        size += bytesIn(line.body);
        if (events.length === limit || (size > bytes && events.length > 0)) {
          return { events, cursor: writeFeedCursor(last) };
        }
        events.push({ ...showEvent(line), ...line.place });
        last = { at, done: nth + 1 };
      }
      done += count;
    }
    place = { at: next.end, done: 0 };
  }
  return { events, cursor: writeFeedCursor(events.length > 0 ? last : place) };
}

interface PlacedLine extends EventLine {
  readonly from: number;
  readonly place: Pick<FeedEvent, "stream" | "kind" | "owner" | "key">;
}

function* readEntry(
  files: FilesFolder,
  index: StreamIndex,
  entry: CommitEntry,
  skipped: number,
): Generator<PlacedLine> {
  if (!("log" in entry)) return;
  const stream = index.streams.get(entry.id);
  if (!stream || skipped >= countOf(entry)) return;
  const { id, kind, owner, key } = stream;
  const place = { stream: id, kind, owner, key };
  for (const line of readLines(files, entry)) {
    if (line.meta.seq - entry.from >= skipped) yield { ...line, from: entry.from, place };
  }
}

/** The events of one entry, each checked against the one before it. */
export function* readLines(files: FilesFolder, entry: AppendEntry): Generator<EventLine> {
  const { id, kind, log } = entry;
  let { before } = entry;
  for (const text of linesIn(readRange(streamFolder(files, kind, id).log, log[0], log[1], id))) {
    const line = readEventLine(text, before, id);
    before = line.hash;
    yield line;
  }
}

export function countOf(entry: CommitEntry): number {
  return "log" in entry ? entry.to - entry.from + 1 : 0;
}

export function writeFeedCursor({ at, done }: FeedPlace): string {
  return `${at}.${done}`;
}

/** Null for a cursor that is not one of this feed. */
export function readFeedCursor(cursor: string, commits: CommitLog, end: number): FeedPlace | null {
  if (cursor === "") return { at: 0, done: 0 };
  const [, at, done] = /^(\d{1,15})\.(\d{1,9})$/.exec(cursor) ?? [];
  const place = { at: Number(at), done: Number(done) };
  return at !== undefined && place.at <= end && commits.isStart(place.at) ? place : null;
}
