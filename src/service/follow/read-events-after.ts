import { BelayError, refuse } from "../../contract/errors.ts";
import type { LogPlace } from "../../contract/event-cursor.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StoredEvent, StreamStore } from "../../store/stream-store.ts";
import { digestOfEvent } from "./event-digest.ts";

interface PageSize {
  readonly limit: number;
  readonly bytes: number;
}

/**
 * The events of a log after a place; none if the log does not exist. Throws `history_changed` if the event at the place
 * is another one now, or missing. It is read together with the page, because the log may change between two reads.
 */
export async function readEventsAfter(
  store: StreamStore,
  id: string,
  { seq, digest }: LogPlace,
  { limit, bytes }: PageSize,
): Promise<readonly StoredEvent[]> {
  if (digest === null) return readEvents(store, id, { after: seq, limit, bytes });
  const range = { after: seq - 1, limit: limit + 1, bytes };
  const [part] = await store.read([{ ref: { id }, events: [range] }]);
  if (!part) return [];
  const [last, ...events] = part.events[0] ?? [];
  if (!last || digestOfEvent(id, last) !== digest) throw historyChanged(seq, part.stream.seq);
  // The body of the event at the place may fill the page alone.
  if (events.length > 0 || part.stream.seq === seq) return events;
  return readEvents(store, id, { after: seq, limit, bytes });
}

function historyChanged(seq: number, newest: number): BelayError {
  const message = `Event ${seq} is not the one that this cursor names, because the history of the session has changed. Its newest event is ${newest}. Start again without a cursor.`;
  return new BelayError(refuse("history_changed", message, { seq, newest }));
}
