import type { SessionEvent } from "../contract/events.ts";
import type { Turn } from "../contract/session.ts";
import type { StoredRow } from "../contract/stream.ts";
import { iso } from "../core/view-session.ts";
import type { StoredEvent, StreamStore } from "../store/stream-store.ts";
import { knownEvent } from "./read-head-at.ts";

const EVENTS_AT_ONCE = 1000;

/** Which turns of a session, by its entity id: the newest, or those before a place in its log. */
export interface TurnPage {
  readonly id: string;
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface Conversation {
  readonly turns: Turn[];
  readonly next_cursor: number | null;
}

/** The newest turns before a place in the log, oldest first, whatever the length of the history behind them. */
export async function readConversation(
  store: StreamStore,
  id: string,
  page: Omit<TurnPage, "id">,
): Promise<Conversation> {
  const [conversation] = await readConversations(store, [{ ...page, id }]);
  return conversation ?? { turns: [], next_cursor: null };
}

/** The same of many sessions, with as many reads as the longest of them needs alone. */
export async function readConversations(
  store: StreamStore,
  pages: readonly TurnPage[],
): Promise<Conversation[]> {
  const parts = await store.readMany(
    pages.map(({ id, before = Number.MAX_SAFE_INTEGER, limit }) => ({
      ref: { id },
      rows: [{ kind: "turn", before, limit }],
    })),
  );
  const drafted = pages.map(({ id, limit }, n) => draftPage(id, limit, parts[n]?.rows[0] ?? []));
  for (let open = drafted; ; ) {
    open = open.filter(({ after, last }) => after < last);
    if (open.length === 0) break;
    const read = await store.readMany(
      open.map(({ id, after, last }) => ({
        ref: { id },
        events: [{ after, limit: Math.min(last - after, EVENTS_AT_ONCE) }],
      })),
    );
    for (const [n, page] of open.entries()) fillPage(page, read[n]?.events[0] ?? []);
  }
  return drafted.map(({ drafts, next_cursor }) => ({ turns: [...drafts.values()], next_cursor }));
}

/** Turns whose texts still stand in the log, and how far that has been read. */
interface DraftedPage {
  readonly id: string;
  readonly drafts: ReadonlyMap<number, Draft>;
  readonly byId: Map<string, Draft>;
  readonly next_cursor: number | null;
  readonly last: number;
  after: number;
}

function draftPage(id: string, limit: number, rows: readonly StoredRow[]): DraftedPage {
  const first = rows[0]?.place;
  return {
    id,
    drafts: new Map(rows.map((row) => [row.place, draft(row)])),
    byId: new Map(),
    next_cursor: first === undefined || rows.length < limit ? null : first,
    last: rows.reduce((seq, row) => Math.max(seq, lastSeq(row)), 0),
    after: (first ?? 1) - 1,
  };
}

function fillPage(page: DraftedPage, events: readonly StoredEvent[]): void {
  for (const event of events) fillIn(knownEvent(event), page.drafts, page.byId);
  // A log that ends before its index says so has no more to tell.
  page.after = events.length === 0 ? page.last : page.after + events.length;
}

type Draft = { -readonly [K in keyof Turn]: Turn[K] };

function draft(row: StoredRow): Draft {
  return {
    turn_id: "",
    status: typeof row.data.status === "string" ? row.data.status : "completed",
    input: "",
    output: "",
    started_at: "",
    ended_at: typeof row.data.ended_at === "number" ? iso(row.data.ended_at) : null,
    seq: row.place,
  };
}

function lastSeq(row: StoredRow): number {
  return typeof row.data.to === "number" ? row.data.to : row.place;
}

function fillIn(
  event: SessionEvent,
  drafts: ReadonlyMap<number, Draft>,
  byId: Map<string, Draft>,
): void {
  const opened = drafts.get(event.seq);
  switch (event.type) {
    case "turn.recorded":
      if (opened) {
        opened.turn_id = event.data.turn_id;
        opened.input = event.data.input;
        opened.output = event.data.output;
        opened.started_at = iso(event.at);
        opened.ended_at = opened.started_at;
      }
      return;
    case "message.queued":
    case "turn.started":
      if (opened) {
        opened.turn_id = event.data.turn_id;
        opened.input = event.data.content ?? "";
        opened.started_at = iso(event.at);
        byId.set(event.data.turn_id, opened);
      }
      return;
    case "turn.part": {
      const turn = byId.get(event.data.turn_id);
      if (turn && event.data.kind === "message") turn.output += event.data.text;
      return;
    }
    default:
      return;
  }
}
