import type { SessionEvent } from "../../../../src/contract/events.ts";
import { planOf } from "../../../../src/core/view/run-events.ts";
import { addCallFact, type CallFacts, toCall } from "./call-facts.ts";
import { describeMark } from "./describe-mark.ts";
import type { Call, EventOf, Mark, Plan, Question, Queued, Text } from "./entry.ts";
import { Questions } from "./questions.ts";
import { type Row, Rows } from "./rows.ts";
import { type LivePiece, Texts, textKey } from "./texts.ts";
import { type TurnFacts, toSaid, toTurnEnd } from "./turn-facts.ts";

/**
 * A session's events as a conversation. Each event takes effect wherever it belongs, so that pages can come in any
 * order, twice and with gaps; the cost of an event does not depend on the length.
 */
export class Conversation {
  readonly #rows = new Rows();
  readonly #seen = new Map<number, string | null>();
  readonly #turns = new Map<string, TurnFacts>();
  readonly #texts = new Texts(this.#rows);
  readonly #questions = new Questions(this.#rows);
  readonly #calls = new Map<string, CallFacts>();
  readonly #waiting = new Map<string, Queued>();
  readonly #open = new Set<string>();
  #forkedAt = 0;
  #newest = 0;
  #oldest = Number.POSITIVE_INFINITY;

  get rows(): readonly Row[] {
    return this.#rows.list;
  }
  /** Changes when rows are added, removed or moved. */
  get order(): number {
    return this.#rows.order;
  }
  get newest(): number {
    return this.#newest;
  }
  get oldest(): number {
    return this.#oldest;
  }

  /** Messages that no turn has started with. Like the following, only correct if the newest events are loaded. */
  get queued(): Queued[] {
    return [...this.#waiting.values()];
  }

  get runningTurn(): string | null {
    return [...this.#open].at(-1) ?? null;
  }

  /** The newest message of a started turn; null if it is not loaded. */
  get lastSaid(): string | null {
    const said = this.#rows.list.findLast(({ entry }) => entry.kind === "said")?.entry;
    return said?.kind === "said" ? said.text : null;
  }

  get openQuestions(): Question[] {
    return this.#questions.open;
  }

  /** The end of the live text beyond the log, so that a resumed stream does not repeat it. */
  get livePlace(): { turn_id: string; item: number; offset: number } | null {
    const turn = this.runningTurn;
    return turn === null ? null : this.#texts.livePlace(turn);
  }

  callOf(action_id: string): Call | null {
    const entry = this.#rows.get(`call ${action_id}`)?.entry;
    return entry?.kind === "call" ? entry : null;
  }

  /** The newest plan of the running turn. */
  get plan(): Plan | null {
    const turn = this.runningTurn;
    const entry = turn === null ? undefined : this.#rows.get(`plan ${turn}`)?.entry;
    return entry?.kind === "plan" ? entry : null;
  }

  /** The start of the running turn, if it is loaded. */
  get runningSince(): number | null {
    const turn = this.runningTurn;
    return turn === null ? null : (this.#turn(turn).started?.at ?? null);
  }

  /** The row that shows an event, or the last one before it. */
  indexOf(seq: number): number {
    const key = this.#seen.get(seq);
    const row = key ? this.#rows.get(key) : undefined;
    return row ? this.#rows.list.indexOf(row) : Math.max(0, this.#rows.indexAt(seq + 0.9));
  }

  add(event: SessionEvent): void {
    if (this.#seen.has(event.seq)) return;
    this.pass(event.seq);
    this.#seen.set(event.seq, this.#fold(event));
  }

  /** Skips an event of a type that only a newer version knows. */
  pass(seq: number): void {
    this.#newest = Math.max(this.#newest, seq);
    this.#oldest = Math.min(this.#oldest, seq);
    this.#seen.set(seq, null);
  }

  addLive(piece: LivePiece): void {
    if (!this.#turns.get(piece.turn_id)?.ended) this.#texts.addLive(piece, this.#newest);
  }

  /** Returns the key of the row that shows the event. */
  #fold(event: SessionEvent): string | null {
    switch (event.type) {
      case "message.queued":
        return this.#queue(event);
      case "turn.started":
        return this.#start(event);
      case "turn.part":
        return this.#part(event);
      case "turn.ended":
        return this.#end(event);
      case "turn.recorded":
        return this.#recorded(event);
      case "action.started":
      case "action.described":
      case "action.completed":
        return this.#call(event);
      case "approval.requested":
        return this.#ask(event);
      case "approval.decided":
      case "approval.expired":
        return this.#answer(event);
      case "session.forked":
        this.#fork(event.seq);
        return this.#mark(event);
      default:
        return this.#mark(event);
    }
  }

  #turn(turn_id: string): TurnFacts {
    const known = this.#turns.get(turn_id);
    if (known) return known;
    const turn: TurnFacts = {};
    this.#turns.set(turn_id, turn);
    return turn;
  }

  #queue(event: EventOf<"message.queued">): string {
    const { turn_id, content } = event.data;
    const turn = this.#turn(turn_id);
    turn.queued = event;
    if (turn.started || turn.ended) this.#putSaid(turn_id);
    else if (event.seq > this.#forkedAt) {
      const { seq, at } = event;
      this.#waiting.set(turn_id, { turn_id, text: content, seq, at });
    }
    return `said ${turn_id}`;
  }

  #start(event: EventOf<"turn.started">): string {
    const { turn_id } = event.data;
    const turn = this.#turn(turn_id);
    turn.started = event;
    this.#waiting.delete(turn_id);
    if (turn.ended) this.#putEnd(turn_id);
    else if (event.seq > this.#forkedAt) this.#open.add(turn_id);
    else this.#drop(turn_id);
    return this.#putSaid(turn_id);
  }

  #putSaid(turn_id: string): string {
    const key = `said ${turn_id}`;
    const told = toSaid(turn_id, this.#turn(turn_id));
    if (told) this.#rows.put(key, told.place, told.said);
    return key;
  }

  #part(event: EventOf<"turn.part">): string {
    const { turn_id, kind, text } = event.data;
    const { seq, at } = event;
    if (kind === "note") {
      const key = `note ${seq}`;
      this.#rows.put(key, seq, { kind, seq, turn_id, at, text });
      return key;
    }
    if (kind === "plan") {
      const key = `plan ${turn_id}`;
      const known = this.#rows.get(key);
      const isNewer = known?.entry.kind !== "plan" || seq > (known.entry.seq ?? 0);
      // One list that changes stays at its first place; only its newest state counts.
      const entry = isNewer ? { kind, seq, turn_id, at, lines: planOf(text) } : known.entry;
      this.#rows.put(key, Math.min(seq, known?.place ?? seq), entry);
      return key;
    }
    return this.#texts.addPart(event, kind);
  }

  #end(event: EventOf<"turn.ended">): string {
    const { turn_id } = event.data;
    const turn = this.#turn(turn_id);
    turn.ended = event;
    this.#open.delete(turn_id);
    this.#waiting.delete(turn_id);
    this.#texts.end(turn_id);
    if (!turn.started && turn.queued) this.#putSaid(turn_id);
    return this.#putEnd(turn_id);
  }

