import { cpSync, mkdirSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { openServed, type ServedApp } from "../../../src/compose-served.ts";
import { createService } from "../../../src/compose-service.ts";
import { OPERATIONS, type Output } from "../../../src/contract/operations.ts";
import { feedEnd, followFeed } from "../../../src/service/follow/follow-feed.ts";
import { newId } from "../../../src/service/new-id.ts";
import { createBacking } from "../../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { loadStream } from "../../../src/store/read-streams.ts";
import type { StreamStore } from "../../../src/store/stream-store.ts";
import { sampleSize } from "../../crash/sample-size.ts";
import { MEASURED } from "../../patience.ts";
import { until } from "../../run/run-lab.ts";
import { collect } from "../open-server.ts";
import type { EventReader } from "./event-reader.ts";
import { makeHome, openLive, read } from "./live-server.ts";

const CUTS = sampleSize({ full: 20, sample: 5 });
/** Rounds of writes at least, so that fast readers get enough events too. */
const ROUNDS = 60;

type Line = Output<"events">["events"][number];

const callerOf = (owner: string) =>
  ({ owner, actor: "test", interface: "api", trace_id: null }) as const;

type Served = Pick<ServedApp, "service">;

async function write({ service }: Served, owner: string, id: string): Promise<void> {
  await service.call("create", { agent_name: "a", session_id: id }, callerOf(owner));
}

async function note({ service }: Served, owner: string, id: string, nth: number) {
  await service.call("update", { id, metadata: { nth } }, callerOf(owner));
}

async function pages(server: Served, owner: string, limit: number, from?: string) {
  const all: Line[] = [];
  for (let after = from; ; ) {
    const input = { limit, ...(after !== undefined && { after }) };
    const page = await server.service.call("events", input, callerOf(owner));
    all.push(...page.events);
    if (page.next_cursor === null) return { all, cursor: page.cursor };
    after = page.next_cursor;
  }
}

/** How long the event loop stood still during the work, in milliseconds. */
async function longestStall(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await work().finally(() => clearInterval(ticks));
  return longest;
}

const placesOf = (lines: readonly Line[]) => lines.map(({ id, seq }) => `${id} ${seq}`);

/** The store of a server, for calls that no operation makes. */
function watched(): { wrap(store: StreamStore): StreamStore; readonly store: StreamStore } {
  let kept: StreamStore | undefined;
  return {
    wrap(store) {
      kept = store;
      return store;
    },
    get store() {
      if (!kept) throw new Error("nothing is open yet");
      return kept;
    },
  };
}

describe("the feed", () => {
  it("is the same for any page size, and continues exactly after every event", async () => {
    const server = await openLive();
    for (const owner of ["ann", "bob"]) await write(server, owner, `${owner}-session`);
    for (let nth = 0; nth < 30; nth += 1) {
      await note(server, "ann", "ann-session", nth);
      for (let other = 0; other <= nth % 4; other += 1)
        await note(server, "bob", "bob-session", nth);
    }
    const { all } = await pages(server, "ann", 1000);
    expect(placesOf(all.filter(({ kind }) => kind === "session"))).toEqual(
      Array.from({ length: 31 }, (_, nth) => `ann-session ${nth + 1}`),
    );
    for (const limit of [1, 2, 7, 50]) {
      expect((await pages(server, "ann", limit)).all).toEqual(all);
    }
    for (const [nth, { cursor }] of all.entries()) {
      expect((await pages(server, "ann", 3, cursor)).all).toEqual(all.slice(nth + 1));
    }
  });

  it("shows sessions and tasks, but not tokens", async () => {
    const server = await openLive();
    await server.service.call("add_task", { title: "t", task_id: "T1" }, callerOf("ann"));
    await write(server, "ann", "ann-session");
    const { all } = await pages(server, "ann", 10);
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(["session", "task"]));
    expect(JSON.stringify(all)).not.toContain("token");
  });

  it("continues from a cursor after events before it were purged", async () => {
    const held = watched();
    const server = await openLive({ wrap: held.wrap });
    for (const id of ["first-session", "second-session"]) await write(server, "ann", id);
    for (let nth = 0; nth < 10; nth += 1) {
      await note(server, "ann", "first-session", nth);
      await note(server, "ann", "second-session", nth);
    }
    const { all } = await pages(server, "ann", 1000);
    const at = all.findIndex(({ id, seq }) => id === "second-session" && seq === 5);
    const cursor = all[at]?.cursor ?? "";
    const gone = await loadStream(held.store, {
      kind: "session",
      owner: "ann",
      key: "first-session",
    });
    await held.store.purge(gone?.id ?? "", Date.now());
    const rest = await pages(server, "ann", 4, cursor);
    expect(placesOf(rest.all)).toEqual(
      placesOf(all.slice(at + 1)).filter((place) => !place.startsWith("first-session")),
    );
  });

  it.each([2, 3, 4, 5])("misses nothing if events are purged before its read %i", async (nth) => {
    let reads = 0;
    let purge = async (): Promise<void> => {};
    const server = await openLive({
      wrap: (store) => ({
        ...store,
        async readFeed(query) {
          reads += 1;
          if (reads === nth) await purge();
          return store.readFeed(query);
        },
      }),
    });
    const held = watched();
    const other = await openServed(server.home, "local", {
      log: pino(collect([])),
      wrap: held.wrap,
    });
    onTestFinished(() => other.close());
    for (const id of ["first-session", "second-session"]) await write(other, "ann", id);
    for (let value = 0; value < 10; value += 1) {
      await note(other, "ann", "first-session", value);
      await note(other, "ann", "second-session", value);
    }
    const gone = await loadStream(held.store, {
      kind: "session",
      owner: "ann",
      key: "first-session",
    });
    purge = () => held.store.purge(gone?.id ?? "", Date.now());
    // A page is read, then each line's cursor: the purge happens in between.
    const { all } = await pages(server, "ann", 5);
    const left = placesOf(all).filter((place) => !place.startsWith("first-session"));
    expect(await loadStream(held.store, { id: gone?.id ?? "" })).toBeUndefined();
    expect(left).toEqual(placesOf((await pages(other, "ann", 1000)).all));
    expect(left).toContain("second-session 11");
  });

  it("refuses an invalid cursor", async () => {
    const server = await openLive();
    for (const after of ["", "x", "17", "f-", "f-x", "f--1", "f-1.5", "f-99999999999999999999"]) {
      const json = await server.ask("GET", `/events?after=${encodeURIComponent(after)}`);
      expect([after, json.status, json.json]).toMatchObject([
        after,
        400,
        { error: "invalid_input" },
      ]);
      if (after === "") continue;
      const headers = { accept: "text/event-stream", "last-event-id": after };
      const stream = await server.ask("GET", "/events", { headers });
      expect([after, stream.status]).toEqual([after, 400]);
    }
  });

  it("yields to other work and reports its position among events of others", MEASURED, async () => {
    const server = await openLive();
    await write(server, "bob", "bob-session");
    for (let nth = 0; nth < 100; nth += 1) {
      await Promise.all(
        Array.from({ length: 120 }, (_, at) => note(server, "bob", "bob-session", nth * 120 + at)),
      );
    }
    await write(server, "ann", "ann-session");
    const began = performance.now();
    const longest = await longestStall(async () => {
      const first = await server.service.call("events", {}, callerOf("ann"));
      expect(first).toMatchObject({ events: [], next_cursor: expect.any(String) });
      const { all } = await pages(server, "ann", 10);
      expect(all[0]).toMatchObject({ id: "ann-session", seq: 1 });
    });
    // An idle loop also stands still if other programs use the processors.
    const spent = performance.now() - began;
    const bare = await longestStall(() => sleep(spent));
    expect(longest).toBeLessThan(250 + bare);
  });
});

