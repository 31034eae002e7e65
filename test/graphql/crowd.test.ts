import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/contract/is-record.ts";
import { begin, openLive } from "../http/streams/live-server.ts";
import { until } from "../http/until.ts";
import { askGraphql } from "./ask-graphql.ts";
import { listen, type Subscription } from "./clients.ts";

const CUTS = 20;
const SUBSCRIBERS = 50;

/** Reconnects where it was whenever it is cut off, and records everything unexpected. */
class Subscriber {
  readonly seqs: number[] = [];
  readonly texts = new Map<string, string>();
  readonly wrong: string[] = [];
  deltas = 0;
  cuts = 0;
  #subscription: Subscription | null = null;
  #newest: { readonly turnId: string; readonly item: number } | null = null;
  readonly #open: (place: object, next: (answer: unknown) => void) => Subscription;

  constructor(open: (place: object, next: (answer: unknown) => void) => Subscription) {
    this.#open = open;
  }

  get last(): number {
    return this.seqs.at(-1) ?? 0;
  }

  connect(): void {
    const newest = this.#newest;
    const offset = newest ? (this.texts.get(`${newest.turnId}/${newest.item}`)?.length ?? 0) : 0;
    const place = { after: this.last, delta: newest && { ...newest, offset } };
    const subscription = this.#open(place, (answer) => {
      // Data on its way when it was cut off is lost to it.
      if (this.#subscription === subscription) this.#take(answer);
    });
    this.#subscription = subscription;
  }

  cut(): void {
    this.cuts += 1;
    const subscription = this.#subscription;
    this.#subscription = null;
    subscription?.cut();
  }

  #take(answer: unknown): void {
    const data = isRecord(answer) ? answer.data : null;
    const event = isRecord(data) ? data.agentSessionEvents : null;
    if (!isRecord(event)) {
      this.wrong.push(`no event: ${JSON.stringify(answer)}`);
      return;
    }
    if (isRecord(event.delta)) {
      this.deltas += 1;
      const { turnId, item, offset, text } = event.delta;
      this.#join(String(turnId), Number(item), Number(offset), String(text), true);
      return;
    }
    const seq = Number(event.seq);
    if (seq !== this.last + 1) this.wrong.push(`${seq} comes after ${this.last}`);
    this.seqs.push(seq);
    if (event.type !== "turn.part" || !isRecord(event.data)) return;
    const { turn_id, item, offset, text, kind } = event.data;
    if (kind !== "message" && kind !== "thought") return;
    this.#join(String(turn_id), Number(item), Number(offset), String(text), false);
  }

  #join(turnId: string, item: number, offset: number, text: string, live: boolean): void {
    const key = `${turnId}/${item}`;
    const have = this.texts.get(key) ?? "";
    if (live && offset !== have.length) this.wrong.push(`${key} at ${offset}, not ${have.length}`);
    if (offset > have.length) {
      if (!live) this.wrong.push(`a part of ${key} at ${offset}, not ${have.length}`);
      return;
    }
    this.texts.set(key, have + text.slice(have.length - offset));
    this.#newest = { turnId, item };
  }
}

describe("50 subscribers, half of them over WebSockets and half over SSE", () => {
  it("that are disconnected 20 times each get every event once, in order, and all text", async () => {
    const server = await openLive();
    const id = await begin(server);
    const token = server.tokens.ann.read;
    const crowd = Array.from({ length: SUBSCRIBERS }, (_, n) => {
      const way = n % 2 === 0 ? "ws" : "sse";
      return new Subscriber((place, next) =>
        listen(way, server, token, { id, ...place }, { next }),
      );
    });
    for (const subscriber of crowd) subscriber.connect();

    let talking = true;
    const cutting = crowd.map(async (subscriber) => {
      while (subscriber.cuts < CUTS || talking) {
        await sleep(20 + Math.random() * 250);
        if (subscriber.cuts >= CUTS) continue;
        subscriber.cut();
        await sleep(Math.random() * 40);
        subscriber.connect();
      }
    });
    const query =
      "mutation ($id: ID!, $m: String!) { sendMessage(sessionId: $id, message: $m) { status output } }";
    const outputs: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const { data, errors } = await askGraphql(server, query, {
        id,
        m: `/pace 8\n/chunks 150 30\n/think of ${turn}`,
      });
      expect(errors).toEqual([]);
      outputs.push(String(Object(data.sendMessage).output));
    }
    talking = false;
    await Promise.all(cutting);

    const { data } = await askGraphql(
      server,
      "query ($id: ID!) { agentSession(sessionId: $id) { version } }",
      { id },
    );
    const version = Number(Object(data.agentSession).version);
    await until(() => crowd.every(({ last }) => last >= version));
    for (const subscriber of crowd) subscriber.cut();
    const all = Array.from({ length: version }, (_, n) => n + 1);
    for (const { seqs, wrong, texts } of crowd) {
      expect(wrong).toEqual([]);
      expect(seqs).toEqual(all);
      for (const output of outputs) expect([...texts.values()].join("")).toContain(output);
    }
    expect(crowd.every(({ cuts }) => cuts > CUTS)).toBe(true);
    // A server that sends only stored text would pass everything before this.
    expect(crowd.reduce((sum, { deltas }) => sum + deltas, 0)).toBeGreaterThan(SUBSCRIBERS * 20);
  });
});
