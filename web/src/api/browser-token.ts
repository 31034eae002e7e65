/**
 * The token of this browser. It is in the storage of the page's origin, not in a cookie: a cookie goes to every port of
 * the host, and every port can overwrite it. GraphiQL's page reads the same keys
 * (src/doors/http/graphiql/graphiql-page.ts).
 */
const TOKEN = "belay.token";
const OWNER = "belay.owner";
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

/** The owner is stored first, because other tabs read it when the token changes. */
export function storeToken({ token, owner }: { readonly token: string; readonly owner: string }) {
  localStorage.setItem(OWNER, owner);
  localStorage.setItem(TOKEN, token);
}

/** The name under which this tab keeps what the logged-in person types, so that the next person does not find it. */
export function draftName(id: string): string {
  return `belay-draft ${localStorage.getItem(OWNER) ?? ""} ${id}`;
}

/** Also forgets what the person has typed in this tab. */
export function forgetToken(): void {
  localStorage.removeItem(TOKEN);
  localStorage.removeItem(OWNER);
  sessionStorage.clear();
}

/** Several requests fail together, and another navigation would interrupt the first. */
let isLeaving = false;

/**
 * Shows the login, and remembers the page that this tab wanted. A new document, so that no data of the person who was
 * logged in is left in memory.
 */
export function goToLogin(): void {
  if (isLeaving) return;
  isLeaving = true;
  const { pathname, search } = window.location;
  // An address that starts with two slashes would lead to another host.
  const wanted = pathname.replace(/^\/+/, "/") + search;
  if (!wanted.startsWith("/login")) sessionStorage.setItem(WANTED, wanted);
  window.location.replace("/login");
}

/**
 * Calls back when another tab logs in or out. A logout there also forgets what the person has typed in this tab.
 * Returns a function that stops it.
 */
export function onTokenChange(listen: () => void): () => void {
  const onStorage = ({ key }: StorageEvent): void => {
    if (key !== TOKEN && key !== null) return;
    if (!hasToken()) sessionStorage.clear();
    listen();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
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

/** Remembers that this browser is logged in with an account of a provider, which knows this login by its `id_token`. */
export function rememberProvider(id_token: string): void {
  localStorage.setItem(PROVIDER, id_token);
}

export function popProvider(): string | null {
  const id_token = localStorage.getItem(PROVIDER);
  localStorage.removeItem(PROVIDER);
  return id_token;
}
