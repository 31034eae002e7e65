import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Turn } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { shortenText } from "../../contract/visible-text.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StoredEvent, StreamStore } from "../../store/stream-store.ts";
import { showsMerged } from "./shows-merged.ts";
import {
  type ConversationPage,
  DraftedPage,
  ROWS_BYTES,
  recordedPage,
  type TurnPage,
} from "./turn-pages.ts";

const EVENTS_AT_ONCE = 1000;

/** The newest turns before a place in the log, oldest first. The cost does not depend on the length of the history. */
export async function readConversation(
  store: StreamStore,
  id: string,
  page: Omit<TurnPage, "id">,
): Promise<ConversationPage> {
  const [conversation] = await readConversations(store, [{ ...page, id }]);
  return conversation ?? { turns: [], next_cursor: null };
}

/** The same for many sessions, with as many reads as the longest of them needs alone, unless there is a lot to read. */
export async function readConversations(
  store: StreamStore,
  pages: readonly TurnPage[],
  depth = 0,
): Promise<ConversationPage[]> {
  const tails = await readBackwards(
    store,
    pages.map(({ id, before = END, limit }) => ({ id, before, wants: limit })),
  );
  const recorded = pages.map((page, n) => recordedPage(page, tails[n] ?? []));
  const indexed = pages.filter((_, n) => !recorded[n]);
  const rows = await readTurnRows(store, indexed);
  const drafted = pages.map(
    (page, n) => recorded[n] ?? new DraftedPage(page, rows.get(page) ?? [], tails[n] ?? []),
  );
  for (;;) {
    const open = drafted.filter((page) => page.wants > 0);
    if (open.length === 0) break;
    const read = await readBackwards(store, open);
    for (const [n, events] of read.entries()) open[n]?.fill(events);
    const size = drafted.reduce((sum, page) => sum + page.size, 0);
    if (size > MOST_BYTES && drafted.length > 1) throw new BelayError(tooMuch());
  }
  const conversations = drafted.map((page) => page.finish());
  for (const [n, { id }] of pages.entries()) {
    for (const turn of conversations[n]?.turns ?? []) {
      if (turn.merged) turn.output = await readMerged(store, id, turn, depth);
    }
  }
  return conversations;
}

/** The number of a merged session's turns that are shown with the merge; the rest is in that session. */
const MERGED_TURNS = 5;
const MERGED_CHARS = 4000;
/** The depth to which merges within merges are shown. */
const MERGED_DEPTH = 2;

/** The newest turns of a merged session, from its own log. */
async function readMerged(
  store: StreamStore,
  id: string,
  { merged }: Turn,
  depth: number,
): Promise<string> {
  if (!merged || depth >= MERGED_DEPTH) return "";
  const page = { id: merged.entity_id, before: merged.to + 1, limit: MERGED_TURNS };
  const isShown = await showsMerged(store, id, merged.entity_id);
  const [conversation] = isShown ? await readConversations(store, [page], depth + 1) : [];
  const turns = (conversation?.turns ?? []).filter(({ seq }) => seq > merged.after);
  const earlier = merged.turns - turns.length;
  return [
    ...(earlier > 0 ? [`(${earlier} earlier turns are in ${merged.session_id}.)`] : []),
    ...turns.flatMap(({ input, output }) => [
      `Asked: ${shortenText(input, MERGED_CHARS)}`,
      `Answered: ${shortenText(output, MERGED_CHARS)}`,
    ]),
  ].join("\n");
}

const END = Number.MAX_SAFE_INTEGER;

/** The events before a place of each session; only of the first ones if they have too many bytes. */
async function readBackwards(
  store: StreamStore,
  pages: readonly Pick<DraftedPage, "id" | "before" | "wants">[],
): Promise<(readonly StoredEvent[])[]> {
  const parts = await readParts(
    store,
    pages.map(({ id, before, wants }) => {
      const limit = Math.min(wants, EVENTS_AT_ONCE);
      return { ref: { id }, events: [{ before, limit, bytes: LIMITS.PAGE_BYTES }] };
    }),
    LIMITS.PAGE_BYTES,
  );
  return parts.map((part) => part?.events[0] ?? []);
}

async function readTurnRows(
  store: StreamStore,
  pages: readonly TurnPage[],
): Promise<Map<TurnPage, readonly StoredRow[]>> {
  if (pages.length === 0) return new Map();
  const parts = await readParts(
    store,
    pages.map(({ id, before = END, limit }) => ({
      ref: { id },
      rows: [{ kind: "turn", before, limit, bytes: ROWS_BYTES }],
    })),
  );
  return new Map(pages.map((page, n) => [page, parts[n]?.rows[0] ?? []]));
}

/** The limit for many conversations together. */
const MOST_BYTES = 4 * LIMITS.PAGE_BYTES;

function tooMuch() {
  const message = "These conversations are too long for one answer. Ask for fewer sessions.";
  return refuse("too_large", message, { max: MOST_BYTES });
}
