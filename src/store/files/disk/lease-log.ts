import { dirname } from "node:path";
import { replaceFile } from "../../../files/replace-file.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import type { LeaseState } from "../../lease-rules.ts";
import { identify, linesIn, readRange, type Syncing, writeAt } from "./line-file.ts";
import { openLine, sealLine } from "./sealed-line.ts";

const NEVER_HELD: LeaseState = { epoch: 0, holder: null };

/** The leases of all streams: one line per change, rewritten when most lines are old. */
export class LeaseLog {
  readonly #path: string;
  readonly #syncing: Syncing;
  readonly #states = new Map<string, LeaseState>();
  #ino = 0;
  #end = 0;

  constructor(path: string, syncing: Syncing) {
    this.#path = path;
    this.#syncing = syncing;
  }

  get(id: string): LeaseState {
    return this.#states.get(id) ?? NEVER_HELD;
  }

  /** Reads the changes of other processes. A line that is being written is left for later. */
  catchUp(): void {
    const found = identify(this.#path);
    if (!found) return;
    if (found.ino !== this.#ino || found.size < this.#end) {
      this.#states.clear();
      this.#end = 0;
      this.#ino = found.ino;
    }
    if (found.size === this.#end) return;
    for (const line of linesIn(readRange(this.#path, this.#end, found.size, null))) {
      this.#end += Buffer.byteLength(line) + 1;
      const object = openLine(line);
      // A torn line is followed by nothing: the next writer removes it.
      if (object === null) continue;
      const { id, epoch, holder }: LeaseState & { id: string } = JSON.parse(object);
      this.#states.set(id, { epoch, holder });
    }
  }

  /** Only for the holder of the lock, after `catchUp`. */
  set(id: string, state: LeaseState): void {
    const line = Buffer.from(writeLine(id, state));
    writeAt(this.#path, this.#end, line, this.#syncing);
    if (this.#end === 0) syncFolder(dirname(this.#path));
    this.#states.set(id, state);
    this.#end += line.length;
    this.#ino = identify(this.#path)?.ino ?? 0;
  }

  /** Keeps one line for each stream that is still there. Only for the holder of the lock. */
  compact(isThere: (id: string) => boolean, isDue = this.#end > LARGE): void {
    if (!isDue) return;
    const kept = [...this.#states].filter(([id]) => isThere(id));
    const text = kept.map(([id, state]) => writeLine(id, state)).join("");
    if (Buffer.byteLength(text) > this.#end / 2) return;
    replaceFile(this.#path, text);
    this.#ino = 0;
    this.catchUp();
  }
}

const LARGE = 1024 * 1024;

function writeLine(id: string, { epoch, holder }: LeaseState): string {
  return `${sealLine(JSON.stringify({ id, epoch, holder }))}\n`;
}
