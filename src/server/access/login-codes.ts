import { randomBytes } from "node:crypto";

const VALID_MS = 10 * 60_000;
/** More than anyone needs at once. The oldest codes are dropped, so that repeated requests cannot fill the memory. */
const MOST = 1000;

/** Login codes for browsers, each for one owner. A code works once, for a short time. */
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

  /** The owner of the code; null if it is unknown or expired. */
  redeem(code: string): string | null {
    const known = this.#known.get(code);
    this.#known.delete(code);
    return known && this.#now() < known.until ? known.owner : null;
  }
}
