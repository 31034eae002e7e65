import { setImmediate as nextRound } from "node:timers/promises";
import type { SessionEvent } from "../../contract/events.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { SessionSpans, Span } from "../../contract/past.ts";
import type { StoredRow } from "../../contract/stream.ts";
import type { SpanKind } from "../../contract/vocabulary.ts";
import { SPAN_KINDS } from "../../contract/vocabulary.ts";
import { jsonBytes } from "../../core/text-size.ts";
import type { RowsByKind } from "../../core/view/page-spans.ts";
import { pageSpans } from "../../core/view/page-spans.ts";
import { overAt, readTime, toSpans } from "../../core/view/to-spans.ts";
import { iso } from "../../core/view/view-session.ts";
import { type MergedPart, readParts } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import type { FoundSession } from "./find-session.ts";
import { knownEvent } from "./read-head-at.ts";

interface SpanQuery {
  /** A place in the session's log. */
  readonly before: number;
  readonly limit: number;
  readonly from: number;
  readonly to: number;
}

/** One page of a session's past, from its index. The cost depends on the page, not on the length of the log. */
export async function readSpans(
  store: StreamStore,
  { stream, head }: FoundSession,
  query: SpanQuery,
): Promise<SessionSpans> {
  const { before } = query;
  const ref = { id: stream.id };
  const readRows = async (limit: number, bytes?: number) => {
    const [part] = await readParts(store, [
      {
        ref,
        rows: [
          // One more row shows if there are more.
          ...SPAN_KINDS.map((kind) => ({
            kind,
            before,
            limit: limit + 1,
            ...(bytes !== undefined && { bytes }),
          })),
          { kind: "phase", after: before - 1, limit: 1 },
        ],
      },
    ]);
    return part;
  };
  const first = await readRows(query.limit, ROWS_BYTES);
  const fitting = limitWithin(rowsIn(first), query.limit);
  const limit = Math.max(1, fitting);
  const read = fitting > 0 ? first : await readRows(1);
  const page = pageSpans(rowsIn(read), limit);
  // A turn's row lacks its message and, if it was recorded whole, its time; an approval's row lacks its action.
  const opened = await readOpenings(store, stream.id, [...page.rows.turn, ...page.rows.approval]);
  const driven = stream.lease?.live ?? false;
  const nextPhase = read?.rows[SPAN_KINDS.length]?.[0];
  const spans = toSpans({ ...page, head, driven, before, nextPhase, opened });
  return {
    session_id: head.session_id,
    entity_id: head.entity_id,
    agent_name: head.agent_name,
    title: head.title,
    status: head.status,
    ...timesOf({ stream, head }),
    version: stream.seq,
    earlier: page.earlier,
    spans: spans.filter((span) => isWithin(span, query)),
  };
}

/**
 * The events that opened these rows, by seq. Answers are omitted, because they can be much longer than everything
 * shown.
 */
async function readOpenings(
  store: StreamStore,
  id: string,
  rows: readonly StoredRow[],
): Promise<Map<number, SessionEvent>> {
  const opened = new Map<number, SessionEvent>();
  for (let done = 0; done < rows.length; ) {
    done += await readSomeOpenings(store, id, rows.slice(done), opened);
    // Each round reads up to a whole page, so other requests get their turn in between.
    await nextRound();
  }
  return opened;
}

/**
 * Returns the number of rows read. A separate function, because a loop that waits still holds the events of its last round.
 */
async function readSomeOpenings(
  store: StreamStore,
  id: string,
  rows: readonly StoredRow[],
  opened: Map<number, SessionEvent>,
): Promise<number> {
  const reads = rows.map(({ place }) => ({
    ref: { id },
    events: [{ after: place - 1, limit: 1 }],
  }));
  const parts = await readParts(store, reads, LIMITS.PAGE_BYTES);
  for (const stored of parts.flatMap((part) => part?.events.flat() ?? [])) {
    const event = knownEvent(stored);
    const isRecorded = event.type === "turn.recorded";
    const shown = isRecorded ? { ...event, data: { ...event.data, output: "" } } : event;
    opened.set(event.seq, shown);
  }
  return parts.length;
}

/** The byte limit for rows of one kind. */
const ROWS_BYTES = LIMITS.PAGE_BYTES / 4;

/** The page size if the byte limit may have cut off rows of a kind; one more row shows that there are more. */
function limitWithin(rows: RowsByKind, limit: number): number {
  const isCut = (some: readonly StoredRow[]) =>
    some.length <= limit && jsonBytes(some) > ROWS_BYTES / 2;
  return Math.min(
    limit,
    ...Object.values(rows)
      .filter(isCut)
      .map(({ length }) => length - 1),
  );
}

/** The start and end, as reported by an outside agent. */
export function timesOf({ head }: FoundSession): {
  readonly created_at: string;
  readonly ended_at: string | null;
} {
  const { observation, created_at } = head;
  return {
    created_at: readTime(observation?.started_at) ?? iso(created_at),
    ended_at: readTime(observation?.ended_at) ?? overAt(head),
  };
}

export function isWithin(
  { from, to }: Pick<Span, "from" | "to">,
  query: Pick<SpanQuery, "from" | "to">,
): boolean {
  return Date.parse(from) < query.to && (to === null || Date.parse(to) >= query.from);
}

function rowsIn(part: MergedPart | undefined): RowsByKind {
  const of = (kind: SpanKind) => part?.rows[SPAN_KINDS.indexOf(kind)] ?? [];
  return {
    phase: of("phase"),
    turn: of("turn"),
    action: of("action"),
    approval: of("approval"),
    checkpoint: of("checkpoint"),
    life: of("life"),
    recovery: of("recovery"),
  };
}
