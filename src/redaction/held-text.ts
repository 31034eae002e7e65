import { findSecrets } from "./find-secrets.ts";
import { createRedactor } from "./redactor.ts";
import { finish } from "./steps.ts";

/** At least this many characters are held back; most secrets are shorter. */
const HELD = 4000;
/** Text without a place to cut is passed on at this length. */
const MOST_HELD = 256 * 1024;

/** A text that arrives in pieces, and is passed on without its secrets. A secret may be split over several pieces. */
export class HeldText {
  readonly #known: readonly string[];
  /** Characters that are held back, because a secret may continue in the next piece. */
  readonly #back: number;
  #held = "";
  #enough: number;

  constructor(known: readonly string[]) {
    this.#known = known;
    this.#back = Math.max(HELD, ...known.map(({ length }) => length));
    this.#enough = 2 * this.#back;
  }

  /** The text that can be passed on now; often none. */
  add(text: string): string {
    this.#held += text;
    if (this.#held.length < this.#enough) return "";
    const at = this.#findCut();
    this.#enough = at > 0 ? 2 * this.#back : this.#held.length + this.#back;
    return this.#release(at);
  }

  /** The rest, at the end of the text. */
  end(): string {
    this.#enough = 2 * this.#back;
    return this.#release(this.#held.length);
  }

  /** The end of a line outside of every secret: most rules look at one line. 0 if there is none. */
  #findCut(): number {
    if (this.#held.length > MOST_HELD) return this.#held.length - this.#back;
    const secrets = finish(findSecrets(this.#held, this.#known));
    for (let at = this.#held.length - this.#back; at > 0; at -= 1) {
      at = this.#held.lastIndexOf("\n", at - 1) + 1;
      if (!secrets.some(({ start, end }) => start < at && at < end)) return at;
    }
    return 0;
  }

  #release(at: number): string {
    const pieces = [this.#held.slice(0, at), this.#held.slice(at)];
    const redactor = createRedactor(this.#known);
    const [shown = ""] = redactor.pieces(pieces.map((text) => ({ text, path: null })));
    this.#held = pieces[1] ?? "";
    return shown;
  }
}