describe("the feed's stream", () => {
  it("starts with new events, even if it is disconnected before the first", async () => {
    const server = await openLive();
    await write(server, "ann", "ann-session");
    const first = read(server, "/events");
    const place = await until("a place", () => first.lastId);
    expect(first.events).toEqual([]);
    first.cut();
    await note(server, "ann", "ann-session", 1);
    const second = read(server, "/events", { headers: { "last-event-id": place } });
    const [event] = await until("the event", () => second.events.length > 0 && second.events);
    const { all } = await pages(server, "ann", 10);
    expect(event).toEqual({
      id: all.at(-1)?.cursor,
      event: "session.updated",
      data: all.at(-1),
    });
    second.cut();
  });

  it("sends each event of two owners once to clients that are disconnected repeatedly", async () => {
    const home = makeHome();
    const server = await openLive({ home });
    const readers = (["ann", "bob"] as const).flatMap((owner) =>
      Array.from({ length: 12 }, () => ({ owner, got: [] as Line[], last: "" })),
    );
    const start = await server.service.call("events", {}, callerOf("ann"));
    let over = false;
    const reading = readers.map(async (reader, nth) => {
      reader.last = start.cursor;
      /** It is cut off after this many events. */
      const connect = (most: number, onCut: () => void): EventReader => {
        let left = most;
        const connected = read(server, "/events", {
          token: server.tokens[reader.owner].read,
          headers: { "last-event-id": reader.last },
          onEvent: ({ id, data }) => {
            if (left === 0) return;
            reader.last = id ?? "";
            reader.got.push(lineOf(data));
            left -= 1;
            if (left > 0) return;
            connected.cut();
            onCut();
          },
        });
        return connected;
      };
      for (let cuts = 0; cuts < CUTS; cuts += 1) {
        const most = 1 + ((nth * 7919 + cuts * 104_729) % 11);
        await new Promise<void>((resolve) => connect(most, resolve));
      }
      return connect(Number.POSITIVE_INFINITY, () => {});
    });
    const writing = (["ann", "bob"] as const).map(async (owner) => {
      await write(server, owner, `${owner}-session`);
      for (let nth = 0; !over || nth < ROUNDS; nth += 1) {
        await Promise.all([
          note(server, owner, `${owner}-session`, nth),
          write(server, owner, `${owner}-${nth}-session`),
        ]);
        await sleep(15);
      }
    });
    const connected = await Promise.all(reading);
    over = true;
    await Promise.all(writing);
    for (const owner of ["ann", "bob"] as const) {
      const { all } = await pages(server, owner, 500, start.cursor);
      expect(all.length).toBeGreaterThan(100);
      for (const reader of readers.filter((each) => each.owner === owner)) {
        await until("the end", () => reader.last === all.at(-1)?.cursor);
        expect(reader.got).toEqual(all);
      }
    }
    for (const reader of connected) reader.cut();
  });

  it("continues at the client's position after a restart of the server", async () => {
    const home = makeHome();
    const first = await openLive({ home });
    const before = read(first, "/events");
    await until("a place", () => before.lastId);
    await write(first, "ann", "ann-session");
    const { all } = await pages(first, "ann", 10);
    await until("all so far", () => before.lastId === all.at(-1)?.cursor);
    await first.close();
    expect(await before.closed).toBe(true);
    const second = await openLive({ home });
    await note(second, "ann", "ann-session", 1);
    const after = read(second, "/events", { headers: { "last-event-id": before.lastId ?? "" } });
    await until("the rest", () => after.events.length > 0);
    const { all: whole } = await pages(second, "ann", 10);
    expect([...before.events, ...after.events].map(({ data }) => data)).toEqual(whole);
    after.cut();
  });

  it("sends no event of an owner to another with the same cursor", async () => {
    const server = await openLive();
    await write(server, "ann", "ann-session");
    const { all } = await pages(server, "ann", 10);
    for (let nth = 0; nth < 5; nth += 1) await note(server, "ann", "ann-session", nth);
    const cursor = all[0]?.cursor ?? "";
    const reader = read(server, "/events", {
      token: server.tokens.bob.admin,
      headers: { "last-event-id": cursor },
    });
    await reader.opened;
    await write(server, "bob", "bob-session");
    const ids = () => reader.events.map(({ data }) => lineOf(data).id);
    await until("bob's own", () => ids().includes("bob-session"));
    expect(JSON.stringify(reader.events)).not.toContain("ann");
    const page = await server.ask("GET", `/events?after=${cursor}`, {
      token: server.tokens.bob.read,
    });
    expect(page.text).not.toContain("ann");
    reader.cut();
  });

  it("is refused after a restored backup, if the events it follows are gone", async () => {
    const home = makeHome();
    const first = await openLive({ home });
    await write(first, "ann", "ann-session");
    await first.close();
    const copy = makeHome();
    cpSync(home, copy, { recursive: true });
    const second = await openLive({ home });
    await write(second, "bob", "bob-session");
    const { cursor: beforeLost } = await pages(second, "ann", 10);
    await note(second, "ann", "ann-session", 1);
    const { cursor: gone } = await pages(second, "ann", 10);
    await second.close();
    rmSync(home, { recursive: true });
    mkdirSync(home, { mode: 0o700 });
    cpSync(copy, home, { recursive: true });
    const third = await openLive({ home });
    for (const nth of [2, 3, 4]) await note(third, "ann", "ann-session", nth);

    const headers = { accept: "text/event-stream", "last-event-id": gone };
    for (const each of [{ headers }, {}]) {
      const answer = await third.ask("GET", `/events?after=${gone}`, each);
      expect(answer).toMatchObject({ status: 410, json: { error: "history_changed" } });
    }
    // The newest event that this reader saw is still there, although the place is not.
    const { all } = await pages(third, "ann", 10, beforeLost);
    expect(all.map(({ type }) => type)).toEqual(Array(3).fill("session.updated"));
  });

  it("names no events of others in its cursors", async () => {
    const server = await openLive();
    await write(server, "bob", "bob-session");
    const { entity_id } = await server.service.call("get", { id: "bob-session" }, callerOf("bob"));
    const { cursor } = await pages(server, "ann", 10);
    const place = Buffer.from(cursor.slice(2), "base64url").toString();
    // The place after bob's events, the start of a hash, and at most an event of ann's own, such as a token.
    expect(JSON.parse(place)).toEqual(expect.arrayContaining([expect.stringMatching(/^\d+$/)]));
    expect(place).not.toContain(entity_id);
    // A guess at the event of another person is not confirmed.
    const log = await server.service.call("log", { id: "bob-session" }, callerOf("bob"));
    const [seq, digest] = (log.cursor ?? "").split("-");
    const guess = JSON.stringify(["999999999", "00000000", entity_id, Number(seq), digest, 1]);
    const after = `f-${Buffer.from(guess).toString("base64url")}`;
    const answer = await server.ask("GET", `/events?after=${after}`);
    expect(answer).toMatchObject({ status: 410, json: { details: { newest: null } } });
  });

  it("ends if the events below it are other ones, and skips nothing silently", async () => {
    const shared = createBacking();
    const store = openMemoryStore({ shared });
    const service = createService({ store, now: Date.now, newId });
    const create = (session_id: string) =>
      service.call("create", { agent_name: "a", session_id }, callerOf("ann"));
    const { entity_id } = await create("session-1");
    const stop = new AbortController();
    const lines = followFeed(store, "ann", null, stop.signal);
    const first = lines.next();
    await sleep(20);
    await service.call("update", { id: "session-1", metadata: { n: 1 } }, callerOf("ann"));
    expect((await first).value).toMatchObject({ id: "session-1", seq: 2 });
    const next = lines.next();
    next.catch(() => {});
    await sleep(20);
    // As in an older copy of the data: the newest event never happened.
    shared.feed.pop();
    shared.streams.get(entity_id)?.events.pop();
    shared.streams.get(entity_id)?.heads.pop();
    for (const id of ["session-2", "session-3"]) await create(id);
    await expect(next).rejects.toMatchObject({ code: "history_changed" });
    stop.abort();
  });

  it.each([
    ["too long", `f-${"A".repeat(2000)}`],
    ["of a list", `f-${Buffer.from('["1",null,"x"]').toString("base64url")}`],
    [
      "with a seq of 0",
      `f-${Buffer.from('["1","00000000","x",0,"00000000",1]').toString("base64url")}`,
    ],
    ["no digest", `f-${Buffer.from('["1","0000000g"]').toString("base64url")}`],
  ])("refuses a cursor that is %s", async (_, after) => {
    const server = await openLive();
    for (const headers of [{ accept: "text/event-stream" }, { accept: "application/json" }]) {
      const answer = await server.ask("GET", `/events?after=${after}`, { headers });
      expect(answer).toMatchObject({ status: 400, json: { error: "invalid_input" } });
    }
  });

  it("ends with its abort signal, whatever it waits for", async () => {
    const held = watched();
    const server = await openLive({ wrap: held.wrap });
    const stop = new AbortController();
    const lines = followFeed(held.store, "ann", await feedEnd(held.store, "ann"), stop.signal);
    const next = lines.next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await server.close();
  });
});

function lineOf(data: unknown): Line {
  return OPERATIONS.events.output.shape.events.element.parse(data);
}
