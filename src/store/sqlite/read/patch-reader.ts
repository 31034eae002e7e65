import type { RowQuery } from "../../../contract/stream.ts";
import type { Segment } from "../../log/lineage.ts";
import type { Connection } from "../database/connection.ts";
import { PATCH_VALUES, type PatchRow, readPatchRow } from "../database/index-rows.ts";
import { ROW_LIMIT } from "../database/row-limit.ts";
import { damaged } from "../database/storage-error.ts";

/**
 * Walks through one segment's patches of a kind, from place to place. It checks the end itself
 * instead of in SQL, so that a patch with altered numbers is read and detected.
 */
export class PatchReader {
  readonly #db: Connection;
  readonly #segment: Segment;
  readonly #query: RowQuery;
  readonly #stream: string;
  #chunk: number;
  readonly #isForwards: boolean;
  #last: Numbers;
  #found: PatchRow[] = [];
  #next = 0;
  #isDone = false;

  constructor(db: Connection, segment: Segment, query: RowQuery, stream: string) {
    this.#db = db;
    this.#segment = segment;
    this.#query = query;
    this.#stream = stream;
    this.#chunk = Math.min(query.bytes === undefined ? MOST : FEW, (query.limit ?? MOST) + 1);
    this.#isForwards = query.before === undefined;
    // No item has a place after the event that opened it.
    this.#last = this.#isForwards
      ? { place: query.after ?? -1, nth: END, seq: END }
      : { place: Math.min(query.before ?? END, segment.to + 1), nth: -1, seq: -1 };
  }

  peek(): PatchRow | undefined {
    while (this.#next === this.#found.length && !this.#isDone) this.#read();
    return this.#found[this.#next];
  }

  /** Removes and returns all patches of one place, if it is next. */
  next(place: number): PatchRow[] {
    const taken: PatchRow[] = [];
    for (let patch = this.peek(); patch?.place === place; patch = this.peek()) {
      taken.push(patch);
      this.#next += 1;
    }
    return taken;
  }

  #read(): void {
    const { sid, to } = this.#segment;
    const { place, nth, seq } = this.#last;
    const sql = this.#isForwards ? FORWARDS : BACKWARDS;
    const kind = this.#query.kind;
    const rows = this.#db.allValues(sql, sid, kind, place, nth, seq, this.#chunk);
    this.#isDone = rows.length < this.#chunk;
    // A page with a byte limit may end soon; a longer one is read in larger steps.
    this.#chunk = Math.min(MOST, this.#chunk * 2);
    this.#found = [];
    this.#next = 0;
    for (const values of rows) {
      const patch = readPatchRow(values, sid, this.#stream);
      if (!this.#isAfterLast(patch)) throw damaged(this.#stream, "its index rows are out of order");
      this.#last = patch;
      if (this.#isBeyond(patch)) {
        this.#isDone = true;
        return;
      }
      if (patch.seq <= to) this.#found.push(patch);
    }
  }

  #isAfterLast(patch: PatchRow): boolean {
    const { place, nth, seq } = this.#last;
    const step = patch.place - place || patch.nth - nth || patch.seq - seq;
    return this.#isForwards ? step > 0 : step < 0;
  }

  #isBeyond({ place }: PatchRow): boolean {
    return this.#isForwards ? place > this.#segment.to : place <= (this.#query.after ?? -1);
  }
}

interface Numbers {
  readonly place: number;
  readonly nth: number;
  readonly seq: number;
}

const END = Number.MAX_SAFE_INTEGER;
const MOST = 512;
const FEW = 8;
const FORWARDS = `SELECT ${PATCH_VALUES} FROM rows
  WHERE sid = ? AND kind = ? AND (place, nth, seq) > (?, ?, ?) ORDER BY place, nth, seq ${ROW_LIMIT}`;
const BACKWARDS = `SELECT ${PATCH_VALUES} FROM rows
  WHERE sid = ? AND kind = ? AND (place, nth, seq) < (?, ?, ?) ORDER BY place DESC, nth DESC, seq DESC ${ROW_LIMIT}`;
