import { type Content, toContent } from "../../content.ts";
import { freezeJson, freezeParsed } from "../../freeze-json.ts";
import { parseContent } from "./columns.ts";

/** A head as it is kept and as decisions see it: each is made of the other when it is first asked for. */
export class KeptHead {
  readonly #stream: string;
  #content: Content | undefined;
  #shown: { readonly value: unknown } | undefined;

  private constructor(stream: string, content: Content | undefined) {
    this.#stream = stream;
    this.#content = content;
  }

  /** As the database has it. */
  static stored(content: Content, stream: string): KeptHead {
    return new KeptHead(stream, content);
  }

  /** As a decision has returned it, made of the head that it was shown. */
  static decided(value: unknown, stream: string, before: KeptHead): KeptHead {
    if (value instanceof Uint8Array) return new KeptHead(stream, toContent(value));
    const head = new KeptHead(stream, undefined);
    head.#shown = { value: freezeJson(value, before.#shown?.value) };
    return head;
  }

  get content(): Content {
    this.#content ??= toContent(this.#shown?.value);
    return this.#content;
  }

  /** Nobody can alter it. Bytes are a copy each time. */
  get value(): unknown {
    if (this.#shown) return this.#shown.value;
    const value = parseContent(this.content, this.#stream, "head");
    if (value instanceof Uint8Array) return value;
    this.#shown = { value: freezeParsed(value) };
    return this.#shown.value;
  }
}
