import type { StreamKind } from "../../../contract/vocabulary.ts";
import type { ListingValues, StreamRef } from "../../stream-store.ts";
import type { AppendEntry, BlobChange, CommitEntry, Tombstone } from "../disk/commit-entry.ts";
import { type ChainEnd, type CommitLog, EMPTY_CHAIN } from "../disk/commit-log.ts";
import { damaged, isDamage } from "../disk/files-error.ts";
import { type FilesFolder, streamFolder } from "../disk/files-folder.ts";
import { linesIn, readRange } from "../disk/line-file.ts";
import { type AppendState, type Identity, readIdentity, readState } from "../disk/state-line.ts";
import { HeldBlobs } from "./held-blobs.ts";
import { readSnapshot, type Snapshot, writeSnapshot } from "./snapshot.ts";

/** The facts about a stream that are known without reading its files. */
export interface IndexedStream {
  readonly id: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
  /** A secret of the stream; empty if its files are damaged. */
  readonly salt: string;
  readonly seq: number;
  readonly hash: string;
  /** The sizes of its files, as far as they are committed. */
  readonly log: number;
  readonly state: number;
  /** The position at which the last line of its state starts. */
  readonly last: number;
  /** Null if its files are damaged. */
  readonly listing: ListingValues | null;
}

export interface NamedAt {
  readonly id: string;
  readonly seq: number;
  readonly position: number;
}

/** The answer to a request with an idempotency key. */
export interface Remembered {
  readonly digest: string;
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

/** Everything that the commits say, for finding streams: rebuilt from a snapshot and the commits after it. */
export class StreamIndex {
  readonly #files: FilesFolder;
  readonly #commits: CommitLog;
  readonly streams = new Map<string, IndexedStream>();
  readonly purged = new Map<string, Tombstone>();
  readonly blobs = new HeldBlobs();
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, NamedAt[]>();
  readonly #remembered = new Map<string, Remembered>();
  #position = 0;
  /** The end of the commits that are known. */
  tip: ChainEnd = EMPTY_CHAIN;
  /** The end of a commit that the snapshot names and that is not in the log. */
  lost: ChainEnd | null = null;
  #hasStarted = false;
  /** The last entry of the last commit. */
  newest: CommitEntry | null = null;
  #snapshotAt = 0;
  #snapshotSize = 0;

  constructor(files: FilesFolder, commits: CommitLog) {
    this.#files = files;
    this.#commits = commits;
  }

  get end(): number {
    return this.tip.end;
  }

