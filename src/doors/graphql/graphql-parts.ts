import type { LiveAccess } from "../../drive/run/live-access.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import type { AnswerRoom } from "./answer-room.ts";
import type { Loaders } from "./loaders.ts";

/** The dependencies of the GraphQL interface. */
export interface GraphqlParts
  extends Pick<LiveAccess, "awaitTurn" | "expectAgent" | "details" | "watch"> {
  readonly service: BelayService;
  /** Called with unexpected errors; the client only learns that there was one. */
  report(error: unknown): void;
}

/** How long somebody waits for an answer. */
export interface Life {
  /** Aborted when the client no longer waits. It may be created on demand. */
  readonly signal: AbortSignal;
}

/** One request: the context of its resolvers. */
export interface Ask extends Life {
  readonly parts: GraphqlParts;
  readonly caller: Caller;
  readonly load: Loaders;
  readonly room: AnswerRoom;
}
