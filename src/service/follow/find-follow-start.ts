import { BelayError, refuse } from "../../contract/errors.ts";
import { LOG_START, type LogPlace, readLogPlace } from "../../contract/event-cursor.ts";
import type { BelayService } from "../belay-service.ts";
import type { Caller } from "../service-context.ts";

interface FollowStart {
  readonly entity_id: string;
  readonly place: LogPlace;
}

/**
 * Checks the place from which a client wants to follow a session, before the stream starts. Without a place, the stream
 * starts with the first event.
 */
export async function findFollowStart(
  service: BelayService,
  id: unknown,
  after: string | number | null,
  caller: Caller,
): Promise<FollowStart> {
  const { entity_id, version } = await service.call("get", { id }, caller);
  if (after === null) return { entity_id, place: LOG_START };
  const place = readLogPlace(after);
  if (place === null) {
    const message = "Invalid position. Use the id of the last event that you have, or its seq.";
    throw new BelayError(refuse("invalid_input", message, { field: "after", version }));
  }
  if (place.digest !== null) await service.call("log", { id, after, limit: 1 }, caller);
  else if (place.seq > version) {
    // A client that has seen more events than exist used another database.
    const message = `This session has ${version} events. Start again without a position.`;
    throw new BelayError(refuse("invalid_input", message, { field: "after", version }));
  }
  return { entity_id, place };
}
