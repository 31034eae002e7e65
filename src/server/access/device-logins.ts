import { randomBytes, randomInt } from "node:crypto";
import { digestOf } from "../../service/access/secret-digest.ts";

const VALID_MS = 10 * 60_000;
/** The most logins under way. The oldest make room for new ones. */
const MOST = 1000;
/** Letters that are not confused with others, and that spell no words. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

interface PendingDevice {
  readonly user_code: string;
  readonly until: number;
  /** The owner as whom it is let in; null before a person approves it. */
  owner: string | null;
}

/**
 * Logs in programs that have no browser: a program shows a code, a person who is logged in approves it, and the program
 * fetches its token. Pending logins are kept in memory and work once.
 */
export class DeviceLogins {
  readonly #pending = new Map<string, PendingDevice>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  start(): { readonly device_code: string; readonly user_code: string } {
    const device_code = randomBytes(32).toString("base64url");
    const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]);
    const user_code = `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
    const pending = { user_code, until: this.#now() + VALID_MS, owner: null };
    this.#pending.set(digestOf(device_code), pending);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MOST && oldest !== undefined) this.#pending.delete(oldest);
    return { device_code, user_code };
  }

  /** False if no program waits with this code. */
  approve(user_code: string, owner: string): boolean {
    const pending = [...this.#pending.values()].find((each) => each.user_code === user_code);
    if (!pending || pending.owner !== null || this.#now() >= pending.until) return false;
    pending.owner = owner;
    return true;
  }

  /** The owner once a person has approved it, which works once; "pending" before that, null if the code is not valid. */
  take(device_code: string): { readonly owner: string } | "pending" | null {
    const key = digestOf(device_code);
    const pending = this.#pending.get(key);
    if (!pending || this.#now() >= pending.until) return null;
    if (pending.owner === null) return "pending";
    this.#pending.delete(key);
    return { owner: pending.owner };
  }
}
