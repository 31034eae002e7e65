import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../../src/contract/session.ts";
import { sampleSize } from "../../crash/sample-size.ts";
import { MEASURED } from "../../patience.ts";
import { until } from "../../run/run-lab.ts";
import type { TestServer } from "../open-server.ts";
import { begin, makeHome, openLive, read, recordOf } from "./live-server.ts";
import { Onlooker } from "./onlooker.ts";

const CUTS = sampleSize({ full: 20, sample: 5 });

const caller = { owner: "ann", actor: "test", interface: "api", trace_id: null } as const;

async function logOf({ service }: TestServer, id: string): Promise<LogEvent[]> {
  const all: LogEvent[] = [];
  for (;;) {
    const after = all.at(-1)?.seq ?? 0;
    const { events } = await service.call("log", { id, after, limit: 1000 }, caller);
    if (events.length === 0) return all;
    all.push(...events);
  }
}

function storedTexts(log: readonly LogEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { type, data } of log) {
    if (type !== "turn.part" || (data.kind !== "message" && data.kind !== "thought")) continue;
    const key = `${data.turn_id}/${data.item}`;
    texts.set(key, (texts.get(key) ?? "") + data.text);
  }
  return texts;
}

const cursorAt = (seq: number) => expect.stringMatching(new RegExp(`^${seq}-[0-9a-f]{8}$`));

const send = (server: TestServer, id: string, message: string) =>
  server.ask("POST", `/sessions/${id}/messages`, { body: { message } });

