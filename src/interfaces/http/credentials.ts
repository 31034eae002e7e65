import type { IncomingMessage } from "node:http";

export const COOKIE = "belay_token";

/** Longer than any token of ours. */
const MAX_TOKEN = 200;

export interface Credentials {
  readonly by: "header" | "cookie";
  readonly token: string;
}

/** The token of a request; never one of its URL, which ends up in logs and histories. */
export function readCredentials(request: IncomingMessage): Credentials | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return readBearer(authorization);
  const token = readCookie(request.headers.cookie);
  return token !== null && isOwnPage(request) ? { by: "cookie", token } : null;
}

export function readBearer(authorization: string): Credentials | null {
  const token = /^bearer ([\x21-\x7e]+)$/i.exec(authorization.slice(0, MAX_TOKEN))?.[1];
  return token === undefined ? null : { by: "header", token };
}

/** A browser adds a cookie by itself: what changes something must also say that a page of ours asks. */
function isOwnPage({ method, headers }: IncomingMessage): boolean {
  if (method === "GET" || method === "HEAD") return true;
  // The gate has let through none but our own origin.
  return headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;
}

/** Null where there are two: one of them was planted. */
function readCookie(header: string | undefined): string | null {
  const values = (header ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${COOKIE}=`))
    .map((part) => part.slice(COOKIE.length + 1, MAX_TOKEN));
  const [value] = values;
  return values.length === 1 && value ? value : null;
}
