import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import type { z } from "zod";
import type { Project } from "../../contract/events.ts";
import type { Scope } from "../../contract/vocabulary.ts";
import type { LiveAccess } from "../../drive/run/live-access.ts";
import type { Admission } from "../../server/access/tokens.ts";
import type { AdmittedDelivery, DeliveryHeaders } from "../../server/webhooks/admit-delivery.ts";
import type { TakenDelivery } from "../../server/webhooks/take-delivery.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { BoundImports } from "../../service/import-access.ts";
import type { Caller } from "../../service/service-context.ts";
import type { SessionFiles } from "../../service/session-files.ts";
import type { StreamTimes } from "./streams/stream-times.ts";

/** What the HTTP door is given to work with. */
export interface HttpParts extends Omit<LiveAccess, "details"> {
  readonly service: BelayService;
  readonly version: string;
  /** Where the server works: sessions that it is asked to begin belong there unless they say otherwise. */
  readonly project: Project | null;
  newId(): string;
  /** Null for a token that lets nobody in. */
  admit(token: string): Promise<Admission | null>;
  /** Whether someone who was let in may stay. */
  isAdmitted(admission: Admission): Promise<boolean>;
  /** A one-time code for a token; null for a code that is not known, or no longer. */
  redeem(code: string): Promise<string | null>;
  /** A one-time code that logs a browser in: as the caller, or, for an admin, as another person. */
  issueCode(caller: Caller, person?: string): Promise<string>;
  /** Answers a challenge as only the server of this data folder at its address can; null before it has an address. */
  prove(nonce: string): string | null;
  /** Revokes a token. Its holder may do that with any scope. */
  revoke(token_id: string): Promise<void>;
  /** The cursor behind which lies all that happens from now on. */
  feedEnd(): Promise<string>;
  /** Files that are kept with sessions. */
  readonly files: SessionFiles;
  readonly imports: BoundImports;
  /** How long streams wait; without it, as long as suits people. */
  readonly streamTimes?: StreamTimes;
  /** What other services send, signed; without it nobody is let in that way. */
  readonly webhooks?: {
    /** Null if the request is not accepted. */
    admit(name: string, headers: DeliveryHeaders, body: Buffer): Promise<AdmittedDelivery | null>;
    take(admitted: AdmittedDelivery, payload: unknown, trace_id: string): Promise<TakenDelivery>;
  };
  /** Where others have put what they measure; it is shown beside what this door measures. */
  readonly metrics?: Registry;
  readonly graphql: GraphqlAccess;
  /** Other doors that share this address. */
  readonly doors: {
    mcp(
      request: IncomingMessage,
      response: ServerResponse,
      body: unknown,
      caller: Caller,
    ): Promise<void>;
    /** Answers a hook's payload with what the hook prints. */
    hook(payload: string, caller: Caller): Promise<string>;
  };
}

interface GraphqlAccess {
  /** Told once, or as it happens for those who ask for a stream. */
  answer(
    body: unknown,
    caller: Caller,
    signal: AbortSignal,
    streams: boolean,
  ): Promise<
    | { readonly status: number; readonly told: object }
    | { readonly status: number; readonly stream: AsyncIterable<object> }
  >;
  /** Answers all that is asked over one connection. */
  converse(peer: SocketPeer): Promise<void>;
}

/** Someone at the other end of a WebSocket. */
interface SocketPeer {
  /** Let in already by what came with the connection; null: by what is said first. */
  readonly caller: Caller | null;
  /** Lets in by an `Authorization`; null: nobody. */
  enter(authorization: unknown): Promise<Caller | null>;
  /** False once the token by which it was let in was revoked. */
  stays(): Promise<boolean>;
  /** The JSON of all that is said, until the connection ends. */
  readonly messages: AsyncIterable<unknown>;
  send(text: string): Promise<void>;
  close(code: number, reason: string): void;
  /** Aborted when the connection has to end. */
  readonly signal: AbortSignal;
}

/** A route that is more than one operation. */
export interface OwnRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly doc: string;
  readonly scope: Scope;
  /** It answers only those who ask for this; others are led to the operation of the same path. */
  readonly accepts?: "text/event-stream";
  /** Its body is handed on as text that nobody has parsed, or as bytes while they arrive. */
  readonly takes?: "text" | "bytes";
  /** Bytes of the largest body that it reads, where others may be larger. */
  readonly bodyLimit?: number;
  /** For the description of the API only: what comes in body or query, and what goes out. */
  readonly input?: z.ZodObject;
  readonly output?: z.ZodType | "text/html" | "*/*";
  handle(call: RouteCall): Promise<unknown>;
}

/** One request that the gate has let in. */
export interface RouteCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly admission: Admission;
  readonly caller: Caller;
  /** What the JSON of the body says, or the body as the route takes it; undefined without one. */
  readonly body: unknown;
  /** Aborted when the client has gone, its token was revoked or the server ends. */
  readonly signal: AbortSignal;
}