/** The same every time, so that a failure is reproducible. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe("a session's stream", () => {
  it("ends for its owner too once the session is purged", async () => {
    const server = await openLive();
    const { store } = server.runner.context;
    for (const isOpenedBefore of [true, false]) {
      const id = await begin(server);
      const { entity_id } = await server.service.call("get", { id }, caller);
      const open = () => read(server, `/sessions/${id}/events`);
      const early = isOpenedBefore ? open() : null;
      if (early) await until("the first event", () => early.events.length > 0);
      await server.ask("DELETE", `/sessions/${id}`);
      const reader = early ?? open();
      await until("the deletion", () => reader.text.includes("session.deleted"));
      await store.purge(entity_id, Date.now());
      const before = performance.now();
      expect(await reader.closed).toBe(true);
      expect(performance.now() - before).toBeLessThan(2000);
    }
  });

  it("shows the events of the log, after a line with the retry time", async () => {
    const server = await openLive();
    const id = await begin(server);
    await send(server, id, "/say hello");
    const log = await logOf(server, id);
    const reader = read(server, `/sessions/${id}/events`);
    await until("all events", () => reader.events.length >= log.length);
    expect(reader.text.startsWith("retry: 1000\n\n")).toBe(true);
    expect(reader.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      "x-trace-id": expect.any(String),
    });
    expect(reader.events).toEqual(
      log.map((event) => ({ id: cursorAt(event.seq), event: event.type, data: event })),
    );
    const after = read(server, `/sessions/${id}/events?after=3`);
    await until("the rest", () => after.events.length >= log.length - 3);
    expect(after.events[0]?.id).toEqual(cursorAt(4));
    const header = read(server, `/sessions/${id}/events?after=3`, {
      headers: { "last-event-id": "5" },
    });
    await until("the rest", () => header.events.length >= log.length - 5);
    expect(header.events[0]?.id).toEqual(cursorAt(6));
    for (const each of [reader, after, header]) each.cut();
  });

  it("sends keep-alive comments", async () => {
    const server = await openLive({ times: { heartbeat: 50 } });
    const id = await begin(server);
    const reader = read(server, `/sessions/${id}/events?after=1`);
    await until("two beats", () => reader.text.split("\n\n").filter((b) => b === ":").length >= 2);
    expect(reader.events).toEqual([]);
    reader.cut();
  });

  it.each([
    ["?after=x", {}, "invalid_input"],
    ["?after=-1", {}, "invalid_input"],
    ["?after=1.5", {}, "invalid_input"],
    ["?after=99", {}, "invalid_input"],
    ["?after=1&after=1", {}, "invalid_input"],
    ["", { "last-event-id": "99" }, "invalid_input"],
    ["", { "last-event-id": "f-1" }, "invalid_input"],
    ["?delta=x", {}, "invalid_input"],
    ["?delta=a:b:c", {}, "invalid_input"],
    ["?before=1", {}, "unknown_filter"],
  ])("refuses an invalid position: %s %j", async (query, headers, error) => {
    const server = await openLive();
    const id = await begin(server);
    const answer = await server.ask("GET", `/sessions/${id}/events${query}`, {
      headers: { accept: "text/event-stream", ...headers },
    });
    expect([answer.status, answer.json]).toMatchObject([400, { error }]);
  });

  it("of another owner is answered like a missing one", async () => {
    const server = await openLive();
    const id = await begin(server);
    const headers = { accept: "text/event-stream" };
    const token = server.tokens.bob.admin;
    const foreign = await server.ask("GET", `/sessions/${id}/events`, { headers, token });
    const unknown = await server.ask("GET", "/sessions/unknown-id/events", { headers, token });
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(id, "X")).toBe(unknown.text.replaceAll("unknown-id", "X"));
  });

  it("gives a late client the text that is not stored yet, from its position", async () => {
    const server = await openLive();
    const id = await begin(server);
    const answered = send(server, id, "/say one two three\n/slow 800\n/say four");
    const early = read(server, `/sessions/${id}/events`);
    const said = () =>
      early.events.flatMap(({ event, data }) => (event === "delta" ? [recordOf(data)] : []));
    await until("the words", () => said().length >= 3);
    const turn = said()[0]?.turn_id;
    const late = read(server, `/sessions/${id}/events`);
    const later = read(server, `/sessions/${id}/events?delta=${turn}:0:4`);
    for (const [reader, piece] of [
      [late, { offset: 0, text: "one two three" }],
      [later, { offset: 4, text: "two three" }],
    ] as const) {
      const delta = await until("a delta", () =>
        reader.events.find(({ event }) => event === "delta"),
      );
      expect(delta).toEqual({
        id: null,
        event: "delta",
        data: { turn_id: turn, item: 0, kind: "message", ...piece },
      });
    }
    await answered;
    for (const each of [early, late, later]) each.cut();
  });

  it("sends each event once to clients that are disconnected repeatedly", async () => {
    const server = await openLive({ home: makeHome({ flags: ["--pace", "4"] }) });
    const id = await begin(server);
    const url = `${server.url}/sessions/${id}/events`;
    const onlookers = Array.from(
      { length: sampleSize({ full: 50, sample: 10 }) },
      () => new Onlooker(url, server.tokens.ann.read),
    );
    let over = false;
    const watching = onlookers.map(async (onlooker, nth) => {
      const random = randomOf(nth + 1);
      while (onlooker.cuts < CUTS) {
        let left = Math.ceil(random() * 40);
        await new Promise<void>((resolve) => {
          onlooker.onTaken = () => {
            left -= 1;
            if (left > 0) return;
            onlooker.cut();
            resolve();
          };
          onlooker.connect();
        });
      }
      onlooker.onTaken = () => {};
      onlooker.connect();
    });
    const cutting = Promise.all(watching).then(() => {
      over = true;
    });
    let turns = 0;
    for (; !over || turns < 3; turns += 1) {
      const words = Array.from({ length: 200 }, (_, nth) => `word${nth}`).join(" ");
      const answer = await send(server, id, `/think hm\n/say ${words}\n/tools 3\n/flood 200`);
      expect(answer.status).toBe(200);
    }
    await cutting;
    const log = await logOf(server, id);
    const texts = storedTexts(log);
    await until("everyone", () => onlookers.every(({ last }) => last >= log.length));
    for (const onlooker of onlookers) {
      expect(onlooker.wrong).toEqual([]);
      expect(onlooker.cuts).toBe(CUTS);
      expect(onlooker.seqs).toEqual(log.map(({ seq }) => seq));
      expect(onlooker.texts).toEqual(texts);
      onlooker.cut();
    }
    // Most of the text was live.
    for (const { deltas } of onlookers) expect(deltas).toBeGreaterThan(100);
  });

  it("continues at the client's position after a restart of the server", async () => {
    const home = makeHome();
    const first = await openLive({ home });
    const id = await begin(first);
    await send(first, id, "/say one\n/tools 2");
    const onlooker = new Onlooker(`${first.url}/sessions/${id}/events`, first.tokens.ann.read);
    onlooker.connect();
    const half = (await logOf(first, id)).length;
    await until("all so far", () => onlooker.last === half);
    const ended = onlooker.reader?.closed;
    await first.close();
    expect(await ended).toBe(true);
    const second = await openLive({ home });
    await second.ask("POST", `/sessions/${id}/resume`);
    await send(second, id, "/say two");
    const reader = read(second, `/sessions/${id}/events`, {
      headers: { "last-event-id": `${onlooker.last}` },
    });
    const log = await logOf(second, id);
    const stored = () => reader.events.filter((event) => event.id !== null);
    // The client also got what the first server recorded as it stopped.
    const rest = log.slice(onlooker.last);
    await until("the rest", () => stored().length >= rest.length);
    expect(stored().map(({ id: place }) => place)).toEqual(rest.map(({ seq }) => cursorAt(seq)));
    reader.cut();
  });

  it("ends within 5 s for a revoked token, and for no other", MEASURED, async () => {
    const server = await openLive();
    const id = await begin(server);
    const { id: token_id, token } = await server.makeToken("ann", "read");
    const reader = read(server, `/sessions/${id}/events`, { token });
    const feed = read(server, "/events", { token });
    const other = read(server, `/sessions/${id}/events`);
    await Promise.all([reader.opened, feed.opened, other.opened]);
    const start = Date.now();
    await server.revoke(token_id);
    expect(await Promise.all([reader.closed, feed.closed])).toEqual([true, true]);
    expect(Date.now() - start).toBeLessThan(5000);
    await send(server, id, "/say still here");
    await until("the words", () => other.events.some(({ event }) => event === "turn.ended"));
    other.cut();
    const again = read(server, `/sessions/${id}/events`, { token });
    await again.opened;
    expect(again.status).toBe(401);
  });
});
