import { randomBytes } from "node:crypto";

const VALID_MS = 10 * 60_000;
/** Nobody opens that many at once; the oldest make room, so that asking again and again fills no memory. */
const MOST = 1000;

/** Codes by which a person's browser is let in, as one owner: each works once, and not for long. */
export class LoginCodes {
  readonly #known = new Map<string, { readonly owner: string; readonly until: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(owner: string): string {
    const code = randomBytes(16).toString("base64url");
    this.#known.set(code, { owner, until: this.#now() + VALID_MS });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    return code;
  }

  /** The owner whom the code lets in as; null for one that is not known, or no longer. */
  redeem(code: string): string | null {
    const known = this.#known.get(code);
    this.#known.delete(code);
    return known && this.#now() < known.until ? known.owner : null;
  }
}
