import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type FilesFolder, nameOf, streamFolder } from "../disk/files-folder.ts";
import { namesByKey } from "../files-blobs.ts";
import type { StreamIndex } from "../read/stream-index.ts";

/** Data that no commit names: the end of a file, or a whole file or folder. */
interface Uncommitted {
  readonly path: string;
  /** Null for all of it. */
  readonly after: number | null;
  /** The stream that it belongs to; null if no commit names one. */
  readonly stream: string | null;
}

export function* findUncommitted(files: FilesFolder, index: StreamIndex): Generator<Uncommitted> {
  yield* findTail(files.commits, index.end, null);
  for (const id of index.streams.keys()) yield* findInStream(files, index, id);
  yield* findFolders(files, index);
}

/** The folders of streams that were never committed. */
export function* findFolders(files: FilesFolder, index: StreamIndex): Generator<Uncommitted> {
  const known = new Map<string, Set<string>>();
  for (const { kind, id } of index.streams.values()) {
    const names = known.get(kind) ?? new Set();
    names.add(nameOf(id));
    known.set(kind, names);
  }
  for (const kind of readdirSync(files.streams)) {
    for (const name of readdirSync(join(files.streams, kind))) {
      if (known.get(kind)?.has(name)) continue;
      yield { path: join(files.streams, kind, name), after: null, stream: null };
    }
  }
}

/** The data that killed processes left in the folder of a stream. */
export function* findInStream(
  files: FilesFolder,
  index: StreamIndex,
  id: string,
): Generator<Uncommitted> {
  const stream = index.streams.get(id);
  if (!stream) return;
  const folder = streamFolder(files, stream.kind, id);
  yield* findTail(folder.log, stream.log, id);
  yield* findTail(folder.state, stream.state, id);
  const held = index.blobs.of(id);
  for (const [key, name] of namesByKey(folder, stream)) {
    if (held.has(key)) continue;
    for (const path of [join(folder.blobs, name), join(folder.blobs, `${name}.json`)]) {
      if (existsSync(path)) yield { path, after: null, stream: id };
    }
  }
}

function* findTail(path: string, end: number, stream: string | null): Generator<Uncommitted> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > end) yield { path, after: end, stream };
}
