import type { IncomingMessage } from "node:http";
import { BelayError, type ErrorCode, refuse } from "../../contract/errors.ts";
import type { Admission } from "../../server/access/tokens.ts";
import type { Caller } from "../../service/service-context.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import type { HttpParts } from "./http-parts.ts";
import type { OwnHosts } from "./own-hosts.ts";

/** Who was let in, and how. */
export interface Admitted {
  readonly admission: Admission;
  readonly by: Credentials["by"];
  readonly caller: Caller;
}

/**
 * The one check in front of every path, those included that there are not. A browser sends what any page tells it to, so
 * who asks is judged first by what a page cannot choose: Host, Origin and content type. An open path only skips the token; a
 * page may be come to from anywhere, if it is come to and not read.
 */
export async function checkRequest(
  request: IncomingMessage,
  path: { readonly open: boolean; readonly page: boolean; readonly file?: boolean },
  hosts: OwnHosts,
  parts: HttpParts,
  trace_id: string,
): Promise<Admitted | null> {
  checkHost(request, hosts);
  if (!path.page || !isNavigation(request)) checkOrigin(request, hosts);
  if (request.headers.upgrade !== undefined) {
    throw denied("not_allowed", "this server speaks plain HTTP only: leave out Upgrade");
  }
  checkContent(request, path.file ? FILE_TYPE : JSON_TYPE);
  return path.open ? null : admitBy(readCredentials(request), parts, trace_id);
}

/**
 * The same in front of a WebSocket, which a page of any origin may open. Null for one that brings no token: it may still
 * be said in the first message.
 */
export async function checkUpgrade(
  request: IncomingMessage,
  hosts: OwnHosts,
  parts: HttpParts,
  trace_id: string,
): Promise<Admitted | null> {
  checkHost(request, hosts);
  checkOrigin(request, hosts);
  if (request.headers.authorization === undefined) return null;
  return admitBy(readCredentials(request), parts, trace_id);
}

/** Throws where nobody is let in. */
export async function admitBy(
  credentials: Credentials | null,
  parts: HttpParts,
  trace_id: string,
): Promise<Admitted> {
  const admission = await parts.admit(credentials?.token ?? "");
  if (!credentials || !admission) {
    const message = 'send a token as "Authorization: Bearer ..." (belay token create makes one)';
    throw denied("not_authenticated", message);
  }
  const { owner, name, scope, role, token_id } = admission;
  const { project } = parts;
  const door = credentials.by === "page" ? "web" : "api";
  const actor = `token:${name}`;
  return {
    admission,
    by: credentials.by,
    caller: {
      ...{ owner, actor, interface: door, trace_id, scope, token_id, project },
      ...(role && { role }),
    },
  };
}

function checkHost(request: IncomingMessage, hosts: OwnHosts): void {
  const given = request.headersDistinct.host ?? [];
  const [host = ""] = given;
  // A whole address instead of a path names a host of its own.
  const isPath = request.url?.startsWith("/");
  if (isPath && given.length === 1 && hosts.includes(host, portOf(request))) return;
  const message =
    "this server does not go by that name: use localhost, or start it with --allow-host NAME";
  throw denied("wrong_host", message);
}

function checkOrigin(request: IncomingMessage, hosts: OwnHosts): void {
  const { origin, host = "" } = request.headers;
  const site = request.headers["sec-fetch-site"];
  const own = origin === undefined || hosts.isOrigin(origin.toLowerCase(), host.toLowerCase());
  if (own && (site === undefined || site === "same-origin" || site === "none")) return;
  throw denied("not_allowed", "pages of other origins cannot use this server");
}

/** Someone follows a link; what it leads to is shown in a tab of its own, and to nobody else. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers["sec-fetch-mode"] === "navigate";
}

const FILE_TYPE = /^application\/octet-stream$/i;
const JSON_TYPE = /^application\/json(?: ?; ?charset="?utf-8"?)?$/i;

/** Only what no form and no simple request of a page can send. */
function checkContent({ headers }: IncomingMessage, allowed: RegExp): void {
  const type = headers["content-type"];
  const encoding = headers["content-encoding"] ?? "identity";
  const { "content-length": length = "0", "transfer-encoding": transfer } = headers;
  const empty = length === "0" && transfer === undefined;
  if (encoding === "identity" && (type === undefined ? empty : allowed.test(type))) return;
  const message =
    allowed === JSON_TYPE
      ? "send the body as application/json, in UTF-8 and not compressed"
      : "send the file as application/octet-stream, not compressed";
  throw denied("wrong_media_type", message);
}

function portOf({ socket }: IncomingMessage): number {
  return socket.localPort ?? 0;
}

function denied(code: ErrorCode, message: string): BelayError {
  return new BelayError(refuse(code, message));
}
