import type { StoredEvent, StoredHead, StoredStream } from "./stream-store.ts";

interface Pages<Row> {
  readonly rows: readonly (readonly Row[])[];
  readonly events: readonly (readonly StoredEvent[])[];
  readonly heads: readonly (StoredHead | undefined)[];
}

/**
 * A part of a stream whose `stream` is computed on demand: parsing a head and looking for the process of a lease take
 * longer than reading a few events, and many callers need only those.
 *
 * All parts share one getter. A getter of its own would give each part a hidden class of its own, which keeps everything
 * that the getter refers to in memory until the next major garbage collection.
 */
export class LazyPart<Row> implements Pages<Row> {
  declare readonly stream: StoredStream;
  readonly rows: Pages<Row>["rows"];
  readonly events: Pages<Row>["events"];
  readonly heads: Pages<Row>["heads"];
  readonly #show: () => StoredStream;
  #shown: StoredStream | undefined;

  constructor(show: () => StoredStream, { rows, events, heads }: Pages<Row>) {
    this.rows = rows;
    this.events = events;
    this.heads = heads;
    this.#show = show;
    // A property of the part itself, so that a copy of the part has it too.
    Object.defineProperty(this, "stream", LazyPart.#stream);
  }

  static readonly #stream = {
    enumerable: true,
    get(this: LazyPart<unknown>): StoredStream {
      this.#shown ??= this.#show();
      return this.#shown;
    },
  };
}
