import { z } from "zod";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { SeqOrCursor } from "../../../contract/event-cursor.ts";
import { isRecord } from "../../../contract/is-record.ts";
import type { Delta } from "../../../contract/run-event.ts";
import type { FollowedEvent } from "../../../contract/session.ts";
import type { ItemPlace } from "../../../drive/run/given-text.ts";
import { findFollowStart } from "../../../service/follow/find-follow-start.ts";
import type { HttpParts, OwnRoute } from "../http-parts.ts";
import type { SseMessage } from "./answer-sse.ts";
import { answerSse } from "./answer-sse.ts";
import { readPlace, readQuery } from "./read-request.ts";
import { STREAM_TIMES } from "./stream-times.ts";

const DOC = `Follow a session's events and its agent's text as they happen.

Stored events come as \`id: <seq>-<digest>\`, \`event: <type>\` and the event from the log; each once, in order. After a \
disconnect, send the last \`id\` as \`Last-Event-ID\` (or \`?after=\`) to miss no events. If the session no longer has the \
event that the \`id\` names, because an older copy of the data was restored, the answer is 410 \`history_changed\`; an open \
stream ends with \`event: failed\` and this error. Then start again without an \`id\`. A \`seq\` alone is accepted and not \
checked.

Text that is not stored yet comes as \`event: delta\`, without an id: \`{turn_id, item, kind, offset, text}\`. Later the same \
text is stored, in events of the type \`turn.part\` with the same \`turn_id\`, \`item\` and \`offset\`, split differently. To \
show each piece once, count for each \`(turn_id, item)\` how many UTF-16 units you have. From every delta and every \
\`turn.part\` of kind \`message\` or \`thought\`, use only the text after that count; skip it if \`offset + length\` is not \
larger than the count. Skip a delta whose \`offset\` is larger than the count: its text comes with a \`turn.part\`.

After you connect, the stored events come first, then the text that is not stored yet, then new deltas. With \
\`?delta=<turn_id>:<item>:<offset>\` you tell the server how much text you have of an item that is not stored yet; that text is \
not sent again.`;

/** GET /sessions/:id/events for clients that ask for a stream. */
export function sessionEvents(parts: HttpParts): OwnRoute {
  const { service, watch, streamTimes = STREAM_TIMES } = parts;
  return {
    method: "GET",
    path: "/sessions/:id/events",
    doc: DOC,
    scope: "read",
    accepts: "text/event-stream",
    input: z.strictObject({
      after: SeqOrCursor.optional().describe("the id of the last event that you have, or its seq"),
      delta: z.string().optional().describe("<turn_id>:<item>:<offset>"),
    }),
    async handle(call) {
      const { request, caller } = call;
      const query = readQuery(request, ["after", "delta"]);
      const after = readPlace(request, query.after) ?? null;
      const read = query.delta === undefined ? null : readItemPlace(query.delta);
      const id = idOf(request.params);
      const { entity_id, place } = await findFollowStart(service, id, after, caller);
      const items = watch(caller, entity_id, { place, read }, call.signal);
      await answerSse(call, items, present, streamTimes);
    },
  };
}

function present(item: FollowedEvent | Delta): SseMessage {
  if (!("seq" in item)) return presentDelta(item);
  const { cursor: id, ...data } = item;
  return { id, event: item.type, data };
}

/** All clients that get the same delta share one message. */
const presented = new WeakMap<Delta, SseMessage>();

function presentDelta(delta: Delta): SseMessage {
  const known = presented.get(delta);
  if (known) return known;
  const { after, ...data } = delta;
  const message = { event: "delta", data };
  presented.set(delta, message);
  return message;
}

function idOf(params: unknown): unknown {
  return isRecord(params) ? params.id : undefined;
}

function readItemPlace(text: string): ItemPlace {
  const [, turn_id, item, offset] = /^(.{1,200}):(\d{1,9}):(\d{1,15})$/.exec(text) ?? [];
  if (turn_id !== undefined) return { turn_id, item: Number(item), offset: Number(offset) };
  const message = "delta: must have the form <turn_id>:<item>:<offset>.";
  throw new BelayError(refuse("invalid_input", message, { field: "delta" }));
}
