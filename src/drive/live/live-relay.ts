import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Delta } from "../../contract/run-event.ts";
import type { NodeMessages } from "../../store/node-messages.ts";

/** Reads the id of the turn that runs in a session now, from the database. */
export type ReadTurn = (id: string) => Promise<string | null>;

type Listener = (delta: Delta) => void;

/**
 * Exchanges live text with other nodes. Messages may be lost, late or repeated. So a listener gets only text without
 * gaps: from the start of an item, or after it has requested all unstored text of the item. Text of a turn is shown
 * only if the database says that the turn runs.
 */
export class LiveRelay {
  readonly #messages: NodeMessages;
  readonly #readTurn: ReadTurn;
  readonly #self = randomUUID();
  readonly #sessions = new Map<string, WatchedSession>();

  constructor(messages: NodeMessages, readTurn: ReadTurn, unstored: (id: string) => Delta | null) {
    this.#messages = messages;
    this.#readTurn = readTurn;
    messages.receive(REQUESTS, (id) => {
      const delta = unstored(id);
      if (delta) this.#send(id, delta, true);
    });
  }

  /** Sends a piece of text of an agent of this process. */
  send(id: string, delta: Delta): void {
    this.#send(id, delta, false);
  }

  /** Passes on the text of agents of other nodes, until the returned function is called. */
  listen(id: string, listener: Listener): () => void {
    const session = this.#sessions.get(id) ?? this.#watch(id);
    session.listeners.set(listener, null);
    // A turn may have ended since it was checked.
    session.turn = null;
    this.#ask(id, session);
    return () => {
      session.listeners.delete(listener);
      if (session.listeners.size > 0) return;
      session.stop();
      this.#sessions.delete(id);
    };
  }

  #send(id: string, delta: Delta, whole: boolean): void {
    const { turn_id, item, kind, offset, text, after } = delta;
    const sent: SentDelta = { from: this.#self, whole, turn_id, item, kind, offset, text, after };
    this.#messages.send(topicOf(id), JSON.stringify(sent));
  }

  #watch(id: string): WatchedSession {
    const session: WatchedSession = {
      listeners: new Map(),
      turn: null,
      checkedAt: -Infinity,
      askedAt: -Infinity,
      stop: this.#messages.receive(topicOf(id), (text) => this.#hear(id, session, text)),
    };
    this.#sessions.set(id, session);
    return session;
  }

  #hear(id: string, session: WatchedSession, text: string): void {
    const sent = readSent(text);
    if (!sent || sent.from === this.#self) return;
    if (sent.turn_id !== session.turn) {
      void this.#check(id, session, sent.turn_id);
      return;
    }
    const { from, whole, ...delta } = sent;
    for (const [listener, place] of session.listeners) {
      if (isBehind(delta, place)) continue;
      if (whole || continues(delta, place)) {
        session.listeners.set(listener, endOf(delta));
        listener(delta);
      } else {
        this.#ask(id, session);
      }
    }
  }

  /** Asks the database which turn runs. Text that arrives meanwhile is requested afterwards. */
  async #check(id: string, session: WatchedSession, turn_id: string): Promise<void> {
    if (performance.now() - session.checkedAt < PAUSE_MS) return;
    session.checkedAt = performance.now();
    session.turn = await this.#readTurn(id).catch(() => null);
    if (session.turn !== turn_id) return;
    session.checkedAt = -Infinity;
    session.askedAt = -Infinity;
    this.#ask(id, session);
  }

  /** Asks the node with the session's agent for all text that is not stored yet. */
  #ask(id: string, session: WatchedSession): void {
    if (performance.now() - session.askedAt < PAUSE_MS) return;
    session.askedAt = performance.now();
    this.#messages.send(REQUESTS, id);
  }
}

interface WatchedSession {
  /** The end of the text that each listener has. */
  readonly listeners: Map<Listener, TextEnd | null>;
  /** The turn that runs, as the database said. */
  turn: string | null;
  checkedAt: number;
  askedAt: number;
  readonly stop: () => void;
}

interface TextEnd {
  readonly turn_id: string;
  readonly item: number;
  readonly upTo: number;
}

const REQUESTS = "text requests";
const topicOf = (id: string): string => `text of ${id}`;

/** The shortest time between two requests for the same session, and between two reads of its turn. */
const PAUSE_MS = 100;

const sentDelta = z.object({
  from: z.string(),
  /** True if it contains all text of its item that is not stored. */
  whole: z.boolean(),
  turn_id: z.string(),
  item: z.int().nonnegative(),
  kind: z.enum(["message", "thought"]),
  offset: z.int().nonnegative(),
  text: z.string(),
  after: z.int().nonnegative(),
});
type SentDelta = z.infer<typeof sentDelta>;

/** Null for a message of another version. */
function readSent(text: string): SentDelta | null {
  try {
    return sentDelta.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function endOf({ turn_id, item, offset, text }: Delta): TextEnd {
  return { turn_id, item, upTo: offset + text.length };
}

function isBehind(delta: Delta, end: TextEnd | null): boolean {
  if (end?.turn_id !== delta.turn_id) return false;
  return delta.item < end.item || (delta.item === end.item && endOf(delta).upTo <= end.upTo);
}

function continues(delta: Delta, end: TextEnd | null): boolean {
  if (end?.turn_id !== delta.turn_id || end.item !== delta.item) return delta.offset === 0;
  return delta.offset <= end.upTo;
}