  /** Reads the commits of other processes. Throws `damaged` if those that were read are not there any more. */
  catchUp(): void {
    const size = this.#commits.size();
    if (size < this.end) throw damaged(null, `${this.#files.commits} is shorter than it was`);
    if (!this.#hasStarted) this.#start();
    if (size === this.end) return;
    for (const { entries, next } of this.#commits.read(this.end, undefined, this.tip.hash)) {
      for (const entry of entries) this.#follow(entry);
      this.tip = next;
    }
  }

  find(ref: StreamRef): IndexedStream | undefined {
    const id = "id" in ref ? ref.id : this.#ids.get(placeOf(ref));
    return id === undefined ? undefined : this.streams.get(id);
  }

  findNamed(owner: string, name: string): readonly NamedAt[] {
    return this.#names.get(JSON.stringify([owner, name])) ?? [];
  }

  findRemembered(idem: string): Remembered | undefined {
    return this.#remembered.get(idem);
  }

  /** Adds an append whose lines are known. */
  add(stream: IndexedStream, state: Pick<AppendState, "seq" | "names" | "idem">): void {
    const { id, owner } = stream;
    this.streams.set(id, stream);
    this.#ids.set(placeOf(stream), id);
    for (const name of state.names) this.#addName(owner, name, id, state.seq);
    if (!state.idem) return;
    const [idem, digest, from, to] = state.idem;
    this.#remembered.set(idem, { digest, id, from, to });
  }

  /** A fork shares the earlier blobs of its parent. */
  inherit(id: string, base: { readonly id: string; readonly seq: number }): void {
    for (const blob of this.blobs.sharedBy(base)) this.blobs.add(id, blob);
  }

  remove({ id, seq, hash, at }: Tombstone): void {
    const stream = this.streams.get(id);
    this.purged.set(id, { id, seq, hash, at });
    this.streams.delete(id);
    this.blobs.forget(id);
    if (stream && this.#ids.get(placeOf(stream)) === id) this.#ids.delete(placeOf(stream));
    for (const [key, places] of this.#names) {
      const left = places.filter((place) => place.id !== id);
      if (left.length === 0) this.#names.delete(key);
      else if (left.length < places.length) this.#names.set(key, left);
    }
    for (const [idem, answer] of this.#remembered) {
      if (answer.id === id) this.#remembered.delete(idem);
    }
  }

  /** Forgets everything, so that the next call reads it again. */
  reset(): void {
    for (const map of [this.streams, this.purged, this.#ids, this.#names, this.#remembered]) {
      map.clear();
    }
    this.blobs.clear();
    this.#position = 0;
    this.tip = EMPTY_CHAIN;
    this.newest = null;
    this.#hasStarted = false;
  }

  /** Writes a snapshot if many commits came after the last one, and returns true then. Only for the holder of the lock. */
  save(isDue = this.end - this.#snapshotAt > Math.max(LEAST, this.#snapshotSize)): boolean {
    if (!isDue) return false;
    const names = [...this.#names].map(([key, places]) => [key, places] as const);
    this.#snapshotSize = writeSnapshot(this.#files.index, {
      ...this.tip,
      newest: this.newest,
      position: this.#position,
      streams: [...this.streams.values()],
      purged: [...this.purged.values()],
      names,
      blobs: [...this.blobs],
      remembered: [...this.#remembered],
    });
    this.#snapshotAt = this.end;
    return true;
  }

  #start(): void {
    this.#hasStarted = true;
    const found = readSnapshot(this.#files.index);
    if (!found) return;
    const { snapshot, bytes } = found;
    if (!this.#commits.isThere(snapshot)) {
      this.lost = { end: snapshot.end, hash: snapshot.hash };
      return;
    }
    this.#restore(snapshot);
    this.#snapshotAt = snapshot.end;
    this.#snapshotSize = bytes;
  }

  #restore({ end, hash, newest, position, streams, ...maps }: Snapshot): void {
    const { purged, names, blobs, remembered } = maps;
    for (const stream of streams) {
      this.streams.set(stream.id, stream);
      this.#ids.set(placeOf(stream), stream.id);
    }
    for (const tombstone of purged) this.purged.set(tombstone.id, tombstone);
    for (const [key, places] of names) this.#names.set(key, [...places]);
    for (const [id, held] of blobs) for (const blob of held) this.blobs.add(id, blob);
    for (const [idem, answer] of remembered) this.#remembered.set(idem, answer);
    this.#position = position;
    this.tip = { end, hash };
    this.newest = newest;
  }

  #follow(entry: CommitEntry): void {
    this.newest = entry;
    if ("log" in entry) this.#followAppend(entry);
    else if ("purged" in entry) this.remove(entry.purged);
    else this.followBlob(entry);
  }

  followBlob(entry: BlobChange): void {
    if ("dropped" in entry) {
      this.blobs.drop(entry.dropped.id, entry.dropped.key);
      return;
    }
    const { id, blob } = entry.stored;
    this.blobs.add(id, { ...blob, writer: id, owner: this.streams.get(id)?.owner ?? "" });
  }

  #followAppend(entry: AppendEntry): void {
    const { id, kind, to, hash, log, state } = entry;
    const sizes = { seq: to, hash, log: log[1], state: state[1] };
    const known = this.streams.get(id);
    try {
      const path = streamFolder(this.#files, kind, id).state;
      const identity = known ? null : readFirst(path, id, state[1]);
      const { owner, key, salt } = known ?? identity ?? { owner: "", key: id, salt: "" };
      const text = readRange(path, state[0], state[1], id);
      const line = readState(linesIn(text).at(-1) ?? "", id);
      if (!("listing" in line)) throw damaged(id, "the state of an append is missing");
      const last = state[1] - lastLength(text);
      this.add({ id, kind, owner, key, salt, ...sizes, last, listing: line.listing }, line);
      if (identity?.base) this.inherit(id, identity.base);
    } catch (error) {
      // A stream that was purged later has no files.
      if (!isDamage(error)) throw error;
      const { owner = "", key = id, salt = "" } = known ?? {};
      const lost = { id, kind, owner, key, salt, last: state[0] };
      this.add({ ...lost, ...sizes, listing: null }, { seq: to, names: [], idem: null });
    }
  }

  #addName(owner: string, name: string, id: string, seq: number): void {
    const key = JSON.stringify([owner, name]);
    const places = this.#names.get(key) ?? [];
    if (places.some((place) => place.id === id)) return;
    this.#position += 1;
    places.push({ id, seq, position: this.#position });
    this.#names.set(key, places);
  }
}

/** A snapshot is written after this many bytes of commits. */
const LEAST = 256 * 1024;

function readFirst(path: string, id: string, size: number): Identity {
  // An identity has four texts of at most 1 KB, each character of which JSON may write as six.
  const text = readRange(path, 0, Math.min(size, 32 * 1024), id);
  return readIdentity(text.toString("utf8", 0, text.indexOf("\n")), id);
}

function lastLength(lines: Buffer): number {
  return lines.length - (lines.subarray(0, -1).lastIndexOf("\n") + 1);
}

/** Indexed texts never contain NUL. */
function placeOf({ kind, owner, key }: Pick<IndexedStream, "kind" | "owner" | "key">): string {
  return `${kind}\0${owner}\0${key}`;
}
