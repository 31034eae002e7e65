/**
 * The token of this browser. It is in the storage of the page's origin, not in a cookie: a cookie goes to every port of
 * the host, and every port can overwrite it. GraphiQL's page reads the same keys
 * (src/interfaces/http/graphiql/graphiql-page.ts).
 */
const TOKEN = "belay.token";
const WANTED = "belay.wanted";
const KEY = "belay.login";
const PROVIDER = "belay.provider";

/** The headers of every request of the page. */
export function credentials(): Readonly<Record<string, string>> {
  const token = localStorage.getItem(TOKEN);
  return token === null ? {} : { authorization: `Bearer ${token}`, "x-belay-page": "1" };
}

export function hasToken(): boolean {
  return localStorage.getItem(TOKEN) !== null;
}

export function storeToken(token: string): void {
  localStorage.setItem(TOKEN, token);
}

export function forgetToken(): void {
  localStorage.removeItem(TOKEN);
}

/** Remembers the page that this tab wanted before it had to log in. */
export function rememberWanted(): void {
  const { pathname, search } = window.location;
  if (!pathname.startsWith("/login")) sessionStorage.setItem(WANTED, pathname + search);
}

export function popWanted(): string {
  const wanted = sessionStorage.getItem(WANTED) ?? "/";
  sessionStorage.removeItem(WANTED);
  return wanted;
}

/** Keeps the key that binds a login with a provider to this tab. */
export function rememberKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

export function popKey(): string {
  const key = sessionStorage.getItem(KEY) ?? "none";
  sessionStorage.removeItem(KEY);
  return key;
}

/** Remembers that this browser is logged in with an account of a provider. */
export function rememberProvider(): void {
  localStorage.setItem(PROVIDER, "1");
}

export function popProvider(): boolean {
  const isKnown = localStorage.getItem(PROVIDER) !== null;
  localStorage.removeItem(PROVIDER);
  return isKnown;
}
