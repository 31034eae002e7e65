import { type Content, LateContent, toContent } from "../../content.ts";
import { freezeJson, freezeParsed } from "../../freeze-json.ts";
import { parseKept } from "./columns.ts";

/** A head in stored form and as a value. Each form is made from the other on first use. */
export class KeptHead {
  readonly #stream: string;
  #content: Content | undefined;
  #shown: { readonly value: unknown } | undefined;
  #late: LateContent | undefined;

  private constructor(stream: string, content: Content | undefined) {
    this.#stream = stream;
    this.#content = content;
  }

  /** Wraps a head from the database. */
  static stored(content: Content, stream: string): KeptHead {
    return new KeptHead(stream, content);
  }

  /** Wraps a head that a decision returned, based on the head it was given. */
  static decided(value: unknown, stream: string, before: KeptHead): KeptHead {
    if (value instanceof Uint8Array) return new KeptHead(stream, toContent(value));
    const head = new KeptHead(stream, undefined);
    if (value instanceof LateContent) {
      head.#late = value;
      return head;
    }
    head.#shown = { value: freezeJson(value, before.#shown?.value) };
    return head;
  }

  get content(): Content {
    this.#content ??= toContent(this.#late ?? this.#shown?.value);
    return this.#content;
  }

  /** The value is frozen. Bytes are copied each time. */
  get value(): unknown {
    if (this.#late) return this.#late;
    if (this.#shown) return this.#shown.value;
    const value = parseKept(this.content, this.#stream, "head");
    if (value instanceof Uint8Array) return value;
    this.#shown = { value: freezeParsed(value) };
    return this.#shown.value;
  }
}
