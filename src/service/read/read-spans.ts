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

/** One page of a session's past, out of its index: it costs what is on the page, however long the log is. */
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
          // One more tells whether there are more.
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
  // A turn's row has neither its message nor, when it was recorded whole, its time; an approval's has not its action.
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

/** The events that opened these rows, by seq. What was answered is left out: it can be far longer than all that is shown. */
async function readOpenings(
  store: StreamStore,
  id: string,
  rows: readonly StoredRow[],
): Promise<Map<number, SessionEvent>> {
  const opened = new Map<number, SessionEvent>();
  for (let done = 0; done < rows.length; ) {
    const reads = rows
      .slice(done)
      .map(({ place }) => ({ ref: { id }, events: [{ after: place - 1, limit: 1 }] }));
    const parts = await readParts(store, reads, LIMITS.PAGE_BYTES);
    for (const stored of parts.flatMap((part) => part?.events.flat() ?? [])) {
      const event = knownEvent(stored);
      const isRecorded = event.type === "turn.recorded";
      const shown = isRecorded ? { ...event, data: { ...event.data, output: "" } } : event;
      opened.set(event.seq, shown);
    }
    done += parts.length;
    // Each time as much as a whole page: others are answered in between.
    await nextRound();
  }
  return opened;
}

/** Bytes of the rows of one kind. */
const ROWS_BYTES = LIMITS.PAGE_BYTES / 4;

/** How many of each kind the page has where one of them may have been cut by its bytes; one more says that there are more. */
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

/** When it began and ended, as an outside agent says itself. */
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
