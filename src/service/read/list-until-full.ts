import { LIMITS } from "../../contract/limits.ts";
import type { Output } from "../../contract/operations.ts";
import type { Session } from "../../contract/session.ts";
import type { BelayService } from "../belay-service.ts";
import type { Caller } from "../service-context.ts";
import { PageRoom } from "./page-room.ts";

/** Lists until the limit, a full page or the end is reached, for callers that cannot use a short page. */
export async function listUntilFull(
  service: BelayService,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  signal?: AbortSignal,
): Promise<Output<"list">> {
  const limit = typeof input.limit === "number" ? input.limit : LIMITS.PAGE.default;
  const sessions: Session[] = [];
  const room = new PageRoom();
  const damaged: Output<"list">["damaged"] = [];
  let page = await service.call("list", input, caller);
  for (;;) {
    sessions.push(...page.sessions);
    damaged.push(...page.damaged);
    const { next_cursor: cursor } = page;
    const isFull = page.sessions.map((session) => room.fits(session)).includes(false);
    const isShort = input.search !== undefined && sessions.length < limit && !isFull;
    if (!isShort || cursor === null || signal?.aborted) {
      return { sessions, next_cursor: cursor, damaged };
    }
    const rest = { ...input, limit: limit - sessions.length, cursor };
    page = await service.call("list", rest, caller);
  }
}
