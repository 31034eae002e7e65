import { readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { BelayError } from "../../../contract/errors.ts";
import type { Finding } from "../../store-care.ts";
import type { CommitAnchor } from "../disk/commit-anchor.ts";
import type { CommitLog } from "../disk/commit-log.ts";
import { damaged } from "../disk/files-error.ts";
import { type FilesFolder, streamFolder } from "../disk/files-folder.ts";
import type { LeaseLog } from "../disk/lease-log.ts";
import { namesByKey, readChunks, readNote } from "../files-blobs.ts";
import { findMissing } from "../read/find-missing.ts";
import { LoadedStream, readHead } from "../read/loaded-stream.ts";
import type { IndexedStream, StreamIndex } from "../read/stream-index.ts";
import { findFolders, findInStream } from "./find-uncommitted.ts";
import { listQuarantine } from "./quarantine.ts";

/** Reads all commits and every file of every stream, and compares them. */
export async function* inspectStore(
  files: FilesFolder,
  { commits, anchor, index, leases }: Commits,
): AsyncGenerator<Finding> {
  // Read before the commits, which may grow meanwhile.
  const anchored = anchor.read();
  const altered = problemOf(() => {
    index.catchUp();
    leases.catchUp();
    for (const _ of commits.read(0, index.end));
  });
  if (altered !== null) yield foundDamage(null, null, altered);
  const missing = altered === null ? findMissing(commits, index, leases, anchored) : null;
  if (missing) {
    const { what, ...kind } = missing;
    yield { ...foundDamage(null, null, `${what}. ${DECIDE}`), ...kind };
  }
  if (anchored === "torn") {
    const what = "anchor.txt was cut short, as after a power cut. The next change writes it again";
    yield { kind: "crash", stream: null, seq: null, what };
  }
  for (const stream of [...index.streams.values()]) {
    const findings = [...inspectStream(files, index, stream)];
    if (findings.length > 0) index.catchUp();
    // Another process may have purged it meanwhile, with its files.
    if (index.streams.has(stream.id)) yield* findings;
  }
  for (const name of listQuarantine(files)) {
    const what = `${join(files.quarantine, name)} has data that no commit names. Remove it when you do not need it any more`;
    yield { kind: "unchecked", stream: null, seq: null, what };
  }
}

interface Commits {
  readonly commits: CommitLog;
  readonly anchor: CommitAnchor;
  readonly index: StreamIndex;
  readonly leases: LeaseLog;
}

const DECIDE =
  "Restore a backup, or accept the sessions in their current state with `belay verify --accept-anchor`";

function foundDamage(stream: string | null, seq: number | null, what: string): Finding {
  return { kind: "damage", stream, seq, what };
}

function* inspectStream(
  files: FilesFolder,
  index: StreamIndex,
  stream: IndexedStream,
): Generator<Finding> {
  const { id, kind, seq } = stream;
  const folder = streamFolder(files, kind, id);
  const what = problemOf(() => new LoadedStream(id, folder).extend(stream));
  if (what !== null) yield foundDamage(id, null, what);
  else if (stream.listing === null || problemOf(() => readHead(folder, stream)) !== null) {
    yield foundDamage(id, seq, "its state cannot be read");
  } else if (!findInStream(files, index, id).next().done) {
    yield { kind: "crash", stream: id, seq, what: "its files have more than the last commit" };
  }
  const names = namesByKey(folder, stream);
  for (const blob of index.blobs.of(id).values()) {
    const lost = problemOf(() => {
      const name = names.get(blob.key);
      if (name === undefined) throw damaged(id, "a file that it holds is missing");
      for (const _ of readChunks(folder, name, readNote(folder, name, blob, id), id));
    });
    // Another process may have dropped it meanwhile.
    if (lost !== null) index.catchUp();
    if (lost !== null && index.blobs.of(id).get(blob.key) === blob) {
      yield foundDamage(id, null, lost);
    }
  }
}

/**
 * Removes what processes that were killed wrote and never committed. Only for the holder of the lock, and only if every
 * anchored commit is in the log.
 */
export function removeTails(files: FilesFolder, index: StreamIndex): number {
  let count = 0;
  for (const id of index.streams.keys()) {
    const found = [...findInStream(files, index, id)];
    for (const { path, after } of found) {
      if (after === null) rmSync(path, { force: true });
      else truncateSync(path, after);
    }
    if (found.length > 0) count += 1;
  }
  return count;
}

/** Removes the folders of streams that were never committed, and files that nobody finished. As `removeTails`. */
export function sweepFolders(files: FilesFolder, index: StreamIndex, now: number): void {
  for (const { path } of findFolders(files, index)) rmSync(path, { recursive: true, force: true });
  for (const name of readdirSync(files.folder)) {
    const path = join(files.folder, name);
    if (UNFINISHED.test(name) && isOld(path, now)) rmSync(path, { force: true });
  }
}

const UNFINISHED = /^(?:\.blob-[0-9a-f]+\.tmp|\.[a-z.]+\.[0-9a-f]{16}\.tmp)$/;
const AN_HOUR = 3_600_000;

/** A process may still be writing a younger one. */
function isOld(path: string, now: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && now - found.mtimeMs > AN_HOUR;
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
