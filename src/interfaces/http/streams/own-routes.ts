import type { HttpParts, OwnRoute } from "../http-parts.ts";
import { beginSession } from "./begin-session.ts";
import { feedEvents } from "./feed-events.ts";
import { sendMessage } from "./send-message.ts";
import { sessionEvents } from "./session-events.ts";

/** What is told live, and what begins a turn. */
export function ownRoutes(parts: HttpParts): readonly OwnRoute[] {
  return [beginSession(parts), sendMessage(parts), sessionEvents(parts), feedEvents(parts)];
}
