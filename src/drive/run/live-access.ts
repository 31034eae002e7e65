import { BelayError, refuse } from "../../contract/errors.ts";
import type { FeedLine } from "../../contract/operations/past-operations.ts";
import type { Delta } from "../../contract/run-event.ts";
import type { FollowedEvent } from "../../contract/session.ts";
import { readableStore } from "../../service/access/readable-store.ts";
import { whileGranted } from "../../service/access/while-granted.ts";
import { feedEnd, followFeed } from "../../service/follow/follow-feed.ts";
import { readDetails, type SessionDetails } from "../../service/read/read-details.ts";
import type { Caller } from "../../service/service-context.ts";
import type { AgentRunner } from "./agent-runner.ts";
import { findSent, type TurnAccess } from "./follow-turn.ts";
import type { WatchedPlace } from "./watch-session.ts";

/** Reads and streams that interfaces offer besides operations, for the caller's own and shared sessions. */
export interface LiveAccess extends TurnAccess {
  /** A session's events from a place on, mixed with its agent's live text, as long as the caller may see it. */
  watch(
    caller: Caller,
    entity_id: string,
    from: WatchedPlace,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedEvent | Delta>;
  /** The events that a caller may see, after a cursor or from now on. */
  followFeed(caller: Caller, cursor: string | null, signal: AbortSignal): AsyncGenerator<FeedLine>;
  /** The cursor before everything that happens from now on. */
  feedEnd(caller: Caller): Promise<string>;
  /** The details of the sessions that a caller sees. */
  details(caller: Caller): SessionDetails;
}

export function liveAccess(runner: AgentRunner): LiveAccess {
  const { context } = runner;
  return {
    watch: (caller, entity_id, from, signal) =>
      whileGranted(context, caller, entity_id, signal, (still) =>
        runner.watchLog(entity_id, from, still),
      ),
    followFeed: (caller, cursor, signal) =>
      followFeed(readableStore(context, caller), caller.owner, cursor, signal),
    feedEnd: (caller) => feedEnd(readableStore(context, caller), caller.owner),
    details: (caller) => readDetails(readableStore(context, caller)),
    async *followTurn(caller, sent, signal) {
      const { id } = (await findSent(context, caller, sent)).stream;
      yield* whileGranted(context, caller, id, signal, (still) =>
        runner.followTurn(caller, sent, still),
      );
    },
    async awaitTurn(caller, sent, ms, signal) {
      const { id } = (await findSent(context, caller, sent)).stream;
      const answer = await runner.awaitTurn(caller, sent, ms, signal);
      const [part] = await readableStore(context, caller).read([{ ref: { id } }]);
      if (part) return answer;
      throw new BelayError(
        refuse("session_not_found", `${sent.session_id} is no longer shared with you.`),
      );
    },
    expectAgent: (owner, name, cwd) => runner.expectAgent(owner, name, cwd),
  };
}
