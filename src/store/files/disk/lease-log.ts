import { dirname } from "node:path";
import { replaceFile } from "../../../files/replace-file.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import type { LeaseState } from "../../lease-rules.ts";
import { identify, linesIn, readRange, type Syncing, writeAt } from "./line-file.ts";
import { openLine, sealLine } from "./sealed-line.ts";

const NEVER_HELD: LeaseState = { epoch: 0, holder: null };

/**
 * The leases of all streams: one line per change, rewritten when most lines are old. The changes are counted, so that an
 * older version of the file is noticed; no epoch is higher than the count.
 */
export class LeaseLog {
  readonly #path: string;
  readonly #syncing: Syncing;
  readonly #states = new Map<string, LeaseState>();
  #ino: number | undefined;
  #end = 0;
  #count = 0;
  /** Epochs up to here may have been granted by changes that are lost. */
  #floor = 0;

  constructor(path: string, syncing: Syncing) {
    this.#path = path;
    this.#syncing = syncing;
  }

  /** The number of changes until now. */
  get count(): number {
    return this.#count;
  }

  get(id: string): LeaseState {
    const { epoch, holder } = this.#states.get(id) ?? NEVER_HELD;
    return { epoch: Math.max(epoch, this.#floor), holder };
  }

  /** Reads the changes of other processes. A line that is being written is left for later. */
  catchUp(): void {
    const found = identify(this.#path);
    if (found?.ino !== this.#ino || (found && found.size < this.#end)) {
      this.#states.clear();
      this.#end = 0;
      this.#count = 0;
      this.#floor = 0;
      this.#ino = found?.ino;
    }
    if (!found) return;
    if (found.size === this.#end) return;
    for (const text of linesIn(readRange(this.#path, this.#end, found.size, null))) {
      this.#end += Buffer.byteLength(text) + 1;
      const object = openLine(text);
      // A torn line is followed by nothing: the next writer removes it.
      if (object === null) continue;
      const line: LeaseLine | FloorLine = JSON.parse(object);
      this.#count = line.count;
      if ("floor" in line) this.#floor = line.floor;
      else this.#states.set(line.id, { epoch: line.epoch, holder: line.holder });
    }
  }

  /** Only for the holder of the lock, after `catchUp`. */
  set(id: string, state: LeaseState): void {
    this.#count = Math.max(this.#count + 1, state.epoch);
    const line = Buffer.from(writeLine(id, state, this.#count));
    writeAt(this.#path, this.#end, line, this.#syncing);
    if (this.#end === 0) syncFolder(dirname(this.#path));
    this.#states.set(id, state);
    this.#end += line.length;
    this.#ino = identify(this.#path)?.ino;
  }

  /** Keeps one line for each stream that is still there. Only for the holder of the lock. */
  compact(isThere: (id: string) => boolean, isDue = this.#end > LARGE): void {
    if (!isDue) return;
    const kept = [...this.#states].filter(([id]) => isThere(id));
    const text = kept.map(([id, state]) => writeLine(id, state, this.#count)).join("");
    if (Buffer.byteLength(text) > this.#end / 2) return;
    this.#replace(text + writeFloor(this.#floor, this.#count));
  }

  /** Continues after changes that are lost: no epoch that they may have granted is granted again. */
  restart(count: number): void {
    const lines = [...this.#states].map(([id, state]) => writeLine(id, state, count));
    this.#replace(lines.join("") + writeFloor(count, count));
  }

  #replace(text: string): void {
    replaceFile(this.#path, text);
    this.#ino = undefined;
    this.catchUp();
  }
}

const LARGE = 1024 * 1024;

interface LeaseLine extends LeaseState {
  readonly id: string;
  readonly count: number;
}

interface FloorLine {
  readonly floor: number;
  readonly count: number;
}

function writeLine(id: string, { epoch, holder }: LeaseState, count: number): string {
  const line: LeaseLine = { id, epoch, holder, count };
  return `${sealLine(JSON.stringify(line))}\n`;
}

function writeFloor(floor: number, count: number): string {
  const line: FloorLine = { floor, count };
  return `${sealLine(JSON.stringify(line))}\n`;
}
