import type { Note } from "./read-recording.ts";

type Change = Extract<Note, { readonly kind: "write" | "size" }>;

/** The contents of unsynced files after a power cut, see `Cut`. */
export type CutContents = "none" | "prefix" | "pages";

const PAGE = 4096;
const SECTOR = 512;

/** The synced bytes of a file, and the changes since. */
export class StoredFile {
  #bytes: Buffer;
  #size: number;
  #changes: { readonly nth: number; readonly change: Change }[] = [];

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes;
    this.#size = bytes.length;
  }

  change(nth: number, change: Change): void {
    this.#changes.push({ nth, change });
  }

  /** Every change before note `end` is on the disk now. */
  sync(end: number): void {
    const found = this.#changes.findIndex(({ nth }) => nth >= end);
    const done = this.#changes.splice(0, found === -1 ? this.#changes.length : found);
    for (const { change } of done) {
      const size = change.kind === "size" ? change.size : change.at + change.bytes.length;
      if (change.kind === "size") this.#bytes.fill(0, Math.min(size, this.#size), this.#size);
      if (size > this.#bytes.length) {
        this.#bytes = Buffer.concat([this.#bytes], Math.max(size, 2 * this.#bytes.length));
      }
      if (change.kind === "write") change.bytes.copy(this.#bytes, change.at);
      this.#size = change.kind === "size" ? size : Math.max(size, this.#size);
    }
  }

  cut(contents: CutContents, random: (bound: number) => number): Buffer {
    const changes = this.#changes.map(({ change }) => change);
    const moment = () => changes.slice(0, random(changes.length + 1));
    if (contents === "none" || changes.length === 0) return this.#read([]);
    if (contents === "prefix") return this.#read(moment());
    const disk = Buffer.alloc(this.#sizeAfter(moment()));
    for (let at = 0; at < disk.length; at += PAGE) {
      this.#read(moment(), at, at + PAGE).copy(disk, at);
      // The first sectors of a torn page are of another moment.
      if (random(4) === 0) this.#read(moment(), at, at + SECTOR * (1 + random(7))).copy(disk, at);
    }
    return disk;
  }

  /** All of it, as running processes see it. */
  now(): Buffer {
    return this.#read(this.#changes.map(({ change }) => change));
  }

  #sizeAfter(changes: readonly Change[]): number {
    return changes.reduce(
      (size, change) =>
        change.kind === "size" ? change.size : Math.max(size, change.at + change.bytes.length),
      this.#size,
    );
  }

  #read(changes: readonly Change[], from = 0, to = this.#sizeAfter(changes)): Buffer {
    const part = Buffer.alloc(to - from);
    part.set(this.#bytes.subarray(Math.min(from, this.#size), Math.min(to, this.#size)));
    for (const change of changes) {
      if (change.kind === "size")
        part.fill(0, Math.min(Math.max(change.size - from, 0), to - from));
      else if (change.at >= from) change.bytes.copy(part, Math.min(change.at - from, to - from));
      else change.bytes.copy(part, 0, Math.min(from - change.at, change.bytes.length));
    }
    return part;
  }
}
