import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { StreamKind } from "../../../contract/vocabulary.ts";
import { openFile, openIfThere } from "../../../files/open-file.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import { damaged } from "./files-error.ts";
import { openOrCreate, readFrom, type Syncing, writeAll } from "./line-file.ts";
import { openLine, sealLine } from "./sealed-line.ts";

/** The events that a transaction appended to one stream, and their positions in its files. */
export interface AppendEntry {
  readonly id: string;
  readonly kind: StreamKind;
  readonly from: number;
  readonly to: number;
  readonly log: readonly [from: number, to: number];
  readonly state: readonly [from: number, to: number];
  /** The hash before the first event, and that of the last one. */
  readonly before: string;
  readonly hash: string;
}

interface PurgeEntry {
  readonly purged: Tombstone & { readonly kind: StreamKind };
}

/** The last event of a purged stream. */
export interface Tombstone {
  readonly id: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

export type CommitEntry = AppendEntry | PurgeEntry;

interface CommitLine {
  readonly entries: readonly CommitEntry[];
  readonly at: number;
  /** The place after it. */
  readonly next: number;
}

/**
 * The order of all commits. A line is written without its newline, synced, and then ended: readers see no commit that a
 * power cut could take back. A complete line without a newline is a commit too; the next writer ends it.
 */
export class CommitLog {
  readonly #path: string;
  readonly #syncing: Syncing;

  constructor(path: string, syncing: Syncing) {
    this.#path = path;
    this.#syncing = syncing;
  }

  /** The size of the file, which may end with a line that is being written. */
  size(): number {
    const file = openIfThere(this.#path);
    if (file === null) return 0;
    try {
      return fstatSync(file).size;
    } finally {
      closeSync(file);
    }
  }

  /** The complete lines from a place on. Throws `damaged` on a line that was altered. */
  *read(from: number, to = Number.POSITIVE_INFINITY): Generator<CommitLine> {
    const file = openIfThere(this.#path);
    if (file === null) return;
    try {
      let rest: Buffer = Buffer.alloc(0);
      let at = from;
      for (let place = from; place < to; ) {
        const chunk = Buffer.allocUnsafe(CHUNK);
        const count = readSync(file, chunk, 0, CHUNK, place);
        if (count === 0) return;
        place += count;
        rest = Buffer.concat([rest, chunk.subarray(0, count)]);
        for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
          const next = at + end + 1;
          yield { entries: this.#parse(rest.toString("utf8", 0, end), at), at, next };
          rest = rest.subarray(end + 1);
          at = next;
          if (at >= to) return;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** True for a place at which a line starts or will start. */
  isStart(at: number): boolean {
    if (at === 0) return true;
    const file = openIfThere(this.#path);
    if (file === null) return false;
    try {
      const byte = Buffer.alloc(1);
      return readSync(file, byte, 0, 1, at - 1) === 1 && byte[0] === NEWLINE;
    } finally {
      closeSync(file);
    }
  }

  /** The start of the line that ends at this place. */
  startOf(end: number): number {
    const file = openIfThere(this.#path);
    if (file === null) return 0;
    try {
      for (let from = end - 1; from > 0; ) {
        const start = Math.max(0, from - CHUNK);
        const chunk = Buffer.allocUnsafe(from - start);
        readSync(file, chunk, 0, chunk.length, start);
        const newline = chunk.lastIndexOf(NEWLINE);
        if (newline >= 0) return start + newline + 1;
        from = start;
      }
      return 0;
    } finally {
      closeSync(file);
    }
  }

  /**
   * Completes or removes data of a killed process after `end`, the end of the last complete line. Only for the holder
   * of the lock.
   */
  repair(end: number): void {
    const size = this.size();
    if (size <= end) return;
    const file = openFile(this.#path, constants.O_RDWR);
    try {
      const line = readFrom(file, this.#path, end, size, null).toString("utf8");
      if (openLine(line) === null) ftruncateSync(file, end);
      else writeAll(file, END, size);
      if (this.#syncing.sync) fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Commits: resolves to the place after the line, once it is on disk. */
  append(at: number, entries: readonly CommitEntry[]): number {
    const line = Buffer.from(sealLine(JSON.stringify({ entries })));
    const file = openOrCreate(this.#path);
    try {
      writeAll(file, line, at);
      if (this.#syncing.sync) fsyncSync(file);
      if (at === 0) syncFolder(dirname(this.#path));
      writeSync(file, END, 0, 1, at + line.length);
      return at + line.length + 1;
    } finally {
      closeSync(file);
    }
  }

  #parse(text: string, at: number): readonly CommitEntry[] {
    const object = openLine(text);
    if (object === null) throw damaged(null, `${this.#path} was changed at byte ${at}`);
    const { entries }: { entries: readonly CommitEntry[] } = JSON.parse(object);
    return entries;
  }
}

const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;
const END = Buffer.from("\n");
