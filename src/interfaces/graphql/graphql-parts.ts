import type { Delta } from "../../contract/run-event.ts";
import type { LogEvent } from "../../contract/session.ts";
import type { TurnAccess } from "../../drive/run/follow-turn.ts";
import type { WatchedPlace } from "../../drive/run/watch-session.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { SessionDetails } from "../../service/read/read-details.ts";
import type { Caller } from "../../service/service-context.ts";
import type { AnswerRoom } from "./answer-room.ts";
import type { Loaders } from "./loaders.ts";

/** What the GraphQL door is given to work with. */
export interface GraphqlParts extends Pick<TurnAccess, "awaitTurn" | "expectAgent"> {
  readonly service: BelayService;
  /** What belongs to the sessions that a caller sees. */
  details(caller: Caller): SessionDetails;
  /** A session's events from a place on, by its entity id, and between them what its agent says, as it says it. */
  watch(
    entity_id: string,
    from: WatchedPlace,
    signal: AbortSignal,
  ): AsyncGenerator<LogEvent | Delta>;
  /** Told of what nobody expected; whoever asked only hears that there was something. */
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
