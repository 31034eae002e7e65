import type { ListingDeclaration } from "../../../contract/stream.ts";
import { bytesIn, toContent } from "../../content.ts";
import { listStreams } from "../../scan/list-streams.ts";
import { readRows } from "../../scan/read-rows.ts";
import { showContent } from "../../scan/show-content.ts";
import type {
  ListPage,
  ListQuery,
  StoredStream,
  StreamPart,
  StreamRead,
} from "../../stream-store.ts";
import { isDamage } from "../disk/files-error.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { IndexedStream, StreamIndex } from "./stream-index.ts";

interface ReadableStreams {
  readonly index: StreamIndex;
  readonly open: OpenStreams;
}

export function readParts(
  { index, open }: ReadableStreams,
  asked: readonly StreamRead[],
  bytes: number,
): (StreamPart | undefined)[] {
  const parts: (StreamPart | undefined)[] = [];
  let room = bytes;
  for (const each of asked) {
    if (room < 0) break;
    const stream = index.find(each.ref);
    const part = stream && readPart(open, stream, each);
    for (const { data } of [...(part?.rows ?? []), ...(part?.events ?? [])].flat()) {
      room -= bytesIn(toContent(data));
    }
    parts.push(part);
  }
  return parts;
}

function readPart(
  open: OpenStreams,
  stream: IndexedStream,
  { rows = [], events = [], heads = [] }: StreamRead,
): StreamPart {
  const shown = open.describe(stream);
  return {
    stream: shown,
    rows: rows.map((query) => readRows(open.load(stream).patches, query)),
    events: events.map((range) => open.load(stream).readEvents(range)),
    heads: heads.map((seq) => {
      if (seq >= stream.seq) return { seq: stream.seq, head: shown.head, writer: stream.id };
      const found = open.load(stream).heads.findLast((stored) => stored.seq <= seq);
      return found && { ...found, head: showContent(found.head) };
    }),
  };
}

/** Streams that cannot be read are named on the first page. */
export function listReadable(
  { index, open }: ReadableStreams,
  query: ListQuery,
  declared: ListingDeclaration,
): ListPage {
  const found = listStreams(index.streams.values(), query, declared);
  const streams: StoredStream[] = [];
  const lost = [...index.streams.values()].filter(
    ({ listing, kind, owner }) =>
      listing === null && kind === query.kind && (query.owner ?? owner) === owner,
  );
  const unreadable: IndexedStream[] = query.after === undefined ? lost : [];
  for (const stream of found.streams) {
    try {
      streams.push(open.describe(stream));
    } catch (error) {
      if (!isDamage(error)) throw error;
      unreadable.push(stream);
    }
  }
  const damaged = unreadable.map(({ id, key }) => ({ id, key }));
  return { streams, damaged, next: found.next };
}
