import { randomBytes } from "node:crypto";

const VALID_MS = 10 * 60_000;

/** Codes by which a person's browser is let in: each works once, and not for long. */
export class LoginCodes {
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(): string {
    const code = randomBytes(16).toString("base64url");
    this.#until.set(code, this.#now() + VALID_MS);
    return code;
  }

  redeem(code: string): boolean {
    const until = this.#until.get(code);
    this.#until.delete(code);
    return until !== undefined && this.#now() < until;
  }
}
