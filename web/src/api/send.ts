import type { Project } from "../../../src/contract/events.ts";
import type { Session } from "../../../src/contract/session.ts";
import { ApiError, isLoggedOut } from "./api-error.ts";
import { ask } from "./ask.ts";
import {
  forgetToken,
  hasToken,
  popKey,
  popProvider,
  rememberKey,
  rememberProvider,
  storeToken,
} from "./browser-token.ts";

/** Requests of the page that are more than single operations. */

interface Sent {
  readonly session_id: string;
  readonly turn_id: string;
}

/** Resolves when the message is stored; the answer comes with the session's events. */
export function sendMessage(id: string, message: string): Promise<Sent> {
  return askOnce(`/sessions/${encodeURIComponent(id)}/messages`, { message, wait: false });
}

export interface NewSession {
  readonly agent_name: string;
  readonly title?: string;
  readonly initial_message?: string;
  readonly project?: Project;
}

export function beginSession(session: NewSession): Promise<Session> {
  return askOnce("/sessions", session);
}

/** Replaces the earlier login of this browser. */
export async function logIn(code: string): Promise<void> {
  const entered = await ask("POST", "/login", { body: { code } });
  if (hasToken()) await ask("POST", "/logout").catch(() => undefined);
  storeToken(entered);
}

/** Returns the address at which the browser also logs out of its provider, or null. */
export async function logOut(): Promise<string | null> {
  await ask("POST", "/logout").catch((error: unknown) => {
    if (!isLoggedOut(error)) throw error;
  });
  forgetToken();
  const id_token = popProvider();
  if (id_token === null) return null;
  const body = { id_token };
  const { url } = await ask("POST", "/login/openid/logout", { body }).catch(() => ({ url: null }));
  return url;
}

/** Returns the address at which the browser logs in with an account of the provider. */
export async function startOpenId(): Promise<string> {
  const { url, key } = await ask("POST", "/login/openid", { body: {} });
  rememberKey(key);
  return url;
}

/** Finishes a login with the answer of the provider. */
export async function finishOpenId(search: string): Promise<void> {
  const body = { key: popKey(), search };
  const entered = await ask("POST", "/login/openid/finish", { body });
  if (hasToken()) await ask("POST", "/logout").catch(() => undefined);
  storeToken(entered);
  rememberProvider(entered.id_token);
}

/** The name of the provider whose accounts log people in here; null where there is none. */
export async function findProvider(): Promise<string | null> {
  const { openid } = await ask("GET", "/login/options");
  return openid?.name ?? null;
}

/** True if the token of this browser is still valid. */
export async function isLoggedIn(): Promise<boolean> {
  return (
    hasToken() &&
    ask("GET", "/counts").then(
      () => true,
      () => false,
    )
  );
}

/** The keys of requests without an answer, which may have been carried out. */
const unanswered = new Map<string, string>();

/** A retry after a missing answer uses the same key, so that the change happens only once. */
async function askOnce(path: string, fields: object) {
  const request = JSON.stringify([path, fields]);
  const key = unanswered.get(request) ?? newKey();
  unanswered.set(request, key);
  try {
    const answer = await ask("POST", path, { body: { ...fields, idempotency_key: key } });
    unanswered.delete(request);
    return answer;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) unanswered.delete(request);
    throw error;
  }
}

/** Works without `randomUUID`, which browsers do not offer on pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
