import type { TokenState } from "../../contract/head.ts";
import type { Scope, ServerRole, TokenRefusal } from "../../contract/vocabulary.ts";
import { hasLostRights, scopeOf } from "../../core/people.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { expiryOf } from "../../core/system.ts";
import { isDigestOf } from "../../service/access/secret-digest.ts";
import { findPerson } from "../../service/read/find-person.ts";
import { recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/** The identity of an authenticated caller. */
export interface Admission {
  readonly token_id: string;
  readonly name: string;
  readonly owner: string;
  readonly scope: Scope;
  /** The role of the owner's person; absent if there is no person on record. */
  readonly role?: ServerRole;
  /** True for the login of a browser, which a person uses and no program. */
  readonly browser?: true;
}

const TOKEN =
  /^belay_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

export function writeToken(id: string, secret: string): string {
  return `belay_${id.replaceAll("-", "")}_${secret}`;
}

/**
 * Null for an unknown, revoked or expired token. The store is read each time, so a revoked token stops working at once.
 */
export async function admit(
  store: StreamStore,
  token: string,
  now = Date.now(),
  onUsed: (admission: Admission) => void = () => {},
): Promise<Admission | null> {
  const parts = TOKEN.exec(token);
  const secret = parts?.pop();
  if (!parts || secret === undefined) return null;
  const found = await find(store, parts.slice(1).join("-"), now);
  if (!found || !isDigestOf(found.state.digest, secret)) return null;
  const { admission, state } = found;
  if (now - (state.renewed_at ?? 0) > RENEW_MS) onUsed(admission);
  return admission;
}

/** The reason why a token is refused, and whose it is if its secret is right. */
export async function explainRefusal(
  store: StreamStore,
  token: string | null,
  now: number,
): Promise<{
  readonly reason: TokenRefusal;
  /** False if the text does not have the form of a token. */
  readonly isToken: boolean;
  readonly token_id?: string;
  readonly owner?: string;
}> {
  const parts = TOKEN.exec(token ?? "");
  const secret = parts?.pop();
  const reason = token === null ? "no_token" : "unknown_token";
  if (!parts || secret === undefined) return { reason, isToken: false };
  const token_id = parts.slice(1).join("-");
  const stream = await loadStream(store, { id: token_id });
  const state = isSystemHead(stream?.head) ? stream.head.token : undefined;
  if (!stream || !state || !isDigestOf(state.digest, secret)) return { reason, isToken: true };
  const isExpired = now >= (expiryOf(state) ?? Number.POSITIVE_INFINITY);
  const why =
    state.revoked_at !== null ? "revoked_token" : isExpired ? "expired_token" : "disabled_person";
  return { reason: why, isToken: true, token_id, owner: stream.owner };
}

/** A token's use is recorded at most once in this time. */
const RENEW_MS = 3_600_000;

/** Records the use of a token: its time is shown, and an idle limit restarts. */
export async function renewToken(
  context: ServiceContext,
  caller: Caller,
  { owner, token_id }: Admission,
): Promise<void> {
  const fact = { type: "token.renewed", data: { token_id } } as const;
  const hour = Math.floor(context.now() / RENEW_MS);
  await recordSystemFact(context, { ...caller, owner }, fact, `renewed-${token_id}-${hour}`);
}

/** The same for a server: requests that arrive together share one answer. */
export function admitTogether(
  letIn: (token: string) => Promise<Admission | null>,
): (token: string) => Promise<Admission | null> {
  const asked = new Map<string, Promise<Admission | null>>();
  return (token) => {
    const known = asked.get(token);
    if (known) return known;
    if (asked.size === 0) setImmediate(() => asked.clear());
    const looking = letIn(token);
    asked.set(token, looking);
    return looking;
  };
}

/** The user who runs a server has access to its data folder, so they are its admin before anyone is on record. */
export function asServerUser(
  owner: string,
  letIn: (token: string) => Promise<Admission | null>,
): (token: string) => Promise<Admission | null> {
  return async (token) => {
    const admission = await letIn(token);
    const isUser = admission?.owner === owner && admission.role === undefined;
    return isUser ? { ...admission, role: "admin" } : admission;
  };
}

/** True if an admitted caller is still admitted, with at least the rights that they were admitted with. */
export async function isAdmitted(
  store: Pick<StreamStore, "read">,
  admission: Admission,
): Promise<boolean> {
  const found = await find(store, admission.token_id, Date.now());
  return found !== null && !hasLostRights(admission, found.admission);
}

async function find(
  store: Pick<StreamStore, "read">,
  id: string,
  now: number,
): Promise<{ readonly admission: Admission; readonly state: TokenState } | null> {
  const stream = await loadStream(store, { id });
  const state = isSystemHead(stream?.head) ? stream.head.token : undefined;
  if (!stream || !state || state.revoked_at !== null) return null;
  if (now >= (expiryOf(state) ?? Number.POSITIVE_INFINITY)) return null;
  const { owner } = stream;
  const person = await findPerson(store, owner);
  const scope = scopeOf(state, person);
  if (scope === null) return null;
  const { name, browser } = state;
  const admission = { token_id: id, name, owner, scope, ...(browser && { browser }) };
  return { admission: person ? { ...admission, role: person.role } : admission, state };
}
