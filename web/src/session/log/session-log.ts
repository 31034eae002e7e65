import type { LogEvent } from "../../../../src/contract/session.ts";
import { isSessionEvent } from "../../../../src/core/session/known-events.ts";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { type Connection, followStream } from "../../live/follow-stream.ts";
import type { SseMessage } from "../../live/read-sse.ts";
import { Conversation } from "./conversation.ts";

/** The loading state of the events before or after the loaded part. */
type Rest = "none" | "more" | "loading" | "failed";

export interface LogState {
  readonly conversation: Conversation;
  readonly phase: "loading" | "ready" | "failed";
  readonly error: unknown;
  readonly older: Rest;
  /** `none` means that the newest events are loaded, and new ones will be. */
  readonly newer: Rest;
  readonly connection: Connection;
  readonly why: string | null;
  /** Increases with every change, so that viewers notice it. */
  readonly version: number;
}

const PAGE = 200;
/** The number of events after the place on the first page. */
const BEYOND = 100;
const END = Number.MAX_SAFE_INTEGER;
/** Changes within this time are shown together. */
const GATHER_MS = 40;
/** A hidden page releases its connection, because a browser has only six for one server. */
const HIDDEN_MS = 5000;

/**
 * The loaded part of a session's log: a range without gaps that can grow at both ends, and follows new events by
 * itself.
 */
export class SessionLog {
  readonly #id: string;
  readonly #at: number | null;
  #ended = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state: LogState;
  /** The cursor of the newest loaded event. */
  #cursor: string | null = null;
  #stream: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #hidden: ReturnType<typeof setTimeout> | null = null;

  constructor(id: string, at: number | null) {
    this.#id = id;
    this.#at = at;
    this.#state = beginning();
  }

  readonly read = (): LogState => this.#state;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns a function that stops it. */
  start(): () => void {
    const ended = new AbortController();
    this.#ended = ended;
    const { signal } = ended;
    document.addEventListener("visibilitychange", () => this.#watchHiding(), { signal });
    void this.load();
    return () => {
      ended.abort();
      this.#stream?.abort();
      for (const timer of [this.#timer, this.#hidden]) if (timer !== null) clearTimeout(timer);
    };
  }

  /** Loads, or loads again if the known events are useless. */
  async load(at: number | null = this.#at): Promise<void> {
    this.#stream?.abort();
    this.#stream = null;
    this.#set({ ...beginning(), version: this.#state.version + 1 });
    const { signal } = this.#ended;
    try {
      const before = at === null ? END : at + BEYOND + 1;
      const { events, next_cursor, cursor } = await this.#ask({ before, limit: PAGE });
      if (signal.aborted) return;
      this.#add(events);
      this.#cursor = cursor;
      const isEnd = (events.at(-1)?.seq ?? 0) < before - 1;
      this.#set({
        phase: "ready",
        older: next_cursor === null ? "none" : "more",
        newer: isEnd ? "none" : "more",
      });
      if (isEnd) this.#follow();
    } catch (error) {
      if (!signal.aborted) this.#set({ phase: "failed", error });
    }
  }

  async loadOlder(): Promise<void> {
    if (this.#state.older !== "more" && this.#state.older !== "failed") return;
    const { conversation } = this.#state;
    this.#set({ older: "loading" });
    try {
      const page = await this.#ask({ before: conversation.oldest, limit: PAGE });
      if (conversation !== this.#state.conversation) return;
      this.#add(page.events);
      this.#set({ older: page.next_cursor === null ? "none" : "more" });
    } catch {
      this.#fail({ older: "failed" });
    }
  }

  async loadNewer(): Promise<void> {
    if (this.#state.newer !== "more" && this.#state.newer !== "failed") return;
    const { conversation } = this.#state;
    this.#set({ newer: "loading" });
    try {
      const after = this.#cursor ?? conversation.newest;
      const page = await this.#ask({ after, limit: PAGE });
      if (conversation !== this.#state.conversation) return;
      this.#add(page.events);
      this.#cursor = page.cursor ?? this.#cursor;
      this.#set({ newer: page.next_cursor === null ? "none" : "more" });
      if (page.next_cursor === null) this.#follow();
    } catch (error) {
      if (error instanceof ApiError && error.code === "history_changed") return this.load(null);
      this.#fail({ newer: "failed" });
    }
  }

  #follow(): void {
    if (this.#stream || this.#ended.signal.aborted || this.#state.newer !== "none") return;
    // A tab opened in the background waits until it is visible.
    if (document.hidden) return;
    const stream = new AbortController();
    this.#stream = stream;
    const { conversation } = this.#state;
    const address = (): string => {
      const place = conversation.livePlace;
      const read =
        place && `?delta=${encodeURIComponent(`${place.turn_id}:${place.item}:${place.offset}`)}`;
      return `/sessions/${encodeURIComponent(this.#id)}/events${read ?? ""}`;
    };
    const listener = {
      message: (message: SseMessage) => this.#hear(message),
      state: (connection: Connection, why: string | null) => {
        this.#set({ connection, why });
        if (connection === "broken") void this.#startOverIfShorter();
      },
      historyChanged: () => void this.load(null),
    };
    const from = this.#cursor ?? String(conversation.newest);
    followStream(address, from, listener, stream.signal).catch((error: unknown) =>
      this.#fail({ connection: "broken", why: String(error) }),
    );
  }

  #hear({ id, event, data }: SseMessage): void {
    if (id !== null) this.#cursor = id;
    if (event === "delta") this.#state.conversation.addLive(JSON.parse(data));
    else this.#add([JSON.parse(data)]);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#set({});
    }, GATHER_MS);
  }

  /** A log that is shorter than the loaded part belongs to another database. */
  async #startOverIfShorter(): Promise<void> {
    try {
      const { version } = await call("get", { id: this.#id }, this.#ended.signal);
      if (version < this.#state.conversation.newest) await this.load(null);
    } catch (error) {
      this.#fail({ phase: "failed", error });
    }
  }

  #watchHiding(): void {
    if (this.#hidden !== null) clearTimeout(this.#hidden);
    this.#hidden = null;
    if (!document.hidden) {
      this.#follow();
      return;
    }
    this.#hidden = setTimeout(() => {
      this.#stream?.abort();
      this.#stream = null;
    }, HIDDEN_MS);
  }

  #ask(page: { before: number; limit: number } | { after: number | string; limit: number }) {
    return call("log", { id: this.#id, ...page }, this.#ended.signal);
  }

  #add(events: readonly LogEvent[]): void {
    for (const event of events) {
      const read = { ...event, at: Date.parse(event.at) };
      if (isSessionEvent(read)) this.#state.conversation.add(read);
      else this.#state.conversation.pass(event.seq);
    }
  }

  #fail(news: Partial<LogState>): void {
    if (!this.#ended.signal.aborted) this.#set(news);
  }

  #set(news: Partial<LogState>): void {
    this.#state = { ...this.#state, version: this.#state.version + 1, ...news };
    for (const listen of this.#listeners) listen();
  }
}

function beginning(): LogState {
  return {
    conversation: new Conversation(),
    phase: "loading",
    error: null,
    older: "none",
    newer: "none",
    connection: "connecting",
    why: null,
    version: 0,
  };
}
