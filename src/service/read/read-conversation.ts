import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionEvent } from "../../contract/events.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Turn } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { shortenText } from "../../contract/visible-text.ts";
import { jsonBytes } from "../../core/text-size.ts";
import { iso } from "../../core/view/view-session.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StoredEvent, StreamStore } from "../../store/stream-store.ts";
import { knownEvent } from "./read-head-at.ts";

const EVENTS_AT_ONCE = 1000;

/** A page of a session's turns: the newest, or those before a place in its log. */
export interface TurnPage {
  readonly id: string;
  readonly before?: number | undefined;
  readonly limit: number;
}

interface ConversationPage {
  readonly turns: Draft[];
  readonly next_cursor: number | null;
}

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
  const indexed = pages.filter(({ limit }, n) => !isWholePage(tails[n] ?? [], limit));
  const rows = await readTurnRows(store, indexed);
  const drafted = pages.map((page, n) => {
    const tail = tails[n] ?? [];
    return new DraftedPage(page, rows.get(page) ?? tail.map(toTurnRow), tail);
  });
  for (;;) {
    const open = drafted.filter((page) => page.wants > 0);
    if (open.length === 0) break;
    const read = await readBackwards(store, open);
    for (const [n, events] of read.entries()) open[n]?.fill(events);
    const size = drafted.reduce((sum, page) => sum + page.size, 0);
    if (size > MOST_BYTES && drafted.length > 1) throw new BelayError(tooMuch());
  }
  const conversations = drafted.map((page) => page.finish());
  for (const { turns } of conversations) {
    for (const turn of turns) if (turn.merged) turn.output = await readMerged(store, turn, depth);
  }
  return conversations;
}

/** The number of a merged session's turns that are shown with the merge; the rest is in that session. */
const MERGED_TURNS = 5;
const MERGED_CHARS = 4000;
/** The depth to which merges within merges are shown. */
const MERGED_DEPTH = 2;