  #putEnd(turn_id: string): string {
    const key = `end ${turn_id}`;
    const end = toTurnEnd(turn_id, this.#turn(turn_id));
    if (end) this.#rows.put(key, end.seq, end);
    return key;
  }

  /** A turn of an outside agent is recorded when it is over. */
  #recorded({ seq, at, actor, data }: EventOf<"turn.recorded">): string {
    const { turn_id, input, output, usage } = data;
    const key = `said ${turn_id}`;
    this.#rows.put(key, seq, { kind: "said", seq, turn_id, at, text: input, actor });
    const text: Text = { kind: "message", seq, turn_id, at, text: output, isCut: false };
    this.#rows.put(textKey(turn_id, 0), seq + 0.1, text);
    const outcome = { outcome: "completed", error: null, usage, took: null } as const;
    this.#rows.put(`end ${turn_id}`, seq + 0.2, { kind: "end", seq, turn_id, at, ...outcome });
    return key;
  }

  #call(event: EventOf<"action.started" | "action.described" | "action.completed">): string {
    const { action_id } = event.data;
    const facts = addCallFact(this.#calls.get(action_id) ?? {}, event);
    this.#calls.set(action_id, facts);
    return this.#putCall(action_id, facts);
  }

  #putCall(action_id: string, facts: CallFacts): string {
    const key = `call ${action_id}`;
    const newest = facts.begun?.seq ?? facts.described?.seq ?? 0;
    const waited = this.#questions.waitedFor(action_id);
    const call = toCall(action_id, facts, newest < this.#forkedAt, waited);
    const place = Math.min(call.seq ?? 0, this.#rows.get(key)?.place ?? Number.POSITIVE_INFINITY);
    this.#rows.put(key, place, call);
    return key;
  }

  #ask(event: EventOf<"approval.requested">): string {
    const call = this.#calls.get(event.data.action_id ?? "");
    const turn_id = call?.begun?.data.turn_id ?? null;
    const key = this.#questions.ask(event, turn_id, event.seq < this.#forkedAt);
    this.#putWaited(event.data.approval_id);
    return key;
  }

  #answer(event: EventOf<"approval.decided" | "approval.expired">): string {
    const key = this.#questions.answer(event);
    this.#putWaited(event.data.approval_id);
    return key;
  }

  /** The time that a question waited does not count for its tool call. */
  #putWaited(approval_id: string): void {
    const action_id = this.#questions.actionOf(approval_id) ?? "";
    const facts = this.#calls.get(action_id);
    if (facts) this.#putCall(action_id, facts);
  }

  /** Work that was under way at the fork point belongs to the other session. */
  #fork(seq: number): void {
    this.#forkedAt = Math.max(this.#forkedAt, seq);
    for (const turn_id of this.#open) {
      if ((this.#turn(turn_id).started?.seq ?? 0) > seq) continue;
      this.#open.delete(turn_id);
      this.#drop(turn_id);
    }
    for (const [id, queued] of this.#waiting) if (queued.seq < seq) this.#waiting.delete(id);
    for (const [id, facts] of this.#calls) if (!facts.ended) this.#putCall(id, facts);
    this.#questions.dropBefore(seq);
  }

  #drop(turn_id: string): void {
    const { started } = this.#turn(turn_id);
    const { seq, at } = started ?? { seq: null, at: null };
    const end = { outcome: "dropped", error: null, usage: null, took: null } as const;
    this.#rows.put(`end ${turn_id}`, this.#forkedAt - 0.1, {
      kind: "end",
      seq,
      turn_id,
      at,
      ...end,
    });
  }

  #mark(event: SessionEvent): string | null {
    const told = describeMark(event);
    if (!told) return null;
    const { seq, at } = event;
    const key = `mark ${seq}`;
    this.#rows.put(key, seq, { kind: "mark", seq, turn_id: null, at, ...told } satisfies Mark);
    return key;
  }
}
