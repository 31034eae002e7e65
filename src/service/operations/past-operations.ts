import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { TimelineEvent } from "../../contract/past.ts";
import { readInstant } from "../../contract/read-instant.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { endOfSpan } from "../../core/end-of-span.ts";
import { countSessions } from "../../core/view/count-sessions.ts";
import { iso } from "../../core/view/view-session.ts";
import { readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { countedInAll, countedSessions } from "../read/counted-sessions.ts";
import { readCursorParts, writeCursorParts } from "../read/cursor-parts.ts";
import { findReferring } from "../read/find-referring.ts";
import type { FoundSession } from "../read/find-session.ts";
import { PageRoom } from "../read/page-room.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Operations that read the past. */
export const pastOperations = {
  async timeline(
    { store }: ServiceContext,
    input: Parsed<"timeline">,
    caller: Caller,
  ): Promise<Output<"timeline">> {
    const from = input.start_date === undefined ? -Infinity : readInstant(input.start_date);
    const to = input.end_date === undefined ? Infinity : endOfSpan(input.end_date);
    const sessions = await findReferring(store, caller.owner, input.entity_id);
    const after = input.cursor === undefined ? null : readPlace(input.cursor);
    const told: TimelineEntry[] = [];
    for (const session of sessions) {
      const ofSession = await readTimelineEntries(store, session);
      told.push(
        ...ofSession.filter((one) => one.at >= from && one.at < to && isBehind(one, after)),
      );
    }
    told.sort(comparePlaces);
    const room = new PageRoom();
    const end = told.findIndex(({ event }) => !room.fits(event));
    const page = end < 0 ? told : told.slice(0, end);
    const last = page.at(-1);
    return {
      entity_id: input.entity_id,
      events: page.map(({ event }) => event),
      next_cursor: end < 0 || !last ? null : writePlace(last),
    };
  },

  async stats(
    { store }: ServiceContext,
    input: Parsed<"stats">,
    caller: Caller,
  ): Promise<Output<"stats">> {
    const since = input.from === undefined ? -Infinity : readInstant(input.from);
    const until = input.to === undefined ? Infinity : endOfSpan(input.to);
    const { agent } = input;
    const counted = await countedSessions(store, caller.owner);
    const isAll = since === -Infinity && until === Infinity && agent === undefined;
    const numbers = isAll
      ? countedInAll(counted)
      : countSessions(
          [...counted.sessions.values()].filter(
            ({ is_deleted, updated_at, created_at, agent_name }) =>
              !is_deleted &&
              updated_at >= since &&
              created_at < until &&
              (agent === undefined || agent_name === agent),
          ),
        );
    return { from: input.from ?? null, to: input.to ?? null, ...numbers };
  },
};

/** An event's position in a timeline. Later additions never change the order of two existing events. */
interface TimelinePlace {
  readonly at: number;
  readonly entity_id: string;
  /** The position within its session: actions, then checkpoints, then its end. */
  readonly nth: number;
}

interface TimelineEntry extends TimelinePlace {
  readonly event: TimelineEvent;
}

function comparePlaces(a: TimelinePlace, b: TimelinePlace): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.entity_id !== b.entity_id) return a.entity_id < b.entity_id ? -1 : 1;
  return a.nth - b.nth;
}

function isBehind(place: TimelinePlace, other: TimelinePlace | null): boolean {
  return other === null || comparePlaces(place, other) > 0;
}

function writePlace({ at, entity_id, nth }: TimelinePlace): string {
  return writeCursorParts([at, entity_id, nth]);
}

function readPlace(cursor: string): TimelinePlace {
  const [at, entity_id, nth] = readCursorParts(cursor);
  if (typeof at === "number" && typeof entity_id === "string" && typeof nth === "number") {
    return { at, entity_id, nth };
  }
  const message = "Invalid cursor. Use next_cursor from the previous page.";
  throw new BelayError(refuse("invalid_input", message, { field: "cursor" }));
}

async function readTimelineEntries(
  store: StreamStore,
  { stream, head }: FoundSession,
): Promise<TimelineEntry[]> {
  const base = {
    session_id: head.session_id,
    session_entity_id: head.entity_id,
    agent_name: head.agent_name,
  };
  const started = head.observation?.started_at ?? iso(head.created_at);
  const ended = head.observation?.ended_at ?? (head.ended ? iso(head.ended.at) : null);
  const actions = await readAll(store, stream.id, "action", ({ data }): TimelineEvent[] =>
    typeof data.timestamp === "string"
      ? [
          {
            ...base,
            timestamp: data.timestamp,
            type: "action",
            name: String(data.type),
            result: text(data.result ?? data.status),
          },
        ]
      : [],
  );
  const checkpoints = await readAll(store, stream.id, "checkpoint", ({ data }): TimelineEvent[] => [
    {
      ...base,
      timestamp: String(data.timestamp),
      type: "checkpoint",
      name: String(data.name),
      result: null,
    },
  ]);
  const { entity_id } = head;
  const toTold = (event: TimelineEvent, nth: number): TimelineEntry => {
    return { at: readInstant(event.timestamp), entity_id, nth, event };
  };
  const start = { ...base, type: "session_started", name: "started", result: null } as const;
  const end = { ...base, type: "session_ended", name: head.status, result: null } as const;
  return [
    toTold({ ...start, timestamp: started }, -1),
    ...actions.map(toTold),
    ...checkpoints.map((event, nth) => toTold(event, CHECKPOINTS + nth)),
    ...(ended === null ? [] : [toTold({ ...end, timestamp: ended }, 2 * CHECKPOINTS)]),
  ];
}

/** More than a session has actions, so that later ones do not move its checkpoints. */
const CHECKPOINTS = 1e9;

/** Reads all rows of a kind page by page, and returns only the shown part of each. */
async function readAll<T>(
  store: StreamStore,
  id: string,
  kind: string,
  show: (row: StoredRow) => T[],
): Promise<T[]> {
  const shown: T[] = [];
  for (let after = -1; ; ) {
    const rows = await readRows(store, id, { kind, after, limit: 500, bytes: LIMITS.PAGE_BYTES });
    const last = rows.at(-1);
    if (!last) return shown;
    for (const row of rows) shown.push(...show(row));
    after = last.place;
  }
}

function text(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}
