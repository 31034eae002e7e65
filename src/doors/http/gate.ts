import type { IncomingMessage } from "node:http";
import { BelayError, type ErrorCode, refuse } from "../../contract/errors.ts";
import type { Project } from "../../contract/events.ts";
import type { Admission } from "../../server/access/tokens.ts";
import type { Caller } from "../../service/service-context.ts";
import { countHeader } from "./count-header.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import type { HttpParts } from "./http-parts.ts";
import type { OwnHosts } from "./own-hosts.ts";

/** The admission of a request, and how it was obtained. */
export interface Admitted {
  readonly admission: Admission;
  readonly by: Credentials["by"];
  readonly caller: Caller;
}

/**
 * The one check for every path, existing or not. A browser sends any request that a page asks for, so the caller is
 * judged first by the headers that a page cannot choose: Host, Origin and content type. An open path only skips the
 * token; a page path also allows navigation from other sites, but no reading by them.
 */
export function checkRequest(
  request: IncomingMessage,
  path: {
    readonly open: boolean;
    readonly page: boolean;
    readonly file?: boolean;
    /** The method and the route, for the audit. */
    readonly operation: string;
  },
  hosts: OwnHosts,
  parts: HttpParts,
  trace_id: string,
): Promise<Admitted> | null {
  checkHost(request, hosts);
  if (!path.page || !isNavigation(request)) checkOrigin(request, hosts);
  if (request.headers.upgrade !== undefined) {
    throw denied("not_allowed", "This path does not support Upgrade. Send a plain HTTP request.");
  }
  checkContent(request, path.file ? FILE_TYPE : JSON_TYPE);
  return path.open ? null : admitRequest(request, parts, trace_id, path.operation);
}

/**
 * The same for a WebSocket, which a page of any origin may open. Null without a token, which may still come in the
 * first message.
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
  return admitRequest(request, parts, trace_id, UPGRADE);
}

const UPGRADE = "GET /graphql";

/** Throws if the request has no valid token. */
export function admitRequest(
  request: IncomingMessage,
  parts: HttpParts,
  trace_id: string,
  operation: string,
): Promise<Admitted> {
  const from = request.socket.remoteAddress ?? "unknown";
  return admitBy(readCredentials(request), parts, trace_id, { from, operation });
}

/** Throws if the credentials are invalid. */
export async function admitBy(
  credentials: Credentials | null,
  parts: HttpParts,
  trace_id: string,
  { from, operation = UPGRADE }: { readonly from: string; readonly operation?: string },
): Promise<Admitted> {
  const admission = await parts.admit(credentials?.token ?? "");
  if (!credentials || !admission) {
    await parts.noteStranger({ token: credentials?.token ?? null, from, operation });
    const message =
      'A valid token is required. Send it as "Authorization: Bearer TOKEN". Create one with: belay token create';
    throw denied("not_authenticated", message);
  }
  const { owner, name, scope, role, token_id, browser } = admission;
  const project = projectOf(parts, admission);
  const door = credentials.by === "page" ? "web" : "api";
  const actor = `token:${name}`;
  return {
    admission,
    by: credentials.by,
    caller: {
      ...{ owner, actor, interface: door, trace_id, scope, token_id, project },
      ...(role && { role }),
      ...(browser && { browser }),
    },
  };
}

/** New sessions belong to the server's folder; those of members to a folder of their own, where their agents work. */
function projectOf(parts: HttpParts, { owner, role }: Admission): Project | null {
  const own = role === "member" ? parts.memberFolder?.(owner) : undefined;
  return own === undefined ? parts.project : { cwd: own, repo: null, branch: null };
}

function checkHost(request: IncomingMessage, hosts: OwnHosts): void {
  const { host = "" } = request.headers;
  // An absolute URL instead of a path names a host of its own.
  const isPath = request.url?.startsWith("/");
  if (isPath && countHeader(request, "host") === 1 && hosts.includes(host, portOf(request))) return;
  const message = "Unknown host name. Use localhost, or start the server with --allow-host NAME.";
  throw denied("wrong_host", message);
}

function checkOrigin(request: IncomingMessage, hosts: OwnHosts): void {
  const { origin, host = "" } = request.headers;
  const site = request.headers["sec-fetch-site"];
  const own = origin === undefined || hosts.isOrigin(origin.toLowerCase(), host.toLowerCase());
  if (own && (site === undefined || site === "same-origin" || site === "none")) return;
  throw denied("not_allowed", "Requests from pages of other origins are not allowed.");
}

/** The user follows a link; only their own tab shows the result. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers["sec-fetch-mode"] === "navigate";
}

const FILE_TYPE = /^application\/octet-stream$/i;
const JSON_TYPE = /^application\/json(?: ?; ?charset="?utf-8"?)?$/i;

/** Only allows types that no HTML form and no simple request of a page can send. */
function checkContent({ headers }: IncomingMessage, allowed: RegExp): void {
  const type = headers["content-type"];
  const encoding = headers["content-encoding"] ?? "identity";
  const { "content-length": length = "0", "transfer-encoding": transfer } = headers;
  const empty = length === "0" && transfer === undefined;
  if (encoding === "identity" && (type === undefined ? empty : allowed.test(type))) return;
  const message =
    allowed === JSON_TYPE
      ? "Send the body as application/json, in UTF-8 and not compressed."
      : "Send the file as application/octet-stream, not compressed.";
  throw denied("wrong_media_type", message);
}

function portOf({ socket }: IncomingMessage): number {
  return socket.localPort ?? 0;
}

function denied(code: ErrorCode, message: string): BelayError {
  return new BelayError(refuse(code, message));
}
