import { hash } from "node:crypto";
import type { TokenRefusal } from "../../contract/vocabulary.ts";
import { recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { explainRefusal } from "./tokens.ts";

type LogContext = Pick<ServiceContext, "store" | "now" | "newId">;

const HOUR_MS = 3_600_000;
/** The most entries in one hour. Strangers cannot use up the entries of those who hold a real token. */
const MOST = { strangers: 20, holders: 100 } as const;
/** The most tokens and addresses that are distinguished in one hour; later ones get no entry of their own. */
const MOST_KNOWN = 2000;
/** Longer than any address of a client. */
const MAX_FROM = 64;

/** A request that was refused because its token is missing or not valid. */
export interface RefusedRequest {
  /** Null if there was none. */
  readonly token: string | null;
  /** The address of the client. */
  readonly from: string;
  /** The method and the route, without the values in its path. */
  readonly operation: string;
}

/**
 * Records refusals of requests without a valid token: one entry per reason, hour, and token or address. The number of
 * entries in an hour is limited, so that nobody can fill the disk without a token. The secret of a token is never recorded.
 */
export class RefusedTokens {
  readonly #context: LogContext;
  readonly #self: Caller;
  #hour = 0;
  readonly #seen = new Set<string>();
  readonly #told = new Set<string>();
  readonly #left = { strangers: 0, holders: 0 };

  /** Entries about unknown tokens belong to the owner of `self`. */
  constructor(context: LogContext, self: Caller) {
    this.#context = context;
    this.#self = self;
  }

  async record({ token, from, operation }: RefusedRequest): Promise<void> {
    this.#startHour();
    const mark = token === null ? "" : hash("sha256", token, "base64url");
    const seen = `${mark} ${from}`;
    if (this.#seen.has(seen) || this.#seen.size >= MOST_KNOWN) return;
    this.#seen.add(seen);
    const found = await explainRefusal(this.#context.store, token, this.#context.now());
    const address = from.slice(0, MAX_FROM);
    const about = { reason: found.reason, from: address, ...markOf(found, token) };
    const owner = found.owner ?? this.#self.owner;
    await this.#record(
      found.owner === undefined ? "strangers" : "holders",
      owner,
      about,
      operation,
    );
  }

  async #record(
    who: keyof typeof MOST,
    owner: string,
    about: RefusedAbout,
    operation: string,
  ): Promise<void> {
    const key = JSON.stringify([about.reason, about.token ?? about.from, this.#hour]);
    if (this.#told.has(key) || this.#left[who] <= 0) return;
    this.#told.add(key);
    this.#left[who] -= 1;
    // The last entry of an hour says that there were more.
    const isLast = this.#left[who] === 0;
    const said = isLast ? ({ reason: "more", from: about.from } as const) : about;
    const data = { entity_id: null, by: owner, operation, ...said };
    const actor = who === "strangers" ? `address:${about.from}` : `token:${about.token}`;
    const caller = { ...this.#self, owner, actor };
    await recordSystemFact(this.#context, caller, { type: "access.refused", data }, key);
  }

  #startHour(): void {
    const hour = Math.floor(this.#context.now() / HOUR_MS);
    if (hour === this.#hour) return;
    this.#hour = hour;
    this.#seen.clear();
    this.#told.clear();
    Object.assign(this.#left, MOST);
  }
}

interface RefusedAbout {
  readonly reason: TokenRefusal;
  readonly from: string;
  readonly token?: string;
}

/** The id of a known token, or the start of the digest of an unknown one. Other texts may be passwords and leave no mark. */
function markOf(
  { token_id, isToken }: Awaited<ReturnType<typeof explainRefusal>>,
  token: string | null,
): { readonly token?: string } {
  if (token_id !== undefined) return { token: token_id };
  return isToken && token !== null ? { token: hash("sha256", token, "hex").slice(0, 8) } : {};
}
