import { fileRoutes } from "../file-routes.ts";
import type { HttpParts, OwnRoute } from "../http-parts.ts";
import { importRoutes } from "../import-routes.ts";
import { beginSession } from "./begin-session.ts";
import { feedEvents } from "./feed-events.ts";
import { sendMessage } from "./send-message.ts";
import { sessionEvents } from "./session-events.ts";

/** Routes for live streams, turns and files. */
export function ownRoutes(parts: HttpParts): readonly OwnRoute[] {
  return [
    beginSession(parts),
    sendMessage(parts),
    sessionEvents(parts),
    feedEvents(parts),
    ...fileRoutes(parts),
    ...importRoutes(parts),
  ];
}
