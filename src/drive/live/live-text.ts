import type { Delta } from "../../contract/run-event.ts";
import type { NodeMessages } from "../../store/node-messages.ts";
import { LiveRelay, type ReadTurn } from "./live-relay.ts";

/**
 * Text of agents that is not stored yet: of agents of this process and, if nodes send each other messages, of other
 * nodes. A new listener first gets the text on its way to the log, so that stored parts and deltas together have no gap.
 */
export class LiveText {
  readonly #streams = new Map<string, Stream>();
  #relay: LiveRelay | null = null;

  /** Exchanges live text with other nodes from now on. */
  connect(messages: NodeMessages, readTurn: ReadTurn): void {
    const unstored = (id: string) => this.#streams.get(id)?.unstored ?? null;
    this.#relay = new LiveRelay(messages, readTurn, unstored);
  }

  /** Handles one item at a time: the next starts after the previous one is stored. */
  publish(id: string, delta: Delta): void {
    const stream = this.#of(id);
    const { unstored } = stream;
    stream.unstored =
      unstored && unstored.turn_id === delta.turn_id && unstored.item === delta.item
        ? { ...unstored, text: unstored.text + delta.text }
        : delta;
    for (const listener of stream.listeners) listener(delta);
    this.#relay?.send(id, delta);
  }

  /** The item is in the log up to this offset, and the log up to this seq. */
  stored(id: string, item: number, upTo: number, seq: number): void {
    const stream = this.#streams.get(id);
    const unstored = stream?.unstored;
    if (!stream || !unstored || unstored.item !== item) return;
    const text = unstored.text.slice(Math.max(0, upTo - unstored.offset));
    stream.unstored = text === "" ? null : { ...unstored, offset: upTo, text, after: seq };
    this.#forget(id, stream);
  }

  listen(id: string, listener: (delta: Delta) => void): () => void {
    const stream = this.#of(id);
    stream.listeners.add(listener);
    if (stream.unstored) listener(stream.unstored);
    const stopReceiving = this.#relay?.listen(id, listener);
    return () => {
      stopReceiving?.();
      stream.listeners.delete(listener);
      this.#forget(id, stream);
    };
  }

  #of(id: string): Stream {
    const known = this.#streams.get(id);
    if (known) return known;
    const stream: Stream = { unstored: null, listeners: new Set() };
    this.#streams.set(id, stream);
    return stream;
  }

  #forget(id: string, stream: Stream): void {
    if (stream.unstored === null && stream.listeners.size === 0) this.#streams.delete(id);
  }
}

interface Stream {
  unstored: Delta | null;
  readonly listeners: Set<(delta: Delta) => void>;
}
