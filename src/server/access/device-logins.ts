import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import { digestOf, isDigestOf } from "../../service/access/secret-digest.ts";
import type { ExpiringValues } from "../../store/expiring-values.ts";

const KIND = "device login";
const VALID_MS = 10 * 60_000;
/** Letters that are not confused with others, and that spell no words. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

const PendingDevice = z.object({
  /** The digest of the secret that only the program has. */
  digest: z.string(),
  /** The owner as whom it is let in; null before a person approves it. */
  owner: z.string().nullable(),
  /** The program that asks; null if the login was started by an older version. */
  asker: z
    .object({ name: z.string().nullable(), address: z.string(), started_at: z.string() })
    .nullable()
    .default(null),
});

/** The facts about a program that a person sees before they approve its login. */
export interface DeviceAsker {
  /** The name that the program gives itself. It is not checked. */
  readonly name: string | null;
  /** The network address that the server saw. */
  readonly address: string;
  readonly started_at: string;
}

/**
 * Logs in programs that have no browser: a program shows a code, a person who is logged in approves it, and the program
 * fetches its token. A login works once, on every node.
 */
export class DeviceLogins {
  readonly #values: ExpiringValues;

  constructor(values: ExpiringValues) {
    this.#values = values;
  }

  async start(
    asker: DeviceAsker,
  ): Promise<{ readonly device_code: string; readonly user_code: string }> {
    const secret = randomBytes(32).toString("base64url");
    const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]);
    const user_code = `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
    const pending = { digest: digestOf(secret), owner: null, asker };
    await this.#values.add(KIND, digestOf(user_code), JSON.stringify(pending), VALID_MS);
    return { device_code: `${user_code}.${secret}`, user_code };
  }

  /** The program that waits with this code; null if there is none. */
  async find(user_code: string): Promise<DeviceAsker | null> {
    const found = await this.#values.read(KIND, digestOf(user_code));
    const pending = found === null ? null : PendingDevice.parse(JSON.parse(found));
    return pending?.owner === null ? pending.asker : null;
  }

  /** False if no program waits with this code. */
  async approve(user_code: string, owner: string): Promise<boolean> {
    const key = digestOf(user_code);
    const found = await this.#values.read(KIND, key);
    const pending = found === null ? null : PendingDevice.parse(JSON.parse(found));
    if (found === null || pending?.owner !== null) return false;
    return this.#values.replace(KIND, key, found, JSON.stringify({ ...pending, owner }));
  }

  /** The owner once a person has approved it, which works once; "pending" before that, null if the code is not valid. */
  async take(device_code: string): Promise<{ readonly owner: string } | "pending" | null> {
    const [user_code = "", secret = ""] = device_code.split(".");
    const key = digestOf(user_code);
    const found = await this.#values.read(KIND, key);
    const pending = found === null ? null : PendingDevice.parse(JSON.parse(found));
    if (!pending || !isDigestOf(pending.digest, secret)) return null;
    const { owner } = pending;
    if (owner === null) return "pending";
    return (await this.#values.take(KIND, key)) === null ? null : { owner };
  }
}
