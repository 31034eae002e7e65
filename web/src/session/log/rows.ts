import type { Entry } from "./entry.ts";

/** An entry at its place. Rows stay the same objects while their entries change. */
export interface Row {
  readonly key: string;
  /** The seq of its event, with a fraction if several rows come from one event or nothing is stored yet. */
  place: number;
  entry: Entry;
}

/** Rows in order of their places, found by their keys. */
export class Rows {
  readonly list: Row[] = [];
  readonly #byKey = new Map<string, Row>();
  /** Changes whenever rows are added, removed or moved. */
  order = 0;

  get(key: string): Row | undefined {
    return this.#byKey.get(key);
  }

  /** Puts an entry at a place; an existing row with the key moves there. */
  put(key: string, place: number, entry: Entry): void {
    const known = this.#byKey.get(key);
    if (known) {
      known.entry = entry;
      if (known.place !== place) this.#move(known, place);
      return;
    }
    const row = { key, place, entry };
    this.#byKey.set(key, row);
    this.list.splice(this.#indexFor(place), 0, row);
    this.order += 1;
  }

  remove(key: string): void {
    const row = this.#byKey.get(key);
    if (!row) return;
    this.#byKey.delete(key);
    this.list.splice(this.list.indexOf(row), 1);
    this.order += 1;
  }

  /** The row at a place, or the last one before it. */
  indexAt(place: number): number {
    return this.#indexFor(place) - 1;
  }

  #move(row: Row, place: number): void {
    const at = this.list.indexOf(row);
    row.place = place;
    const [before, after] = [this.list[at - 1], this.list[at + 1]];
    if ((!before || before.place <= place) && (!after || after.place >= place)) return;
    this.list.splice(at, 1);
    this.list.splice(this.#indexFor(place), 0, row);
    this.order += 1;
  }

  /** The index after all rows at this place or before. */
  #indexFor(place: number): number {
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.list[middle]?.place ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
