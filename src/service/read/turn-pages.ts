import type { SessionEvent } from "../../contract/events.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Turn } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { isSessionEvent } from "../../core/session/known-events.ts";
import { jsonBytes } from "../../core/text-size.ts";
import { iso } from "../../core/view/view-session.ts";
import type { StoredEvent } from "../../store/stream-store.ts";
import { knownEvent } from "./read-head-at.ts";

/** A page of a session's turns: the newest, or those before a place in its log. */
export interface TurnPage {
  readonly id: string;
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface ConversationPage {
  readonly turns: Draft[];
  readonly next_cursor: number | null;
}

/** A page that is filled with events, which are read backwards. */
interface PageInProgress {
  readonly id: string;
  /** The place before which the log is read next. */
  readonly before: number;
  /** The number of events still to read. */
  readonly wants: number;
  /** The size of all complete turns. */
  readonly size: number;
  fill(events: readonly StoredEvent[]): void;
  finish(): ConversationPage;
}

/** Null unless the events are a page of recorded turns. Each of them is one event, so no index is needed. */
export function recordedPage(
  { id, limit }: TurnPage,
  events: readonly StoredEvent[],
): PageInProgress | null {
  const [first] = events;
  if (events.length !== limit || !first) return null;
  const turns: Draft[] = [];
  for (const event of events) {
    if (!isSessionEvent(event) || event.type !== "turn.recorded") return null;
    const turn = createDraft(event.seq);
    fillRecorded(turn, event);
    // A character has at most three bytes per unit of length, so most turns need not be counted.
    if (3 * (turn.input.length + turn.output.length) > LIMITS.PAGE_BYTES) shortenTurn(turn);
    turns.push(turn);
  }
  return new RecordedPage(id, first.seq, turns);
}

/** A page that needs no more events. */
class RecordedPage implements PageInProgress {
  readonly id: string;
  readonly before: number;
  readonly wants = 0;
  readonly #turns: Draft[];

  constructor(id: string, before: number, turns: Draft[]) {
    this.id = id;
    this.before = before;
    this.#turns = turns;
  }

  get size(): number {
    return this.#turns.reduce((sum, turn) => sum + 1 + shortenTurn(turn), 0);
  }

  fill(): void {}

  finish(): ConversationPage {
    return { turns: this.#turns, next_cursor: this.before };
  }
}

/** The limit for rows of turns. Some rows contain their texts; each is far smaller than half of this. */
export const ROWS_BYTES = LIMITS.PAGE_BYTES;

/** True if the byte limit may have cut off earlier rows. */
function mayBeCut(rows: readonly StoredRow[]): boolean {
  return jsonBytes(rows) > ROWS_BYTES / 2;
}

/**
 * Turns whose texts are still in the log, which is read backwards. Once the event that started a turn is read, the turn
 * is complete and the page can end before it.
 */
export class DraftedPage implements PageInProgress {
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
    this.#drafts = new Map(rows.map((row) => [row.place, createDraft(row.place, row.data)]));
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
    // The log ended before the place that its index names; there is nothing more to read.
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
      fillRecorded(opened, event);
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
    this.#whole.push(opened);
    return 1 + shortenTurn(opened, said?.bytes);
  }
}

/** Cuts a turn that is larger than a page. Returns the bytes of its texts. */
function shortenTurn(turn: Draft, output = Buffer.byteLength(turn.output)): number {
  const bytes = Buffer.byteLength(turn.input) + output;
  if (bytes <= LIMITS.PAGE_BYTES) return bytes;
  turn.input = beginningOf(turn.input, LIMITS.PAGE_BYTES / 2);
  const room = LIMITS.PAGE_BYTES - Buffer.byteLength(turn.input);
  turn.output = beginningOf(turn.output, room);
  turn.whole_bytes = bytes;
  return LIMITS.PAGE_BYTES;
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

function createDraft(seq: number, { status, ended_at }: StoredRow["data"] = {}): Draft {
  return {
    turn_id: "",
    status: typeof status === "string" ? status : "completed",
    input: "",
    output: "",
    started_at: "",
    ended_at: typeof ended_at === "number" ? iso(ended_at) : null,
    seq,
  };
}

function fillRecorded(
  turn: Draft,
  { at, data }: Extract<SessionEvent, { type: "turn.recorded" }>,
): void {
  turn.turn_id = data.turn_id;
  turn.input = data.input;
  turn.output = data.output;
  turn.started_at = iso(at);
  turn.ended_at = turn.started_at;
}

function lastSeq(row: StoredRow): number {
  return typeof row.data.to === "number" ? row.data.to : row.place;
}
