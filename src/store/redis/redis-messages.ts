import { randomUUID } from "node:crypto";
import type { MessageCounts, NodeMessages } from "../node-messages.ts";
import { connectRedis, type RedisConnection } from "./redis-connection.ts";
import { SealedMessages } from "./sealed-messages.ts";

interface RedisOptions {
  readonly url: string;
  /** Shared by all nodes of the same data, and unknown to Redis. */
  readonly secret: Uint8Array;
  /** Called when messages stop arriving, with the reason, and with null when they arrive again. */
  readonly onProblem: (problem: string | null) => void;
}

/** Messages between nodes through Redis. It sends itself a message every second, so that it knows if they arrive. */
export class RedisMessages implements NodeMessages {
  readonly #url: string;
  readonly #sealed: SealedMessages;
  readonly #topics = new Map<string, Topic>();
  readonly #pulse = `pulse ${randomUUID()}`;
  readonly #timer: NodeJS.Timeout;
  #links: readonly [sender: RedisConnection, receiver: RedisConnection];
  #openedAt = 0;
  #heardAt = performance.now();
  #hasFailed = false;
  #lastProblem: string | null = null;
  readonly #onProblem: RedisOptions["onProblem"];
  /** The bytes that Redis has not confirmed yet. */
  #pending = 0;
  readonly #counts = { sent: 0, received: 0, dropped: 0, rejected: 0 };

  constructor({ url, secret, onProblem }: RedisOptions) {
    this.#url = url;
    this.#onProblem = onProblem;
    this.#sealed = new SealedMessages(secret);
    this.#links = this.#open();
    this.receive(this.#pulse, () => {
      this.#heardAt = performance.now();
      this.#hasFailed = false;
    });
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  get counts(): MessageCounts {
    return this.#counts;
  }

  send(topic: string, text: string): void {
    const [sender] = this.#links;
    const channel = this.#sealed.channelOf(topic);
    const bytes = this.#sealed.seal(channel, text);
    const isFull = bytes.length > MOST_BYTES || this.#pending + bytes.length > MOST_PENDING;
    if (isFull || !sender.isReady) {
      this.#counts.dropped += 1;
      return;
    }
    this.#pending += bytes.length;
    sender
      .publish(channel, bytes)
      .then(
        () => {
          this.#counts.sent += 1;
        },
        () => {
          this.#counts.dropped += 1;
        },
      )
      .finally(() => {
        this.#pending -= bytes.length;
      });
  }

  receive(topic: string, onText: (text: string) => void): () => void {
    const channel = this.#sealed.channelOf(topic);
    const known = this.#topics.get(channel);
    const { listeners, hear } = known ?? this.#subscribe(channel);
    listeners.add(onText);
    return () => {
      listeners.delete(onText);
      if (listeners.size > 0 || this.#topics.get(channel)?.hear !== hear) return;
      this.#topics.delete(channel);
      this.#forget(channel, hear);
    };
  }

  problem(): string | null {
    const isSilent = performance.now() - this.#heardAt >= SILENCE_MS;
    if (!isSilent && !this.#hasFailed) return null;
    const what = isSilent ? "Redis does not answer" : "Redis cannot be reached";
    return `${what}. Live text of other nodes is shown when it is stored.`;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#topics.clear();
    for (const link of this.#links) if (link.isOpen) link.destroy();
  }

  #subscribe(channel: string): Topic {
    const listeners = new Set<(text: string) => void>();
    const hear = (bytes: Uint8Array): void => {
      const text = bytes.length > MOST_BYTES ? null : this.#sealed.open(channel, bytes);
      if (text === null) {
        this.#counts.rejected += 1;
        return;
      }
      this.#counts.received += 1;
      // The connection was broken when nobody listened any more.
      if (listeners.size === 0) this.#forget(channel, hear);
      for (const listener of listeners) listener(text);
    };
    const topic = { listeners, hear };
    this.#topics.set(channel, topic);
    this.#listen(this.#links[1], channel, topic);
    return topic;
  }

  #listen(receiver: RedisConnection, channel: string, { hear }: Topic): void {
    // When it connects, it subscribes to all topics.
    if (receiver.isReady) void receiver.subscribe(channel, hear, true).catch(() => undefined);
  }

  #forget(channel: string, hear: Topic["hear"]): void {
    void this.#links[1].unsubscribe(channel, hear, true).catch(() => undefined);
  }

  #open(): readonly [RedisConnection, RedisConnection] {
    this.#openedAt = performance.now();
    const onError = (): void => {
      this.#hasFailed = true;
    };
    const receiver = connectRedis(this.#url, onError);
    receiver.on("ready", () => {
      for (const [channel, topic] of this.#topics) this.#listen(receiver, channel, topic);
    });
    return [connectRedis(this.#url, onError), receiver];
  }

  /** A connection on which nothing arrives may be half open, so both are replaced after a while. */
  #beat(): void {
    this.send(this.#pulse, "");
    const problem = this.problem();
    if ((problem === null) !== (this.#lastProblem === null)) this.#onProblem(problem);
    this.#lastProblem = problem;
    const now = performance.now();
    if (now - this.#heardAt < RENEW_MS || now - this.#openedAt < RENEW_MS) return;
    for (const link of this.#links) if (link.isOpen) link.destroy();
    this.#links = this.#open();
  }
}

interface Topic {
  readonly listeners: Set<(text: string) => void>;
  readonly hear: (bytes: Uint8Array) => void;
}

const BEAT_MS = 1000;
const SILENCE_MS = 3000;
const RENEW_MS = 10_000;
const MOST_BYTES = 1024 * 1024;
const MOST_PENDING = 4 * MOST_BYTES;
