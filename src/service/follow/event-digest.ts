import { hash } from "node:crypto";
import { writeEventCursor } from "../../contract/event-cursor.ts";

/** The fields of an event that stay the same in every copy of a store, encrypted or not. */
interface NamedEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: number;
}

/** Names an event in the log with this entity id. A fork's log names inherited events by its own id. */
export function digestOfEvent(entity_id: string, { seq, type, at }: NamedEvent): string {
  return hash("sha256", JSON.stringify([entity_id, seq, type, at])).slice(0, 8);
}

/** The cursor after an event. */
export function cursorOf(entity_id: string, event: NamedEvent): string {
  return writeEventCursor(event.seq, digestOfEvent(entity_id, event));
}
