import {
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from "graphql";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Delta } from "../../contract/run-event.ts";
import type { FollowedEvent } from "../../contract/session.ts";
import type { ItemPlace } from "../../drive/run/given-text.ts";
import { findFollowStart } from "../../service/follow/find-follow-start.ts";
import type { Ask } from "./graphql-parts.ts";
import { DATE_TIME, JSON_VALUE } from "./scalars.ts";

type StreamItem = FollowedEvent | Delta;

const DELTA = new GraphQLObjectType<unknown, Ask>({
  name: "Delta",
  description: "A piece of an answer before it is stored, with its position",
  fields: {
    turnId: { type: new GraphQLNonNull(GraphQLID), resolve: field("turn_id") },
    item: { type: new GraphQLNonNull(GraphQLInt), resolve: field("item") },
    kind: {
      type: new GraphQLNonNull(GraphQLString),
      description: "message or thought",
      resolve: field("kind"),
    },
    offset: {
      type: new GraphQLNonNull(GraphQLInt),
      description: "in UTF-16 units from the start of the item",
      resolve: field("offset"),
    },
    text: { type: new GraphQLNonNull(GraphQLString), resolve: field("text") },
  },
});

const AGENT_EVENT = new GraphQLObjectType<StreamItem, Ask>({
  name: "AgentEvent",
  description: `An event of a session: an event of its log or, with the type \`delta\`, the agent's text before it is stored.

Later the same text is stored, in events of the type \`turn.part\` with the same turn_id, item and offset, split differently. \
To show each piece once, count for each (turn, item) how many UTF-16 units you have, and use from every delta and every \
turn.part of kind message or thought only the text after that count.`,
  fields: {
    type: {
      type: new GraphQLNonNull(GraphQLString),
      resolve: (told) => ("seq" in told ? told.type : "delta"),
    },
    data: {
      type: JSON_VALUE,
      description: "the event's data from the log",
      resolve: (told) => ("seq" in told ? told.data : withoutPlace(told)),
    },
    seq: {
      type: GraphQLInt,
      description: "its position in the log; null for a delta",
      resolve: (told) => ("seq" in told ? told.seq : null),
    },
    cursor: {
      type: GraphQLString,
      description: "the place after it, from which to continue; null for a delta",
      resolve: field("cursor"),
    },
    delta: { type: DELTA, resolve: (told) => ("seq" in told ? null : told) },
    at: { type: DATE_TIME, resolve: field("at") },
    actor: { type: GraphQLString, resolve: field("actor") },
    interface: { type: GraphQLString, resolve: field("interface") },
    traceId: { type: GraphQLString, resolve: field("trace_id") },
    hash: { type: GraphQLString, resolve: field("hash") },
  },
});

const DELTA_PLACE = new GraphQLInputObjectType({
  name: "DeltaPlaceInput",
  description:
    "How much text you have of an item that was not stored yet; that text is not sent again",
  fields: {
    turnId: { type: new GraphQLNonNull(GraphQLID) },
    item: { type: new GraphQLNonNull(GraphQLInt) },
    offset: { type: new GraphQLNonNull(GraphQLInt) },
  },
});

/** The same events as the HTTP event stream, from the place that a client names. */
export const sessionEvents: GraphQLFieldConfig<unknown, Ask> = {
  description:
    "Follow a session's events, each once and in order, and its agent's text as it happens. After a disconnect, pass the last cursor to miss no events. If the session no longer has that event, because an older copy of the data was restored, the error is history_changed.",
  type: new GraphQLNonNull(AGENT_EVENT),
  args: {
    sessionId: { type: new GraphQLNonNull(GraphQLID) },
    cursor: { type: GraphQLString, description: "the cursor of the last event that you have" },
    after: {
      type: GraphQLInt,
      description: "the seq of the last event that you have, which is not checked; default: none",
    },
    delta: { type: DELTA_PLACE },
  },
  async subscribe(_root, args, { parts, caller, signal }) {
    const start = await findFollowStart(parts.service, args.sessionId, readAfter(args), caller);
    const from = { place: start.place, read: readPlace(args.delta) };
    return parts.watch(caller, start.entity_id, from, signal);
  },
  // The resolved value is the event itself.
  resolve: (told) => told,
};

function readAfter({ after, cursor }: Readonly<Record<string, unknown>>): string | number | null {
  if (typeof after === "number" && typeof cursor === "string") {
    const message = "Use either after or cursor, not both.";
    throw new BelayError(refuse("invalid_input", message, { field: "cursor" }));
  }
  if (typeof cursor === "string") return cursor;
  return typeof after === "number" ? after : null;
}

function readPlace(place: unknown): ItemPlace | null {
  if (!isRecord(place)) return null;
  return {
    turn_id: String(place.turnId),
    item: Number(place.item),
    offset: Number(place.offset),
  };
}

function withoutPlace({ after, ...data }: Delta): Omit<Delta, "after"> {
  return data;
}

function field(name: string): (source: unknown) => unknown {
  return (source) => (isRecord(source) ? source[name] : undefined);
}
