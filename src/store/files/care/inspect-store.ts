import { existsSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { BelayError } from "../../../contract/errors.ts";
import type { Finding } from "../../store-care.ts";
import { type FilesFolder, nameOf, type StreamFolder, streamFolder } from "../disk/files-folder.ts";
import { blobNames, readChunks, readNote } from "../files-blobs.ts";
import { LoadedStream, readHead } from "../read/loaded-stream.ts";
import type { IndexedStream, StreamIndex } from "../read/stream-index.ts";

/** Reads every file of every stream, and compares it with the commits. */
export async function* inspectStore(
  files: FilesFolder,
  index: StreamIndex,
): AsyncGenerator<Finding> {
  for (const stream of [...index.streams.values()]) {
    const findings = [...inspectStream(files, stream)];
    if (findings.length > 0) index.catchUp();
    // Another process may have purged it meanwhile, with its files.
    if (index.streams.has(stream.id)) yield* findings;
  }
}

function* inspectStream(files: FilesFolder, stream: IndexedStream): Generator<Finding> {
  const { id, kind, seq } = stream;
  const folder = streamFolder(files, kind, id);
  const what = problemOf(() => new LoadedStream(id, folder).extend(stream));
  if (what !== null) yield { kind: "damage", stream: id, seq: null, what };
  else if (stream.listing === null || problemOf(() => readHead(folder, stream)) !== null) {
    yield { kind: "damage", stream: id, seq, what: "its state cannot be read" };
  } else if (hasTail(folder, stream)) {
    const tail = "its files are longer than the last commit";
    yield { kind: "crash", stream: id, seq, what: tail };
  }
  for (const name of blobNames(folder)) {
    const lost = problemOf(() => readWhole(folder, name, id));
    if (lost !== null) yield { kind: "damage", stream: id, seq: null, what: lost };
  }
}

/** Cuts off what processes that were killed wrote and never committed. Only for the holder of the lock. */
export function removeTails(files: FilesFolder, index: StreamIndex): number {
  let count = 0;
  for (const stream of index.streams.values()) {
    const folder = streamFolder(files, stream.kind, stream.id);
    if (!existsSync(folder.log) || !hasTail(folder, stream)) continue;
    truncateSync(folder.log, stream.log);
    truncateSync(folder.state, stream.state);
    count += 1;
  }
  return count;
}

/** Removes the folders of streams that were never committed, and files that nobody finished. Only with the lock. */
export function sweepFolders(files: FilesFolder, index: StreamIndex, now: number): void {
  const known = new Map<string, Set<string>>();
  for (const { kind, id } of index.streams.values()) {
    const names = known.get(kind) ?? new Set();
    names.add(nameOf(id));
    known.set(kind, names);
  }
  for (const kind of readdirSync(files.streams)) {
    for (const name of readdirSync(join(files.streams, kind))) {
      if (known.get(kind)?.has(name)) continue;
      rmSync(join(files.streams, kind, name), { recursive: true, force: true });
    }
  }
  for (const name of readdirSync(files.folder)) {
    const path = join(files.folder, name);
    if (UNFINISHED.test(name) && isOld(path, now)) rmSync(path, { force: true });
  }
}

const UNFINISHED =
  /^(?:files\.lock\.[0-9a-f]+(?:\.new)?|\.blob-[0-9a-f]+\.tmp|\.[a-z.]+\.[0-9a-f]{16}\.tmp)$/;
const AN_HOUR = 3_600_000;

/** A process may still be writing a younger one. */
function isOld(path: string, now: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && now - found.mtimeMs > AN_HOUR;
}

function hasTail({ log, state }: StreamFolder, stream: IndexedStream): boolean {
  return statSync(log).size > stream.log || statSync(state).size > stream.state;
}

function readWhole(folder: StreamFolder, name: string, id: string): void {
  const note = readNote(folder, name, id);
  if (note) for (const _ of readChunks(folder, name, note, id));
}

/** Null if the work succeeds. */
function problemOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    const what = error instanceof BelayError ? error.details?.what : undefined;
    if (typeof what === "string") return what;
    return error instanceof Error ? error.message : String(error);
  }
}
