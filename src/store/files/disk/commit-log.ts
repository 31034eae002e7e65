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
import { openFile, openIfThere } from "../../../files/open-file.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import { NO_HASH } from "../../log/hash-event.ts";
import type { CommitEntry } from "./commit-entry.ts";
import { damaged } from "./files-error.ts";
import { openOrCreate, readFrom, type Syncing, writeAll } from "./line-file.ts";
import { hashObject, openLine, sealLine, sealOf } from "./sealed-line.ts";

/** A place after a line, and the hash of that line. It covers all lines before, because each has the hash of the last one. */
export interface ChainEnd {
  readonly end: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainEnd = { end: 0, hash: NO_HASH };

interface CommitLine {
  readonly entries: readonly CommitEntry[];
  readonly at: number;
  readonly next: ChainEnd;
}

/**
 * The order of all commits. A line is written without its newline, synced, and then ended: readers see no commit that a
 * power cut could take back. A complete line is a commit without its newline too, whatever follows it: the next writer
 * ends it.
 */
export class CommitLog {
  readonly #path: string;
  readonly #syncing: Syncing;
  /** The file that was there first. Another one may lack commits. */
  #known: string | undefined;

  constructor(path: string, syncing: Syncing) {
    this.#path = path;
    this.#syncing = syncing;
  }

  /** The size of the file, which may end with a line that is being written. */
  size(): number {
    return this.#withFile((_, size) => size, 0);
  }

  /** The complete lines from a place on. Throws `damaged` on a line that was altered, or does not follow the last one. */
  *read(from: number, to = Number.POSITIVE_INFINITY, hash?: string): Generator<CommitLine> {
    const file = this.#open();
    if (file === null) return;
    try {
      let before = from === 0 ? NO_HASH : hash;
      let rest: Buffer = Buffer.alloc(0);
      let at = from;
      for (let place = from; place < to; ) {
        const chunk = Buffer.allocUnsafe(CHUNK);
        const count = readSync(file, chunk, 0, CHUNK, place);
        if (count === 0) return;
        place += count;
        rest = Buffer.concat([rest, chunk.subarray(0, count)]);
        for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
          const line = parseLine(rest.toString("utf8", 0, end));
          if (!line || (before !== undefined && line.prev !== before)) throw this.#altered(at);
          const next = { end: at + end + 1, hash: line.hash };
          yield { entries: line.entries, at, next };
          rest = rest.subarray(end + 1);
          before = line.hash;
          at = next.end;
          if (at >= to) return;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** True for a place at which a line starts or will start. */
  isStart(at: number): boolean {
    return at === 0 || this.#readBefore(at, 1)?.[0] === NEWLINE;
  }

  /** True if the line that ends there has this hash. */
  isThere({ end, hash }: ChainEnd): boolean {
    if (end === 0) return true;
    const seal = `${sealOf(hash)}\n`;
    return this.#readBefore(end, seal.length)?.toString("latin1") === seal;
  }

  /** The start of the line that ends at this place. */
  startOf(end: number): number {
    return this.#withFile((file) => {
      for (let from = end - 1; from > 0; ) {
        const start = Math.max(0, from - CHUNK);
        const newline = readFrom(file, this.#path, start, from, null).lastIndexOf(NEWLINE);
        if (newline >= 0) return start + newline + 1;
        from = start;
      }
      return 0;
    }, 0);
  }

  /**
   * Ends the line after `chain` if it is complete: its writer was killed, or a power cut took its newline. False if there
   * is none. Only for the holder of the lock.
   */
  finish({ end, hash }: ChainEnd): boolean {
    const size = this.size();
    if (size <= end) return false;
    const file = openFile(this.#path, constants.O_RDWR);
    try {
      const length = findLine(readFrom(file, this.#path, end, size, null), hash);
      if (length === null) return false;
      writeAll(file, END, end + length);
      if (this.#syncing.sync) fsyncSync(file);
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Removes what follows the last line, which was never committed. Only for the holder of the lock. */
  cut(end: number): void {
    if (this.size() <= end) return;
    const file = openFile(this.#path, constants.O_RDWR);
    try {
      ftruncateSync(file, end);
      if (this.#syncing.sync) fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Commits: resolves to the end of the chain, once the line is on disk. */
  append({ end, hash }: ChainEnd, entries: readonly CommitEntry[]): ChainEnd {
    const object = JSON.stringify({ prev: hash, entries });
    const line = Buffer.from(sealLine(object));
    if (end === 0 && this.#known === undefined) closeSync(openOrCreate(this.#path));
    const file = this.#open(constants.O_RDWR);
    if (file === null) throw this.#replaced();
    try {
      if (fstatSync(file).size !== end) throw this.#altered(end);
      writeAll(file, line, end);
      if (this.#syncing.sync) fsyncSync(file);
      if (end === 0) syncFolder(dirname(this.#path));
      writeSync(file, END, 0, 1, end + line.length);
      return { end: end + line.length + 1, hash: hashObject(object) };
    } finally {
      closeSync(file);
    }
  }

  #readBefore(end: number, count: number): Buffer | null {
    return this.#withFile((file, size) => {
      if (size < end || end < count) return null;
      return readFrom(file, this.#path, end - count, end, null);
    }, null);
  }

  #withFile<T>(work: (file: number, size: number) => T, none: T): T {
    const file = this.#open();
    if (file === null) return none;
    try {
      return work(file, fstatSync(file).size);
    } finally {
      closeSync(file);
    }
  }

  /** Null before the first commit. */
  #open(flags: number = constants.O_RDONLY): number | null {
    const file = openIfThere(this.#path, flags);
    if (file === null) {
      if (this.#known === undefined) return null;
      throw this.#replaced();
    }
    const { dev, ino } = fstatSync(file);
    this.#known ??= `${dev}:${ino}`;
    if (this.#known === `${dev}:${ino}`) return file;
    closeSync(file);
    throw this.#replaced();
  }

  #replaced() {
    const what = "was removed or replaced while this process had it open";
    const todo = "Put it back, or restart the process to use the folder as it is now";
    return damaged(null, `${this.#path} ${what}. ${todo}`);
  }

  #altered(at: number) {
    return damaged(null, `${this.#path} was changed at byte ${at}`);
  }
}

const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;
const END = Buffer.from("\n");

interface ParsedLine {
  readonly prev: string;
  readonly entries: readonly CommitEntry[];
}

function parseLine(text: string): (ParsedLine & { readonly hash: string }) | null {
  const object = openLine(text);
  if (object === null) return null;
  const { prev, entries }: ParsedLine = JSON.parse(object);
  return { prev, entries, hash: hashObject(object) };
}

/** The length of the line at the start of these bytes that follows the line with this hash. Null if none is complete. */
function findLine(bytes: Buffer, hash: string): number | null {
  for (let at = bytes.indexOf(LAST); at >= 0; at = bytes.indexOf(LAST, at + 1)) {
    const length = at + LAST.length;
    if (parseLine(bytes.toString("utf8", 0, length))?.prev === hash) return length;
  }
  return null;
}

/** How every line ends. */
const LAST = `"}`;
