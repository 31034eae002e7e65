import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../../files/make-folder.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import type { LeaseState } from "../../lease-rules.ts";
import { changesIn } from "../disk/changes-in.ts";
import type { CommitAnchor } from "../disk/commit-anchor.ts";
import type { BlobChange, CommitEntry, Tombstone } from "../disk/commit-entry.ts";
import type { CommitLog } from "../disk/commit-log.ts";
import { type FilesFolder, streamFolder } from "../disk/files-folder.ts";
import type { LeaseLog } from "../disk/lease-log.ts";
import { type Syncing, writeAt } from "../disk/line-file.ts";
import type { LoadedStream } from "../read/loaded-stream.ts";
import type { OpenStreams } from "../read/open-streams.ts";
import type { IndexedStream, StreamIndex } from "../read/stream-index.ts";
import type { StagedAppend } from "./stage-append.ts";

interface BatchParts {
  readonly files: FilesFolder;
  readonly commits: CommitLog;
  readonly anchor: CommitAnchor;
  readonly leases: LeaseLog;
  readonly index: StreamIndex;
  readonly open: OpenStreams;
  readonly syncing: Syncing;
}

/** The bytes that one commit adds to the files of a stream. */
interface Pending {
  readonly isNew: boolean;
  readonly at: { readonly log: number; readonly state: number };
  readonly log: string[];
  readonly state: string[];
  /** Links the blobs that a fork shares. */
  readonly onCreate: () => void;
}

/**
 * The transactions of one commit, under the lock. The index shows each of them the result of the previous ones at once;
 * if writing fails, it is read again from the files.
 */
export class WriteBatch {
  readonly #parts: BatchParts;
  readonly #pending = new Map<string, Pending>();
  #entries: CommitEntry[] = [];
  #failure: { readonly error: unknown } | undefined;
  /** The size of everything that is to be written. */
  bytes = 0;
  isChanged = false;
  /** The changed streams. */
  readonly changed = new Map<string, number>();

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  get index(): StreamIndex {
    return this.#parts.index;
  }

  get open(): OpenStreams {
    return this.#parts.open;
  }

  /** True if changes of the stream are not written yet. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Files show only what is written, so this writes first if the stream has changed. */
  load(stream: IndexedStream): LoadedStream {
    if (this.#pending.has(stream.id)) this.flush();
    return this.open.load(stream);
  }

  add(staged: StagedAppend): void {
    const { stream, entry, log, state, append, base } = staged;
    const { id } = stream;
    const pending = this.#pending.get(id) ?? {
      isNew: staged.isNew,
      at: { log: staged.isNew ? 0 : entry.log[0], state: entry.state[0] },
      log: [],
      state: [],
      onCreate: staged.onCreate,
    };
    pending.log.push(log);
    pending.state.push(state);
    this.#pending.set(id, pending);
    this.#entries.push(entry);
    this.bytes += log.length + state.length;
    this.index.add(stream, append);
    if (base) this.index.inherit(id, base);
    this.index.newest = entry;
    this.open.keepHead(stream, append.head);
  }

  /** The commit. Everything before the line in the commit log is invisible and is removed if it fails. */
  flush(): void {
    // Earlier transactions of the batch were lost with it.
    if (this.#failure) throw this.#failure.error;
    if (this.#entries.length === 0) return;
    const { files, index, open, syncing } = this.#parts;
    const entries = this.#entries;
    this.#entries = [];
    try {
      for (const [id, pending] of this.#pending) {
        const stream = index.streams.get(id);
        if (stream) writeStream(files, stream, pending, syncing);
      }
      this.#pending.clear();
      this.#commit(entries);
    } catch (error) {
      this.#pending.clear();
      index.reset();
      open.forget();
      this.#failure = { error };
      throw error;
    }
  }

  /** The stream is gone with the line in the commit log; the next writer removes files that are left. */
  purge(stream: IndexedStream, at: number): void {
    const { id, kind, seq, hash } = stream;
    this.#purge({ id, kind, seq, hash, at });
    this.finishPurge();
  }

  /** Marks a stream as purged that is not here. */
  bury(tombstone: Tombstone): void {
    if (this.index.purged.get(tombstone.id)?.seq === tombstone.seq) return;
    this.#purge({ ...tombstone, kind: "session" });
  }

  /** A blob that is on disk now, or whose files can be removed now. */
  changeBlob(change: BlobChange): void {
    this.flush();
    this.#commit([change]);
    this.index.newest = change;
    this.index.followBlob(change);
  }

  setLease(id: string, state: LeaseState): void {
    this.#parts.leases.set(id, state);
    this.#anchor();
  }

  #anchor(): void {
    const { anchor, index, leases } = this.#parts;
    anchor.write({ ...index.tip, leases: leases.count });
  }

  #purge(purged: Tombstone & Pick<IndexedStream, "kind">): void {
    this.flush();
    const entry = { purged };
    this.#commit([entry]);
    this.index.newest = entry;
    this.index.remove(purged);
    this.open.forget(purged.id);
  }

  #commit(entries: readonly CommitEntry[]): void {
    const { commits, index } = this.#parts;
    index.tip = commits.append(index.tip, entries);
    this.#anchor();
    for (const [id, seq] of changesIn(entries)) this.changed.set(id, seq);
    this.isChanged = true;
  }

  /** Removes the files of the stream that the last commit purged. */
  finishPurge(): void {
    const { files, index } = this.#parts;
    const { newest } = index;
    if (!newest || !("purged" in newest)) return;
    const { folder } = streamFolder(files, newest.purged.kind, newest.purged.id);
    if (!existsSync(folder)) return;
    rmSync(folder, { recursive: true });
    syncFolder(dirname(folder));
  }
}

function writeStream(
  files: FilesFolder,
  { kind, id }: IndexedStream,
  { isNew, at, log, state, onCreate }: Pending,
  syncing: Syncing,
): void {
  const stream = streamFolder(files, kind, id);
  if (isNew) {
    makeFolder(stream.folder);
    onCreate();
  }
  writeAt(stream.log, at.log, Buffer.from(log.join("")), syncing);
  writeAt(stream.state, at.state, Buffer.from(state.join("")), syncing);
  if (!isNew || !syncing.sync) return;
  for (const folder of [stream.folder, dirname(stream.folder), files.streams, files.folder]) {
    syncFolder(folder);
  }
}
