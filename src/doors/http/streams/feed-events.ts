import { z } from "zod";
import type { FeedLine } from "../../../contract/operations/past-operations.ts";
import type { HttpParts, OwnRoute } from "../http-parts.ts";
import type { SseMessage } from "./answer-sse.ts";
import { answerSse } from "./answer-sse.ts";
import { readPlace, readQuery } from "./read-request.ts";
import { STREAM_TIMES } from "./stream-times.ts";

const DOC = `Follow the events of all sessions and tasks as one feed.

Each event comes once, with a cursor as its \`id\`. After a disconnect, send the last one as \`Last-Event-ID\` (or \
\`?after=\`) to miss no events. Without it, the stream starts with the next new event; it first sends an \`id\` without an event. A cursor stays valid in a \
copy of the data, also in another kind of store. If the event that it names is gone, because an older copy was restored, \
the answer is 410 \`history_changed\`; an open stream ends with \`event: failed\` and this error. Then start again without \
a cursor.`;

/** GET /events for clients that ask for a stream. */
export function feedEvents(parts: HttpParts): OwnRoute {
  const { service, streamTimes = STREAM_TIMES } = parts;
  return {
    method: "GET",
    path: "/events",
    doc: DOC,
    scope: "read",
    accepts: "text/event-stream",
    input: z.strictObject({ after: z.string().optional().describe("a cursor") }),
    async handle(call) {
      const { request, caller, signal } = call;
      const place = readPlace(request, readQuery(request, ["after"]).after);
      const cursor = place ?? (await parts.feedEnd(caller));
      // An invalid cursor is refused before the stream starts.
      await service.call("events", { after: cursor, limit: 1 }, caller);
      const lines = parts.followFeed(caller, cursor, signal);
      await answerSse(call, from(cursor, lines), present, streamTimes);
    },
  };
}

/** A client that is disconnected before the first event can resume from here too. */
async function* from(
  cursor: string,
  lines: AsyncIterable<FeedLine>,
): AsyncGenerator<FeedLine | { readonly cursor: string }> {
  yield { cursor };
  yield* lines;
}

function present(line: FeedLine | { readonly cursor: string }): SseMessage {
  if (!("seq" in line)) return { id: line.cursor };
  return { id: line.cursor, event: line.type, data: line };
}
