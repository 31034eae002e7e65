import type { Delta } from "../../../../src/contract/run-event.ts";
import type { EventOf } from "./entry.ts";
import { addPiece, cutPieces, endOfPieces, type Piece } from "./pieces.ts";
import type { Rows } from "./rows.ts";

/** A piece of live text, as a stream sends it. */
export type LivePiece = Omit<Delta, "after">;

interface TextFacts {
  readonly turn_id: string;
  readonly item: number;
  readonly kind: "message" | "thought";
  readonly pieces: readonly Piece[];
  /** The offset up to which it is stored. */
  readonly stored: number;
  readonly seq: number | null;
  readonly at: number | null;
}

/** The texts and thoughts of agents, from stored parts and from live pieces. */
export class Texts {
  readonly #rows: Rows;
  readonly #facts = new Map<string, TextFacts>();
  /** The keys of texts that are not fully stored, by turn. */
  readonly #unstored = new Map<string, Set<string>>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The end of the live text of a turn, if it is beyond the log. */
  livePlace(turn_id: string): { turn_id: string; item: number; offset: number } | null {
    const key = [...(this.#unstored.get(turn_id) ?? [])].at(-1);
    const text = key === undefined ? undefined : this.#facts.get(key);
    return text ? { turn_id, item: text.item, offset: endOfPieces(text.pieces) } : null;
  }

  addLive({ turn_id, item, kind, offset, text }: LivePiece, newest: number): void {
    const key = textKey(turn_id, item);
    const known = this.#facts.get(key);
    // A piece that leaves a gap comes later with the log.
    if (offset > endOfPieces(known?.pieces ?? [])) return;
    const begun = known ?? { turn_id, item, kind, pieces: [], stored: 0, seq: null, at: null };
    const pieces = addPiece(begun.pieces, { offset, text });
    if (pieces === begun.pieces) return;
    const unstored = this.#unstored.get(turn_id) ?? new Set();
    this.#unstored.set(turn_id, unstored.add(key));
    this.#put(key, { ...begun, pieces }, newest);
  }

  /** Returns the key of its row. */
  addPart({ seq, at, data }: EventOf<"turn.part">, kind: "message" | "thought"): string {
    const { turn_id, item, offset, text } = data;
    const key = textKey(turn_id, item);
    const known = this.#facts.get(key);
    const isFirst = seq < (known?.seq ?? Number.POSITIVE_INFINITY);
    const facts = {
      turn_id,
      item,
      kind,
      pieces: addPiece(known?.pieces ?? [], { offset, text }),
      stored: Math.max(known?.stored ?? 0, offset + text.length),
      seq: isFirst ? seq : (known?.seq ?? seq),
      at: isFirst ? at : (known?.at ?? at),
    };
    if (facts.stored >= endOfPieces(facts.pieces)) this.#unstored.get(turn_id)?.delete(key);
    this.#put(key, facts, seq);
    return key;
  }

  /** Unstored text of a process that died is not part of the conversation, because nobody else has seen it. */
  end(turn_id: string): void {
    for (const key of this.#unstored.get(turn_id) ?? []) {
      const facts = this.#facts.get(key);
      if (!facts) continue;
      if (facts.stored === 0) {
        this.#facts.delete(key);
        this.#rows.remove(key);
      } else this.#put(key, { ...facts, pieces: cutPieces(facts.pieces, facts.stored) }, 0);
    }
    this.#unstored.delete(turn_id);
  }

  #put(key: string, facts: TextFacts, newest: number): void {
    const { turn_id, kind, pieces, seq, at } = facts;
    this.#facts.set(key, facts);
    // A text without any stored part comes after all stored rows.
    const place = seq ?? this.#rows.get(key)?.place ?? newest + 0.5;
    const text = pieces.map((piece) => piece.text).join(" … ");
    const isCut = (pieces[0]?.offset ?? 0) > 0;
    this.#rows.put(key, place, { kind, seq, turn_id, at, text, isCut });
  }
}

export function textKey(turn_id: string, item: number): string {
  return `text ${turn_id} ${item}`;
}
