import type { CopiedStream, CopySource, RawEvent } from "../../log/copy-source.ts";
import { NO_HASH } from "../../log/hash-event.ts";
import type { CommitLog } from "../disk/commit-log.ts";
import { type EventLine, readEventLine } from "../disk/event-line.ts";
import { damaged } from "../disk/files-error.ts";
import { type FilesFolder, type StreamFolder, streamFolder } from "../disk/files-folder.ts";
import type { LeaseLog } from "../disk/lease-log.ts";
import { linesIn, readRange } from "../disk/line-file.ts";
import { readState } from "../disk/state-line.ts";
import { blobKey, namesByKey, readChunks, readNote } from "../files-blobs.ts";
import { readLines } from "../read/read-feed.ts";
import { type IndexedStream, StreamIndex } from "../read/stream-index.ts";

/** Everything in the folder as of now. Streams that are purged meanwhile cannot be read. */
export function openFilesSource(
  files: FilesFolder,
  commits: CommitLog,
  leases: LeaseLog,
): CopySource {
  const index = new StreamIndex(files, commits);
  index.catchUp();
  const find = (id: string): IndexedStream => {
    const stream = index.streams.get(id);
    if (!stream) throw damaged(id, "it was listed and is not there");
    return stream;
  };
  const folderOf = ({ kind, id }: IndexedStream): StreamFolder => streamFolder(files, kind, id);
  let states: { readonly id: string; readonly lines: ReturnType<typeof statesOf> } | undefined;
  const statesIn = (stream: IndexedStream) => {
    if (states?.id !== stream.id)
      states = { id: stream.id, lines: statesOf(folderOf(stream), stream) };
    return states.lines;
  };
  const entries = function* () {
    for (const line of commits.read(0, index.end)) {
      for (const entry of line.entries) {
        if ("log" in entry && index.streams.has(entry.id)) yield entry;
      }
    }
  };

  return {
    async countEvents() {
      let count = 0;
      for (const { from, to } of entries()) count += to - from + 1;
      return count;
    },

    async *readEvents() {
      for (const entry of entries()) {
        for (const line of readLines(files, entry)) yield toRaw(line, entry.id);
      }
    },

    async readStreams() {
      const streams = new Map<string, CopiedStream>();
      const first = new Map<string, number>();
      for (const { id, from } of entries()) if (!first.has(id)) first.set(id, from);
      for (const stream of index.streams.values()) {
        const { id, kind, owner, key, seq, listing } = stream;
        if (listing === null) throw damaged(id, "its state cannot be read");
        const writers = writersIn(folderOf(stream), stream, (first.get(id) ?? 1) - 1);
        const { epoch } = leases.get(id);
        streams.set(id, { id, kind, owner, key, seq, epoch, listing, writers });
      }
      return streams;
    },

    readTombstones: async () => [...index.purged.values()],

    async readInherited(id, from, to) {
      const stream = find(id);
      const events = [...eventsIn(folderOf(stream), stream, to)];
      return events.slice(from - 1).map((line) => toRaw(line, id));
    },

    async readCuts(id) {
      const stream = find(id);
      const cuts = new Set([...index.blobs.of(id).values()].map(({ seq }) => seq));
      for (const line of statesIn(stream)) {
        if (!("listing" in line)) for (const { seq } of line.heads) cuts.add(seq);
        else if (line.due || line.names.length > 0) cuts.add(line.seq);
      }
      return cuts;
    },

    async readParts(id, from, to) {
      const stream = find(id);
      const isIn = ({ seq }: { readonly seq: number }) => seq >= from && seq <= to;
      const lines = statesIn(stream);
      const appends = lines.flatMap((line) => ("listing" in line && isIn(line) ? line : []));
      const inherited = lines.flatMap((line) => ("listing" in line ? [] : line.heads));
      const head = inherited.find(({ seq }) => seq === to) ?? appends.find(({ seq }) => seq === to);
      return {
        patches: lines.flatMap(({ rows }) => rows).filter(isIn),
        names: appends.flatMap(({ names }) => names),
        head: head?.head ?? null,
      };
    },

    async readBlobs(id) {
      const stream = find(id);
      const names = namesByKey(folderOf(stream), stream);
      return [...index.blobs.of(id).values()].map(({ key, size, seq }) => {
        const name = names.get(key);
        if (name === undefined) throw damaged(id, "a file that it holds is missing");
        return { place: id, name, size, seq };
      });
    },

    async readChunk({ place, name }, nth) {
      const stream = find(place);
      const folder = folderOf(stream);
      const blob = index.blobs.of(place).get(blobKey(stream, name));
      let at = 0;
      for (const chunk of blob
        ? readChunks(folder, name, readNote(folder, name, blob, place), place)
        : []) {
        if (at === nth) return chunk;
        at += 1;
      }
      throw damaged(place, `a part of the file ${name} is missing`);
    },

    close: async () => {},
  };
}

function statesOf({ state }: StreamFolder, stream: IndexedStream) {
  const [, ...lines] = linesIn(readRange(state, 0, stream.state, stream.id));
  return lines.map((line) => readState(line, stream.id));
}

function* eventsIn({ log }: StreamFolder, stream: IndexedStream, to: number): Generator<EventLine> {
  let previous = NO_HASH;
  for (const text of linesIn(readRange(log, 0, stream.log, stream.id)).slice(0, to)) {
    const line = readEventLine(text, previous, stream.id);
    previous = line.hash;
    yield line;
  }
}

function writersIn(folder: StreamFolder, stream: IndexedStream, inherited: number) {
  const writers: { id: string; upto: number }[] = [];
  if (inherited === 0) return writers;
  for (const { writer, meta } of eventsIn(folder, stream, inherited)) {
    const last = writers.at(-1);
    if (last?.id === writer) last.upto = meta.seq;
    else writers.push({ id: writer, upto: meta.seq });
  }
  return writers;
}

function toRaw({ meta, body, hash, writer }: EventLine, stream: string): RawEvent {
  return { stream, writer, meta, body, hash };
}
