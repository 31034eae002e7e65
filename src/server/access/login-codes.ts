import { randomBytes } from "node:crypto";
import { digestOf } from "../../service/access/secret-digest.ts";
import type { ExpiringValues } from "../../store/expiring-values.ts";

const KIND = "login code";
const VALID_MS = 10 * 60_000;

/** Login codes for browsers, each for one owner. A code works once, for a short time, on every node. */
export class LoginCodes {
  readonly #values: ExpiringValues;

  constructor(values: ExpiringValues) {
    this.#values = values;
  }

  async issue(owner: string): Promise<string> {
    const code = randomBytes(16).toString("base64url");
    await this.#values.add(KIND, digestOf(code), owner, VALID_MS);
    return code;
  }

  /** The owner of the code; null if it is unknown or expired. */
  redeem(code: string): Promise<string | null> {
    return this.#values.take(KIND, digestOf(code));
  }
}
