import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import type { z } from "zod";
import type { Project } from "../../contract/events.ts";
import type { Scope } from "../../contract/vocabulary.ts";
import type { LiveAccess } from "../../drive/run/live-access.ts";
import type { DeviceAsker } from "../../server/access/device-logins.ts";
import type { RefusedRequest } from "../../server/access/refused-tokens.ts";
import type { Admission } from "../../server/access/tokens.ts";
import type { AdmittedDelivery, DeliveryHeaders } from "../../server/webhooks/admit-delivery.ts";
import type { DeliveryAnswer } from "../../server/webhooks/process-delivery.ts";
import type { PublicPage } from "../../service/access/public-pages.ts";
import type { AuditWanted } from "../../service/audit/audited-streams.ts";
import type { ExportedLine } from "../../service/audit/export-audit.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { BoundImports } from "../../service/import-access.ts";
import type { Caller } from "../../service/service-context.ts";
import type { SessionFiles } from "../../service/session-files.ts";
import type { StreamTimes } from "./streams/stream-times.ts";

/** The dependencies of the HTTP interface. */
export interface HttpParts extends Omit<LiveAccess, "details"> {
  readonly service: BelayService;
  readonly version: string;
  /** The server's working folder; new sessions belong there by default. */
  readonly project: Project | null;
  /** The folder in which the agents of a member work; without it, members start no agents. */
  memberFolder?(owner: string): string;
  newId(): string;
  /** The reason why the server cannot work at the moment; null if it can. */
  problem?(): string | null;
  /** The reason why the server works, but more slowly; null if there is none. */
  slowdown?(): string | null;
  /** Null for an invalid token. */
  admit(token: string): Promise<Admission | null>;
  /** True if an admitted caller is still admitted. */
  isAdmitted(admission: Admission): Promise<boolean>;
  /** Exchanges a one-time code for a token; null if the code is unknown or expired. */
  redeem(code: string): Promise<string | null>;
  /** Login of programs without a browser. `take` returns a token, "pending", or null for an invalid code. */
  readonly devices: {
    start(
      asker: DeviceAsker,
    ): Promise<{ readonly device_code: string; readonly user_code: string }>;
    /** The program that waits with this code; null if there is none. */
    find(user_code: string): Promise<DeviceAsker | null>;
    approve(user_code: string, owner: string): Promise<boolean>;
    take(device_code: string): Promise<string | "pending" | null>;
  };
  /** Login with an account of an OpenID provider, if one is configured. `finish` returns a token, and what `logoutUrl` needs. */
  readonly openId?: {
    readonly name: string;
    start(): Promise<{ readonly url: string; readonly key: string }>;
    finish(
      key: string,
      search: string,
    ): Promise<{ readonly token: string; readonly id_token: string }>;
    logoutUrl(id_token: string): Promise<string | null>;
  };
  /** Issues a one-time login code for a browser: as the caller or, for an admin, as another person. */
  issueCode(caller: Caller, person?: string): Promise<string>;
  /** Answers a challenge as only the server of this data folder can; null before it has an address. */
  prove(nonce: string): string | null;
  /** A page of the session that a public link shows; throws if it shows nothing. */
  readLink(link: string, before: number | undefined, limit: number): Promise<PublicPage>;
  /** The audit that a caller may see, log by log. */
  exportAudit(caller: Caller, wanted: AuditWanted): AsyncGenerator<ExportedLine>;
  /** Puts on record that a caller was refused this. */
  noteRefused(caller: Caller, what: string): Promise<void>;
  /** Puts on record that a request without a valid token was refused. */
  noteStranger(refused: RefusedRequest): Promise<void>;
  /** Revokes a token. Its holder may do that with any scope. */
  revoke(token_id: string): Promise<void>;
  /** Files stored with sessions. */
  readonly files: SessionFiles;
  readonly imports: BoundImports;
  /** The time limits of streams; the defaults suit people. */
  readonly streamTimes?: StreamTimes;
  /** Accepts signed webhooks of other services; without it, none are accepted. */
  readonly webhooks?: {
    /** Null if the request is not accepted. */
    admit(name: string, headers: DeliveryHeaders, body: Buffer): Promise<AdmittedDelivery | null>;
    take(admitted: AdmittedDelivery, payload: unknown, trace_id: string): Promise<DeliveryAnswer>;
  };
  /** Metrics of other parts, shown together with those of this interface. */
  readonly metrics?: Registry;
  readonly graphql: GraphqlAccess;
  /** Other interfaces on the same address. */
  readonly doors: {
    mcp(
      request: IncomingMessage,
      response: ServerResponse,
      body: unknown,
      caller: Caller,
    ): Promise<void>;
    /** Processes a hook's payload and returns the text that the hook prints. */
    hook(payload: string, caller: Caller): Promise<string>;
  };
}

interface GraphqlAccess {
  /** Answers once, or as a stream for clients that ask for one. */
  answer(
    body: unknown,
    caller: Caller,
    life: Pick<RouteCall, "signal">,
    streams: boolean,
  ): Promise<
    | { readonly status: number; readonly told: object }
    | { readonly status: number; readonly stream: AsyncIterable<object> }
  >;
  /** Answers all requests of one connection. */
  converse(peer: SocketPeer): Promise<void>;
}

/** The client at the other end of a WebSocket. */
interface SocketPeer {
  /** Set if the connection itself was authenticated; null if the first message must do that. */
  readonly caller: Caller | null;
  /** Authenticates by an `Authorization` value; null if it is invalid. */
  enter(authorization: unknown): Promise<Caller | null>;
  /** False once the client's token was revoked. */
  stays(): Promise<boolean>;
  /** The parsed JSON messages, until the connection ends. */
  readonly messages: AsyncIterable<unknown>;
  send(text: string): Promise<void>;
  close(code: number, reason: string): void;
  /** Aborted when the connection must end. */
  readonly signal: AbortSignal;
}

/** A route that is more than one operation. */
export interface OwnRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly doc: string;
  readonly scope: Scope;
  /** It only answers requests that accept this type; others go to the operation of the same path. */
  readonly accepts?: "text/event-stream";
  /** The body is passed on as unparsed text, or as bytes while they arrive. */
  readonly takes?: "text" | "bytes";
  /** The largest body that it reads, if the general limit is higher. */
  readonly bodyLimit?: number;
  /** Only for the API description: the fields of the body or query, and the output. */
  readonly input?: z.ZodObject;
  readonly output?: z.ZodType | "text/html" | "*/*";
  handle(call: RouteCall): Promise<unknown>;
}

/** One request that passed the gate. */
export interface RouteCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly admission: Admission;
  readonly caller: Caller;
  /** The parsed JSON body, or the body in the form that the route takes; undefined without one. */
  readonly body: unknown;
  /** Aborted when the client has gone, its token was revoked or the server shuts down. */
  readonly signal: AbortSignal;
}
