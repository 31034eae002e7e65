import { LateContent, toContent } from "../content.ts";
import type { DataKey } from "./key-ring.ts";
import { type HeadPlace, sealHead } from "./seal-parts.ts";

/** A head before it is written. Its value cannot be changed. */
export class SealedHead extends LateContent {
  readonly key: DataKey;
  readonly place: HeadPlace;
  readonly value: unknown;
  readonly #onSealed: (stored: Uint8Array) => void;
  #bytes: Uint8Array | undefined;

  constructor(
    key: DataKey,
    place: HeadPlace,
    value: unknown,
    onSealed: (stored: Uint8Array) => void,
  ) {
    super();
    this.key = key;
    this.place = place;
    this.value = value;
    this.#onSealed = onSealed;
  }

  get bytes(): Uint8Array {
    if (!this.#bytes) {
      this.#bytes = sealHead(this.key, this.place, toContent(this.value));
      this.#onSealed(this.#bytes);
    }
    return this.#bytes;
  }
}
