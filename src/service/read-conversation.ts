import type { SessionEvent } from "../contract/events.ts";
import type { Turn } from "../contract/session.ts";
import type { StoredRow } from "../contract/stream.ts";
import { iso } from "../core/view-session.ts";
import type { StreamStore } from "../store/stream-store.ts";
import { knownEvent } from "./read-head-at.ts";

const EVENTS_AT_ONCE = 1000;

/** The newest turns before a place in the log, oldest first, whatever the length of the history behind them. */
export async function readConversation(
  store: StreamStore,
  id: string,
  page: { readonly before?: number | undefined; readonly limit: number },
): Promise<{ turns: Turn[]; next_cursor: number | null }> {
  const rows = await store.readRows(id, {
    kind: "turn",
    before: page.before ?? Number.MAX_SAFE_INTEGER,
    limit: page.limit,
  });
  const first = rows[0]?.place;
  if (first === undefined) return { turns: [], next_cursor: null };
  const last = rows.reduce((seq, row) => Math.max(seq, lastSeq(row)), first);
  const drafts = new Map(rows.map((row) => [row.place, draft(row)]));
  const byId = new Map<string, Draft>();
  for (let after = first - 1; after < last; ) {
    const limit = Math.min(last - after, EVENTS_AT_ONCE);
    const events = await store.readEvents(id, { after, limit });
    if (events.length === 0) break;
    for (const event of events) fillIn(knownEvent(event), drafts, byId);
    after += events.length;
  }
  return {
    turns: [...drafts.values()],
    next_cursor: rows.length < page.limit ? null : first,
  };
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
