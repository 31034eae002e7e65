import { createHash } from "node:crypto";
import { closeSync, constants, readSync, statSync, writeSync } from "node:fs";
import { errorCode } from "../../files/file-refusal.ts";
import { createFile, openFile } from "../../files/open-file.ts";
import type { SharedNotes } from "../stream-store.ts";

/**
 * Slots of a tag and two numbers, 24 bytes each. Two keys in one slot overwrite each other, so a
 * note may be lost.
 */
const SLOTS = 256;
const SLOT_BYTES = 24;

/** A missing file is looked for again after this time. */
const LOOK_MS = 2;

/**
 * A small file next to the database. It is never synced, because only processes that run now use
 * it.
 */
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
      // Notes are optional: a full or read-only disk refuses the change itself.
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Null if there is no file yet, or it cannot be used. */
  #open(): number | null {
    if (this.#file !== null) return this.#file;
    // Checked only now and then: most processes never need the file, and each change asks.
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
      // A file in append mode ignores the write position, so it is created separately.
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
