import type { AgentListener, AgentUpdate, PromptEnd, ToolCall } from "../agent-connection.ts";
import { KnownToolCalls } from "./known-tool-calls.ts";
import { fieldsOf } from "./read-fields.ts";
import { readUsage } from "./read-prompt-end.ts";
import { Replay } from "./replay.ts";
import { translateUpdate } from "./translate-update.ts";

/** Updates that came before the id of their session was known. */
const MOST_EARLY = 100;
/** The number of characters that are searched for an agent's failure text. */
const SAID_KEPT = 1000;
const REPLAYED_KINDS: ReadonlySet<AgentUpdate["kind"]> = new Set([
  "message",
  "thought",
  "tool",
  "plan",
]);

/** One prompt while it is being answered. */
export interface PromptTurn {
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  /** True if something visible came. */
  heard: boolean;
  /** The end of its text. */
  said: string;
  /** The model's usage, as reported in updates. */
  used: PromptEnd["usage"];
  /** Set if the listener failed on an update; it gets no more. */
  broken: { readonly reason: unknown } | null;
}

/** The state of the agent's session. A reopened session is live from its first prompt on. */
type FeedState =
  | { readonly state: "none" }
  | { readonly state: "opening"; readonly early: unknown[] }
  | { readonly state: "replaying"; readonly id: string; readonly replay: Replay }
  | { readonly state: "reopened" | "live"; readonly id: string };

/** Separates an agent's new updates from replayed ones, and passes them to the listener in order. */
export class SessionFeed {
  turn: PromptTurn | null = null;
  readonly #listener: AgentListener;
  readonly #onBroken: () => void;
  readonly #calls = new KnownToolCalls();
  #session: FeedState = { state: "none" };

  constructor(listener: AgentListener, onBroken: () => void) {
    this.#listener = listener;
    this.#onBroken = onBroken;
  }

  /** The id of the open session; null if there is none. */
  get id(): string | null {
    const session = this.#session;
    return session.state === "live" || session.state === "reopened" ? session.id : null;
  }

  readonly findCall = (id: string): ToolCall | undefined => this.#calls.find(id);

  rememberCall(call: ToolCall): void {
    this.#calls.remember(call);
    if (this.turn) this.turn.heard = true;
  }

  none(): void {
    this.#session = { state: "none" };
  }

  opening(): void {
    this.#session = { state: "opening", early: [] };
  }

  /** From here to `reopened` nothing reaches the listener. */
  replaying(id: string): Replay {
    const replay = new Replay();
    this.#session = { state: "replaying", id, replay };
    return replay;
  }

  reopened(id: string): void {
    this.#session = { state: "reopened", id };
  }

  live(id: string): void {
    this.#session = { state: "live", id };
  }

  /** A new session has its id. More updates may come while an early one is handled; they are passed on in order. */
  async opened(id: string): Promise<void> {
    const early = this.#session.state === "opening" ? this.#session.early : [];
    for (let next = early.shift(); next !== undefined; next = early.shift()) {
      const { sessionId, update } = fieldsOf(next);
      if (sessionId === id) await this.#translate(update);
    }
    this.live(id);
  }

  hear(params: unknown): void | Promise<void> {
    const session = this.#session;
    if (session.state === "opening") {
      if (session.early.length < MOST_EARLY) session.early.push(params);
      return;
    }
    const { sessionId, update } = fieldsOf(params);
    if (session.state === "none" || sessionId !== session.id) return;
    if (session.state === "replaying") return session.replay.add(update);
    return this.#translate(update);
  }

  /** A line was too large to be read, so its content is unknown. */
  oversized(size: number): void | Promise<void> {
    if (this.#session.state !== "live") return;
    const excerpt = `a line of ${size} bytes was too large to read`;
    return this.#deliver({ kind: "other", name: "oversized", excerpt });
  }

  #deliver(update: AgentUpdate): void | Promise<void> {
    const { turn } = this;
    if (turn && isSeen(update)) turn.heard = true;
    if (turn && update.kind === "message") turn.said = (turn.said + update.text).slice(-SAID_KEPT);
    if (turn?.broken) return;
    const fail = (reason: unknown): void => {
      if (!turn) return;
      turn.broken = { reason };
      this.#onBroken();
    };
    try {
      return this.#listener.update(update)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  #translate(update: unknown): void | Promise<void> {
    if (this.turn) this.turn.used = addUsage(this.turn.used, update);
    const translated = translateUpdate(update, this.findCall);
    if (!translated) return;
    if (this.#session.state === "reopened" && REPLAYED_KINDS.has(translated.kind)) return;
    if (translated.kind === "tool") this.#calls.remember(translated.call);
    return this.#deliver(translated);
  }
}

function addUsage(sum: PromptEnd["usage"], update: unknown): PromptEnd["usage"] {
  const used = readUsage(fieldsOf(fieldsOf(update)._meta).usage);
  if (!sum || !used) return used ?? sum;
  return {
    input_tokens: sum.input_tokens + used.input_tokens,
    output_tokens: sum.output_tokens + used.output_tokens,
  };
}

function isSeen(update: AgentUpdate): boolean {
  if (update.kind === "message" || update.kind === "thought") return update.text !== "";
  return update.kind === "tool";
}
