import { hash, timingSafeEqual } from "node:crypto";
import type { Scope } from "../contract/vocabulary.ts";
import { isSystemHead } from "../core/known-events.ts";
import type { StreamStore } from "../store/stream-store.ts";

/** Who was let in. */
export interface Admission {
  readonly token_id: string;
  readonly name: string;
  readonly owner: string;
  readonly scope: Scope;
}

const TOKEN =
  /^belay_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

export function writeToken(id: string, secret: string): string {
  return `belay_${id.replaceAll("-", "")}_${secret}`;
}

/** What is stored of a secret. It has 256 random bits, so that nothing is gained by hashing it slowly. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

/** Null for a token that there is not, or that is revoked. Asked of the store each time: a revoked one is out at once. */
export async function admit(store: StreamStore, token: string): Promise<Admission | null> {
  const parts = TOKEN.exec(token);
  const secret = parts?.pop();
  if (!parts || secret === undefined) return null;
  const state = await find(store, parts.slice(1).join("-"));
  if (!state || !isSame(state.digest, digestOf(secret))) return null;
  const { token_id, name, owner, scope } = state;
  return { token_id, name, owner, scope };
}

/** The same for a server: requests that came in together share one look at the store, and the next look again. */
export function admitTogether(store: StreamStore): (token: string) => Promise<Admission | null> {
  const asked = new Map<string, Promise<Admission | null>>();
  return (token) => {
    const known = asked.get(token);
    if (known) return known;
    if (asked.size === 0) setImmediate(() => asked.clear());
    const looking = admit(store, token);
    asked.set(token, looking);
    return looking;
  };
}

/** Whether someone who was let in may stay. */
export async function isAdmitted(store: StreamStore, { token_id }: Admission): Promise<boolean> {
  return (await find(store, token_id)) !== null;
}

async function find(
  store: StreamStore,
  id: string,
): Promise<(Admission & { readonly digest: string }) | null> {
  const stream = await store.load({ id });
  const token = isSystemHead(stream?.head) ? stream.head.token : undefined;
  if (!stream || !token || token.revoked_at !== null) return null;
  const { name, scope, digest } = token;
  return { token_id: id, name, owner: stream.owner, scope, digest };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
