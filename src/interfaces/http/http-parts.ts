import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { SessionEvent } from "../../contract/events.ts";
import type { Delta } from "../../contract/run-event.ts";
import type { Scope } from "../../contract/vocabulary.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/context.ts";
import type { Admission } from "../../service/tokens.ts";

/** What the HTTP door is given to work with. */
export interface HttpParts {
  readonly service: BelayService;
  readonly version: string;
  now(): number;
  newId(): string;
  /** Null for a token that lets nobody in. */
  admit(token: string): Promise<Admission | null>;
  /** Whether someone who was let in may stay. */
  isAdmitted(admission: Admission): Promise<boolean>;
  /** A session's events after `seq`, by its entity id, and between them what its agent says, as it says it. */
  watch(entity_id: string, seq: number, signal: AbortSignal): AsyncGenerator<SessionEvent | Delta>;
  /** Called with what happened since, whoever did it. */
  onChange(listener: () => void): () => void;
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

/** A route that is more than one operation. */
export interface OwnRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly doc: string;
  readonly scope: Scope;
  handle(call: RouteCall): Promise<unknown>;
}

/** One request that the gate has let in. */
export interface RouteCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  readonly body: unknown;
  /** Aborted when the client has gone, its token was revoked or the server ends. */
  readonly signal: AbortSignal;
}
