import { createHash } from "node:crypto";
import { closeSync, constants, readSync, statSync, writeSync } from "node:fs";
import { errorCode } from "../../files/file-refusal.ts";
import { createFile, openFile } from "../../files/open-file.ts";
import type { SharedNotes } from "../stream-store.ts";

/** Slots of a tag and two numbers, 24 bytes each. Two keys in one slot overwrite each other: a note may be lost. */
const SLOTS = 256;
const SLOT_BYTES = 24;

/** A note of another process that has just made the file is seen so much later. */
const LOOK_MS = 2;

/** A small file beside the database. It is never synced: it matters to processes that run now, and to nobody later. */
export class NotesFile implements SharedNotes {
  readonly #path: string;
  #file: number | null = null;
  #missedAt = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.#path = path;
  }

  read(key: string): readonly [number, number] | null {
    const file = this.#open();
    if (file === null) return null;
    const { tag, at } = slotOf(key);
    const slot = Buffer.alloc(SLOT_BYTES);
    if (readSync(file, slot, 0, SLOT_BYTES, at) < SLOT_BYTES) return null;
    if (!slot.subarray(0, 8).equals(tag)) return null;
    return [slot.readDoubleLE(8), slot.readDoubleLE(16)];
  }

  write(key: string, [first, second]: readonly [number, number]): void {
    const { tag, at } = slotOf(key);
    const slot = Buffer.alloc(SLOT_BYTES);
    slot.set(tag);
    slot.writeDoubleLE(first, 8);
    slot.writeDoubleLE(second, 16);
    try {
      writeSync(this.#open() ?? this.#make(), slot, 0, SLOT_BYTES, at);
    } catch {
      // Nobody relies on a note: a full or read-only disk refuses the change itself.
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Null while nobody has written a note, or where the file cannot be used. */
  #open(): number | null {
    if (this.#file !== null) return this.#file;
    // Looked for once in a while: most processes never meet one, and each change asks.
    const now = performance.now();
    if (now - this.#missedAt < LOOK_MS) return null;
    if (!statSync(this.#path, { throwIfNoEntry: false })) {
      this.#missedAt = now;
      return null;
    }
    try {
      this.#file = openFile(this.#path, constants.O_RDWR);
    } catch {
      return null;
    }
    return this.#file;
  }

  #make(): number {
    try {
      // A file that is opened to append ignores the place that is written to.
      closeSync(createFile(this.#path));
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    this.#file = openFile(this.#path, constants.O_RDWR);
    return this.#file;
  }
}

function slotOf(key: string): { readonly tag: Buffer; readonly at: number } {
  const digest = createHash("sha256").update(key).digest();
  return { tag: digest.subarray(0, 8), at: (digest.readUInt32LE(8) % SLOTS) * SLOT_BYTES };
}
