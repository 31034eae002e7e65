import { closeSync } from "node:fs";
import { bytesIn, type Content } from "../../content.ts";
import { NO_HASH } from "../../log/hash-event.ts";
import { boundsOf } from "../../page-rules.ts";
import type { KeptPatch } from "../../scan/read-rows.ts";
import { showContent } from "../../scan/show-content.ts";
import type { EventRange, StoredEvent } from "../../stream-store.ts";
import { type EventLine, readEventLine } from "../disk/event-line.ts";
import { damaged } from "../disk/files-error.ts";
import type { StreamFolder } from "../disk/files-folder.ts";
import { linesIn, openCommitted, readFrom, readRange } from "../disk/line-file.ts";
import { type InheritedHead, readState } from "../disk/state-line.ts";
import type { IndexedStream } from "./stream-index.ts";

/** The places of a stream's events, its index rows and its stored heads. Bodies stay in the file. */
export class LoadedStream {
  readonly #id: string;
  readonly #folder: StreamFolder;
  /** The position at which each event's line starts; the last one is the end of the log. */
  readonly #places: number[] = [0];
  /** The hash before each event; the last is that of the last event. */
  readonly #hashes: string[] = [NO_HASH];
  readonly #writers: string[] = [];
  readonly patches: KeptPatch[] = [];
  /** Those of the patches that no event opens. */
  readonly stated: KeptPatch[] = [];
  readonly heads: InheritedHead[] = [];
  #state = 0;

  constructor(id: string, folder: StreamFolder) {
    this.#id = id;
    this.#folder = folder;
  }

  get seq(): number {
    return this.#writers.length;
  }

  /** The position at which the line of the event after `seq` starts. */
  placeAfter(seq: number): number {
    return this.#places[seq] ?? 0;
  }

  hashOf(seq: number): string {
    return this.#hashes[seq] ?? NO_HASH;
  }

  /** Reads and checks what was committed since the last call. */
  extend({ log, state, seq, hash }: IndexedStream): void {
    const start = this.#places.at(-1) ?? 0;
    if (log > start) {
      for (const text of linesIn(readRange(this.#folder.log, start, log, this.#id))) {
        const line = readEventLine(text, this.#hashes.at(-1) ?? NO_HASH, this.#id);
        this.#addEvent(line, Buffer.byteLength(text) + 1);
      }
    }
    if (this.seq !== seq || this.#hashes.at(-1) !== hash || this.#places.at(-1) !== log) {
      throw damaged(this.#id, `its log does not end at event ${seq} as it was committed`);
    }
    if (state === this.#state) return;
    const lines = linesIn(readRange(this.#folder.state, this.#state, state, this.#id));
    if (this.#state === 0) lines.shift();
    for (const text of lines) this.#addState(text);
    this.#state = state;
  }

  #addEvent({ meta, body, hash, writer }: EventLine, bytes: number): void {
    const { seq, opens, row_key } = meta;
    if (seq !== this.seq + 1) throw damaged(this.#id, `event ${this.seq + 1} is missing`);
    this.#places.push(this.placeAfter(seq - 1) + bytes);
    this.#hashes.push(hash);
    this.#writers.push(writer);
    if (opens === null) return;
    this.patches.push({ kind: opens, place: seq, nth: 0, seq, key: row_key, data: body, writer });
  }

  readEvents(range: EventRange): StoredEvent[] {
    const { bytes = Number.POSITIVE_INFINITY } = range;
    const [from, to] = boundsOf(range, this.seq);
    if (from > to) return [];
    const isBackwards = "before" in range;
    const file = openCommitted(this.#folder.log, this.#id);
    try {
      const events: StoredEvent[] = [];
      let size = 0;
      for (let n = 0; n <= to - from; n += 1) {
        const line = this.#readLine(file, isBackwards ? to - n : from + n);
        size += bytesIn(line.body);
        if (size > bytes && events.length > 0) break;
        events.push(showEvent(line));
      }
      return isBackwards ? events.reverse() : events;
    } finally {
      closeSync(file);
    }
  }

  #readLine(file: number, seq: number): EventLine {
    const [from, to] = [this.placeAfter(seq - 1), this.placeAfter(seq)];
    const text = readFrom(file, this.#folder.log, from, to, this.#id).toString(
      "utf8",
      0,
      to - from - 1,
    );
    return readEventLine(text, this.hashOf(seq - 1), this.#id);
  }

  #addState(text: string): void {
    const line = readState(text, this.#id);
    if ("heads" in line) {
      for (const row of line.rows) this.#addPatch(row);
      this.heads.push(...line.heads);
      return;
    }
    const { seq, rows, head, due } = line;
    for (const row of rows) this.#addPatch({ ...row, writer: this.#id });
    if (due) this.heads.push({ seq, writer: this.#id, head });
  }

  #addPatch(patch: KeptPatch): void {
    this.patches.push(patch);
    this.stated.push(patch);
  }
}

export function showEvent({ meta, body, hash, writer }: EventLine): StoredEvent {
  const { seq, type, at, actor, trace_id } = meta;
  const data = showContent(body);
  return { seq, type, at, actor, interface: meta.interface, trace_id, data, hash, writer };
}

/** The head that the last append left. */
export function readHead({ state }: StreamFolder, stream: IndexedStream): Content {
  const text = readRange(state, stream.last, stream.state, stream.id);
  const line = readState(text.toString("utf8", 0, text.length - 1), stream.id);
  if ("head" in line) return line.head;
  throw damaged(stream.id, "its head is missing");
}
