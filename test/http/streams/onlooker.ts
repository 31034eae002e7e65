import { EventReader, type SseEvent } from "./event-reader.ts";
import { recordOf } from "./live-server.ts";

interface Piece {
  readonly turn_id: string;
  readonly item: number;
  readonly kind: string;
  readonly offset: number;
  readonly text: string;
}

/**
 * A client of a session's stream, written by the API's description. It reconnects where it was whenever it is cut off,
 * and records everything unexpected.
 */
export class Onlooker {
  readonly seqs: number[] = [];
  /** By turn and item. */
  readonly texts = new Map<string, string>();
  readonly wrong: string[] = [];
  deltas = 0;
  cuts = 0;
  reader: EventReader | null = null;
  /** Called for everything received. */
  onTaken = (): void => {};
  #newest: { readonly turn_id: string; readonly item: number } | null = null;
  #lastId: string | null = null;
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  get last(): number {
    return this.seqs.at(-1) ?? 0;
  }

  /** Connects or reconnects; the known part of the newest item is not sent again. */
  connect(): EventReader {
    const { turn_id, item } = this.#newest ?? {};
    const have = this.texts.get(`${turn_id}/${item}`)?.length ?? 0;
    const query = turn_id === undefined ? "" : `?delta=${turn_id}:${item}:${have}`;
    const reader = new EventReader(`${this.#url}${query}`, {
      token: this.#token,
      headers: this.#lastId === null ? {} : { "last-event-id": this.#lastId },
      onEvent: (event) => {
        // Data on its way when it was cut off is lost to it.
        if (this.reader !== reader) return;
        this.#take(event);
        this.onTaken();
      },
    });
    this.reader = reader;
    return reader;
  }

  cut(): void {
    this.cuts += 1;
    this.reader?.cut();
    this.reader = null;
  }

  #take({ id, event, data }: SseEvent): void {
    if (event === "delta") {
      if (id !== null) this.wrong.push("a delta has an id");
      this.deltas += 1;
      this.#join(pieceOf(data), true);
      return;
    }
    const seq = Number.parseInt(id ?? "", 10);
    if (seq !== this.last + 1) this.wrong.push(`${seq} comes after ${this.last}`);
    if (recordOf(data).seq !== seq || recordOf(data).type !== event) {
      this.wrong.push(`${id} ${event} is not ${JSON.stringify(data)}`);
    }
    this.#lastId = id;
    this.seqs.push(seq);
    if (event !== "turn.part") return;
    const part = pieceOf(recordOf(data).data);
    if (part.kind === "message" || part.kind === "thought") this.#join(part, false);
  }

  #join({ turn_id, item, offset, text }: Piece, live: boolean): void {
    const key = `${turn_id}/${item}`;
    const have = this.texts.get(key) ?? "";
    if (live && offset !== have.length) {
      this.wrong.push(`a delta at ${offset} of ${key}, where ${have.length} are known`);
    }
    if (offset > have.length) {
      if (!live) this.wrong.push(`a part at ${offset} of ${key}, where ${have.length} are known`);
      return;
    }
    const known = have.slice(offset, offset + text.length);
    if (!text.startsWith(known)) this.wrong.push(`${key} is told differently at ${offset}`);
    this.texts.set(key, have + text.slice(have.length - offset));
    this.#newest = { turn_id, item };
  }
}

function pieceOf(data: unknown): Piece {
  const { turn_id, item, kind, offset, text } = recordOf(data);
  return {
    turn_id: String(turn_id),
    item: Number(item),
    kind: String(kind),
    offset: Number(offset),
    text: String(text),
  };
}
