import type { IncomingMessage } from "node:http";

/** By this header the page says that it asks, and not a program with a token of its own. */
const PAGE_HEADER = "x-belay-page";

/** Longer than any token of ours. */
const MAX_TOKEN = 200;

export interface Credentials {
  readonly by: "program" | "page";
  readonly token: string;
}

/**
 * The token of a request: never one of its URL, which ends up in logs and histories, and never one of a cookie, which a
 * browser also sends to every other port of the same host, and which any of them can overwrite.
 */
export function readCredentials({ headers }: IncomingMessage): Credentials | null {
  if (headers.authorization === undefined) return null;
  return readBearer(headers.authorization, headers[PAGE_HEADER] === undefined ? "program" : "page");
}

export function readBearer(
  authorization: string,
  by: Credentials["by"] = "program",
): Credentials | null {
  const token = /^bearer ([\x21-\x7e]+)$/i.exec(authorization.slice(0, MAX_TOKEN))?.[1];
  return token === undefined ? null : { by, token };
}
