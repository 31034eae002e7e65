import { z } from "zod";
import type { FeedLine } from "../../../contract/operations/past-operations.ts";
import type { HttpParts, OwnRoute } from "../http-parts.ts";
import type { SseMessage } from "./answer-sse.ts";
import { answerSse } from "./answer-sse.ts";
import { readPlace, readQuery } from "./read-request.ts";
import { STREAM_TIMES } from "./stream-times.ts";

const DOC = `Follow what happens in all sessions and tasks, in one order.

Each event comes once, with a cursor as its \`id\`. A client that comes back sends the last one as \`Last-Event-ID\` (or \
\`?after=\`) and misses none. Without one it begins with what happens from now on; the first \`id\` comes at once, and alone.`;

/** GET /events for those who ask for a stream. */
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
      const cursor = place ?? (await parts.feedEnd());
      // A cursor that is none is refused while that can still be said.
      await service.call("events", { after: cursor, limit: 1 }, caller);
      const lines = parts.followFeed(caller, cursor, signal);
      await answerSse(call, from(cursor, lines), present, streamTimes);
    },
  };
}

/** Who is cut off before anything happened goes on from here as well. */
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
