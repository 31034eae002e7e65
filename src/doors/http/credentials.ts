import type { IncomingMessage } from "node:http";
import { countHeader } from "./count-header.ts";

/** Requests from the web page carry this header; programs with a token of their own do not. */
const PAGE_HEADER = "x-belay-page";

/** Longer than any of our tokens. */
const MAX_TOKEN = 200;

export interface Credentials {
  readonly by: "program" | "page";
  readonly token: string;
}

/**
 * The token of a request. It is never read from the URL, which ends up in logs and histories, and never from a cookie,
 * which a browser also sends to every other port of the same host, and which any of them can overwrite. Two headers are
 * none, because a proxy may have checked the other one.
 */
export function readCredentials(request: IncomingMessage): Credentials | null {
  const { headers } = request;
  if (headers.authorization === undefined) return null;
  if (countHeader(request, "authorization") !== 1) return null;
  return readBearer(headers.authorization, headers[PAGE_HEADER] === undefined ? "program" : "page");
}

export function readBearer(
  authorization: string,
  by: Credentials["by"] = "program",
): Credentials | null {
  const token = /^bearer ([\x21-\x7e]+)$/i.exec(authorization.slice(0, MAX_TOKEN))?.[1];
  return token === undefined ? null : { by, token };
}