/** The newest turns of a merged session, from its own log. */
async function readMerged(store: StreamStore, { merged }: Turn, depth: number): Promise<string> {
  if (!merged || depth >= MERGED_DEPTH) return "";
  const page = { id: merged.entity_id, before: merged.to + 1, limit: MERGED_TURNS };
  const [conversation] = await readConversations(store, [page], depth + 1);
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

/** A recorded turn is one event, so a page of recorded turns needs no index. */
function isWholePage(tail: readonly StoredEvent[], limit: number): boolean {
  return tail.length === limit && tail.every(({ type }) => type === "turn.recorded");
}

function toTurnRow({ seq }: StoredEvent): StoredRow {
  return { place: seq, nth: 0, key: null, data: {} };
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

/** The limit for rows of turns. Some rows contain their texts; each is far smaller than half of this. */
const ROWS_BYTES = LIMITS.PAGE_BYTES;

/** True if the byte limit may have cut off earlier rows. */
function mayBeCut(rows: readonly StoredRow[]): boolean {
  return jsonBytes(rows) > ROWS_BYTES / 2;
}

/** The limit for many conversations together. */
const MOST_BYTES = 4 * LIMITS.PAGE_BYTES;

function tooMuch() {
  const message = "These conversations are too long for one answer. Ask for fewer sessions.";
  return refuse("too_large", message, { max: MOST_BYTES });
}

/**
 * Turns whose texts are still in the log, which is read backwards. Once the event that started a turn is read, the turn
 * is complete and the page can end before it.
 */
class DraftedPage {
  readonly id: string;
  readonly #drafts: ReadonlyMap<number, Draft>;
  readonly #next: number | null;
  #first: number;
  readonly #said = new Map<string, SaidText>();
  readonly #agents = new Map<string, string>();
  readonly #whole: Draft[] = [];
  /** The place before which the log is read next. */
  before: number;
  /** The size of all complete turns. */
  size = 0;

  /** `tail` are the events before the page's own place, as far as they were read. */
  constructor({ id, limit }: TurnPage, rows: readonly StoredRow[], tail: readonly StoredEvent[]) {
    const first = rows[0]?.place;
    this.id = id;
    this.#drafts = new Map(rows.map((row) => [row.place, draft(row)]));
    const isLast = rows.length < limit && !mayBeCut(rows);
    this.#next = first === undefined || isLast ? null : first;
    this.#first = first ?? 1;
    this.before = rows.reduce((seq, row) => Math.max(seq, lastSeq(row)), 0) + 1;
    const known = tail.filter(({ seq }) => seq < this.before && seq >= this.#first);
    if (known.at(-1)?.seq === this.before - 1) this.fill(known);
  }

  /** The number of events still to read. */
  get wants(): number {
    return Math.max(0, this.before - this.#first);
  }

  fill(events: readonly StoredEvent[]): void {
    for (const event of events.toReversed()) {
      this.before = event.seq;
      const size = this.#read(knownEvent(event));
      if (size > 0 && this.size + size > LIMITS.PAGE_BYTES && this.#whole.length > 1) {
        // This turn belongs to the previous page.
        this.#whole.pop();
        this.#first = this.before;
        return;
      }
      this.size += size;
    }
    // The log ended before its index says so; there is nothing more to read.
    if (events.length === 0) this.before = this.#first;
  }

  finish(): ConversationPage {
    const turns = this.#whole.toReversed();
    const isCut = turns.length < this.#drafts.size;
    return { turns, next_cursor: isCut ? (turns[0]?.seq ?? this.#next) : this.#next };
  }

  /** The size of the turn that this event completed; 0 if none. */
  #read(event: SessionEvent): number {
    if (event.type === "turn.part") {
      if (event.data.kind !== "message") return 0;
      const said = this.#said.get(event.data.turn_id) ?? new SaidText();
      said.addBefore(event.data.text);
      this.#said.set(event.data.turn_id, said);
      return 0;
    }
    if (event.type === "turn.started" && event.actor.startsWith(AGENT)) {
      this.#agents.set(event.data.turn_id, event.actor.slice(AGENT.length));
    }
    const opened = this.#drafts.get(event.seq);
    if (!opened) return 0;
    let said: SaidText | undefined;
    if (event.type === "turn.recorded") {
      opened.turn_id = event.data.turn_id;
      opened.input = event.data.input;
      opened.output = event.data.output;
      opened.started_at = iso(event.at);
      opened.ended_at = opened.started_at;
    } else if (event.type === "message.queued" || event.type === "turn.started") {
      opened.turn_id = event.data.turn_id;
      opened.input = event.data.content ?? "";
      said = this.#said.get(opened.turn_id);
      opened.output = said?.text() ?? "";
      opened.started_at = iso(event.at);
      const agent_name = this.#agents.get(opened.turn_id);
      if (agent_name !== undefined) opened.agent_name = agent_name;
      this.#said.delete(opened.turn_id);
    } else if (event.type === "session.merged") {
      const { from, turns } = event.data;
      opened.turn_id = `merge-${event.seq}`;
      opened.input = `Merged from ${from.session_id}`;
      opened.merged = { ...from, turns };
      opened.started_at = iso(event.at);
      opened.ended_at = opened.started_at;
    }
    const input = Buffer.byteLength(opened.input);
    const output = said?.bytes ?? Buffer.byteLength(opened.output);
    if (input + output > LIMITS.PAGE_BYTES) {
      opened.input = beginningOf(opened.input, LIMITS.PAGE_BYTES / 2);
      const room = LIMITS.PAGE_BYTES - Buffer.byteLength(opened.input);
      opened.output = beginningOf(opened.output, room);
      opened.whole_bytes = input + output;
    }
    this.#whole.push(opened);
    return 1 + Math.min(input + output, LIMITS.PAGE_BYTES);
  }
}

/** The prefix of an actor that acts for an agent. */
const AGENT = "agent:";

/** A text that is read from end to start. If it is long, only its start is kept. */
class SaidText {
  /** The last piece comes first. */
  readonly #pieces: string[] = [];
  #kept = 0;
  bytes = 0;

  addBefore(text: string): void {
    this.#pieces.push(text);
    this.#kept += text.length;
    this.bytes += Buffer.byteLength(text);
    for (let [last] = this.#pieces; last !== undefined; [last] = this.#pieces) {
      if (this.#kept - last.length < LIMITS.PAGE_BYTES) return;
      this.#kept -= last.length;
      this.#pieces.shift();
    }
  }

  text(): string {
    return this.#pieces.toReversed().join("");
  }
}

/** At most this many bytes, without half a character at the end. */
function beginningOf(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
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
