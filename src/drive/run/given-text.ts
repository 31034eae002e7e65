import type { Delta } from "../../contract/run-event.ts";
import { isSessionEvent } from "../../core/session/known-events.ts";
import type { StoredEvent } from "../../store/stream-store.ts";

/** How far a reader has read an item of an answer. */
export interface ItemPlace {
  readonly turn_id: string;
  readonly item: number;
  readonly offset: number;
}

/**
 * Tracks the text of the running turn that one onlooker has received. Deltas wait while the onlooker is slow, and the
 * log may deliver the same text meanwhile. So it passes on only text that continues the received one: nothing comes
 * twice, and nothing is skipped silently.
 */
export class GivenText {
  readonly #read: ItemPlace | null;
  /** Undefined until it is known; null if no turn runs. */
  #turn: string | null | undefined;
  #item = -1;
  #upTo = 0;
  /** The first delta that was received; the earlier part of its item is already in the log. */
  #joined: Delta | null = null;

  constructor(read: ItemPlace | null) {
    this.#read = read;
  }

  hear(delta: Delta): void {
    this.#joined ??= delta;
  }

  pass(event: StoredEvent): void {
    if (!isSessionEvent(event)) return;
    if (event.type === "turn.started") this.#begin(event.data.turn_id);
    else if (event.type === "turn.part") this.#passPart(event.data);
    else if (event.type === "turn.ended" && this.#isOpen(event.data.turn_id)) this.#turn = null;
  }

  /** The new part of a delta; null if it has none, or does not continue the received text: then the log has it. */
  newsOf(delta: Delta): Delta | null {
    if (this.#turn === undefined) this.#begin(delta.turn_id);
    if (delta.turn_id !== this.#turn || delta.item < this.#item) return null;
    if (delta.item > this.#item) this.#enter(delta);
    const from = this.#upTo;
    if (delta.offset > from || delta.offset + delta.text.length <= from) return null;
    this.#upTo = delta.offset + delta.text.length;
    // The same object for everyone who receives all of it.
    if (delta.offset === from) return delta;
    return { ...delta, offset: from, text: delta.text.slice(from - delta.offset) };
  }

  #begin(turn_id: string): void {
    this.#turn = turn_id;
    this.#item = -1;
    this.#upTo = 0;
  }

  #isOpen(turn_id: string): boolean {
    return turn_id === (this.#turn === undefined ? this.#joined?.turn_id : this.#turn);
  }

  #passPart(part: ItemPlace & { readonly text: string }): void {
    if (part.turn_id !== this.#turn) this.#begin(part.turn_id);
    if (part.item > this.#item) this.#enter(part);
    if (part.item === this.#item) {
      this.#upTo = Math.max(this.#upTo, part.offset + part.text.length);
    }
  }

  #enter({ turn_id, item }: ItemPlace): void {
    this.#item = item;
    const known = [this.#joined, this.#read].filter(
      (place) => place?.turn_id === turn_id && place.item === item,
    );
    this.#upTo = Math.max(0, ...known.map((place) => place?.offset ?? 0));
  }
}
