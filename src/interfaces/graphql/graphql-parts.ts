import type { LiveAccess } from "../../drive/run/live-access.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import type { AnswerRoom } from "./answer-room.ts";
import type { Loaders } from "./loaders.ts";

/** What the GraphQL door is given to work with. */
export interface GraphqlParts
  extends Pick<LiveAccess, "awaitTurn" | "expectAgent" | "details" | "watch"> {
  readonly service: BelayService;
  /** Called with unexpected errors; the client learns only that there was one. */
  report(error: unknown): void;
}

/** One request: all that its resolvers know. */
export interface Ask {
  readonly parts: GraphqlParts;
  readonly caller: Caller;
  readonly load: Loaders;
  readonly room: AnswerRoom;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}
