import type { Content } from "../../content.ts";
import { describeLease, type LeaseClock } from "../../lease-rules.ts";
import { showContent } from "../../scan/show-content.ts";
import type { StoredStream } from "../../stream-store.ts";
import { damaged } from "../disk/files-error.ts";
import { type FilesFolder, streamFolder } from "../disk/files-folder.ts";
import type { LeaseLog } from "../disk/lease-log.ts";
import { LoadedStream, readHead } from "./loaded-stream.ts";
import type { IndexedStream } from "./stream-index.ts";

interface CurrentHead {
  readonly hash: string;
  readonly content: Content;
}

/** The streams that this process has read lately. */
export class OpenStreams {
  readonly #files: FilesFolder;
  readonly #leases: LeaseLog;
  readonly #clock: LeaseClock;
  readonly #loaded = new Map<string, LoadedStream>();
  readonly #heads = new Map<string, CurrentHead>();

  constructor(files: FilesFolder, leases: LeaseLog, clock: LeaseClock) {
    this.#files = files;
    this.#leases = leases;
    this.#clock = clock;
  }

  /** Throws `damaged` unless its whole log is as it was committed. */
  load(stream: IndexedStream): LoadedStream {
    const { id, kind } = stream;
    if (stream.listing === null) throw damaged(id, "its state cannot be read");
    const loaded =
      this.#loaded.get(id) ?? new LoadedStream(id, streamFolder(this.#files, kind, id));
    this.#loaded.delete(id);
    loaded.extend(stream);
    this.#loaded.set(id, loaded);
    for (const oldest of this.#loaded.keys()) {
      if (this.#loaded.size <= MOST_LOADED) break;
      this.#loaded.delete(oldest);
    }
    return loaded;
  }

  describe(stream: IndexedStream): StoredStream {
    const { id, kind, owner, key, seq } = stream;
    const lease = describeLease(this.#leases.get(id), this.#clock);
    return { id, kind, owner, key, seq, head: showContent(this.headOf(stream)), lease };
  }

  headOf(stream: IndexedStream): Content {
    const { id, kind, hash } = stream;
    if (stream.listing === null) throw damaged(id, "its state cannot be read");
    const known = this.#heads.get(id);
    if (known?.hash === hash) return known.content;
    const content = readHead(streamFolder(this.#files, kind, id), stream);
    this.keepHead(stream, content);
    return content;
  }

  keepHead({ id, hash }: IndexedStream, content: Content): void {
    if (this.#heads.size >= MOST_HEADS) this.#heads.clear();
    this.#heads.set(id, { hash, content });
  }

  forget(id?: string): void {
    if (id === undefined) {
      this.#loaded.clear();
      this.#heads.clear();
      return;
    }
    this.#loaded.delete(id);
    this.#heads.delete(id);
  }
}

const MOST_LOADED = 32;
const MOST_HEADS = 1024;
