import { expect } from "vitest";
import { readFeedEnd } from "../../read-streams.ts";
import type { StreamStore } from "../../stream-store.ts";
import { followFeed, readFeed } from "../follow-feed.ts";
import { begin, blindly, countTo, idOf, keep, moreLines, textsOf, write } from "../notebook.ts";
import { runWriter } from "../run-writer.ts";
import type { Suite } from "../suite.ts";
import { readLog, turnFeed } from "../turn-pages.ts";
import { watchOnce } from "../watch-once.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];

export function feed({ it, durable }: Suite): void {
  it("contains the events of every stream, in the order in which they were acknowledged", async ({
    open,
  }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(B, { lines: ["1"] }));
    await keep(other, begin(A, { lines: ["2", "3"], owner: "bob", kind: "task", key: "it" }));
    await keep(one, write(B, { lines: ["4"] }));
    await keep(other, begin(C, { base: { id: B, seq: 1 }, lines: ["5"] }));
    await keep(one, write(A, { lines: ["6"] }));
    for (const store of [one, other]) {
      const events = await readFeed(store, "");
      expect(textsOf(events)).toEqual(countTo(6).map(String));
      const [first] = await readLog(store, A);
      const place = { stream: A, kind: "task", owner: "bob", key: "it" };
      expect(events[1]).toEqual({ ...first, ...place });
    }
  });

  it("contains all events of a transaction, those of each stream in order", async ({ open }) => {
    const store = await open();
    for (const id of [A, B]) await keep(store, begin(id, { lines: ["begun"] }));
    const lines = ["x", "y", "z"];
    const appends = [B, A].map((id) => moreLines({ id, seq: 1 }, { lines }));
    await keep(store, blindly(...appends));
    const events = await readFeed(store, "");
    for (const id of [A, B]) {
      const own = events.filter(({ stream }) => stream === id);
      expect(textsOf(own)).toEqual(["begun", ...lines]);
    }
    expect(events).toHaveLength(8);
  });

  it("continues from any cursor, with pages of any size", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: countTo(4).map(String) }));
    for (const id of [B, C]) await keep(store, begin(id, { lines: ["x", "y"] }));
    await readFeed(store, "");
    const all = await turnFeed(store, "", 50);
    expect(all.length).toBeGreaterThanOrEqual(8);

    let cursor = "";
    for (const n of countTo(all.length)) {
      const page = await store.readFeed({ after: cursor, limit: 1 });
      expect(page.events).toEqual(all.slice(n - 1, n));
      cursor = page.cursor;
      for (const limit of [1, 3, 50]) {
        expect(await turnFeed(store, cursor, limit)).toEqual(all.slice(n));
      }
    }
  });

  it("fills each page up to its limit if there are enough events", async ({ open }) => {
    const store = await open();
    for (const id of [A, B, C]) await keep(store, begin(id, { lines: ["x", "y"] }));
    await readFeed(store, "");
    for (const limit of countTo(6)) {
      expect((await store.readFeed({ after: "", limit })).events).toHaveLength(limit);
    }
  });

  it("continues from the cursor of its end", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    await readFeed(store, "");
    const { cursor } = await store.readFeed({ after: "", limit: 99 });
    const atTheEnd = await store.readFeed({ after: cursor, limit: 99 });
    expect(atTheEnd.events).toEqual([]);
    await keep(store, write(A, { lines: ["next"] }));
    expect(textsOf(await readFeed(store, atTheEnd.cursor))).toEqual(["next"]);
  });

  it("has a cursor for its end, and all later commits come after it", async ({ open }) => {
    const store = await open();
    const start = await readFeedEnd(store);
    await keep(store, begin(A, { lines: ["one"] }));
    await readFeed(store, "");
    const end = await readFeedEnd(store);
    expect(await turnFeed(store, end, 9)).toEqual([]);

    await keep(store, write(A, { lines: ["two"] }));
    expect(textsOf(await readFeed(store, end))).toEqual(["two"]);
    expect(textsOf(await readFeed(store, start))).toEqual(["one", "two"]);
  });

  it("finds an event by the cursor after it, by its place in its stream, and at the end", async ({
    open,
  }) => {
    const store = await open();
    // A layer may have events of its own, which it does not show.
    const endOf = async () => (await store.findInFeed(null))?.cursor ?? "";
    expect(await turnFeed(store, await endOf(), 9)).toEqual([]);
    await keep(store, begin(A, { lines: ["1", "2"], owner: "bob" }));
    await keep(store, begin(B, { base: { id: A, seq: 1 }, lines: ["3", "4"] }));
    await keep(store, write(A, { lines: ["5"] }));
    await readFeed(store, "");
    for (let after = ""; ; ) {
      const page = await store.readFeed({ after, limit: 1 });
      const [event] = page.events;
      if (!event) break;
      const { stream, seq, type, at, hash, owner } = event;
      const found = await store.findInFeed(page.cursor);
      expect(found).toEqual({ stream, seq, type, at, hash, owner, cursor: expect.any(String) });
      expect(await store.findInFeed({ stream, seq })).toEqual(found);
      // Its own cursor leads to the same events as the cursor of the page.
      const [next] = (await store.readFeed({ after: page.cursor, limit: 1 })).events;
      const own = await store.readFeed({ after: found?.cursor ?? "", limit: 1 });
      expect(own.events[0]).toEqual(next);
      after = page.cursor;
    }
    const end = await endOf();
    expect(await turnFeed(store, end, 9)).toEqual([]);
    await keep(store, write(B, { lines: ["6"] }));
    expect(textsOf(await readFeed(store, end))).toEqual(["6"]);
  });

  it("tells purged events from those that it never had", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2"] }));
    await keep(store, begin(B, { lines: ["3"] }));
    await keep(store, begin(C, { lines: ["4"] }));
    await readFeed(store, "");
    const third = await store.findInFeed({ stream: B, seq: 1 });
    for (const sought of [
      { stream: A, seq: 3 },
      { stream: idOf(9), seq: 1 },
      "x",
      "-1",
      "99999999",
      "99999999.1",
    ]) {
      expect(await store.findInFeed(sought)).toBeUndefined();
    }
    for (const id of [B, C]) await store.purge(id, 5);
    expect(await store.findInFeed({ stream: B, seq: 1 })).toBeNull();
    expect(await store.findInFeed({ stream: A, seq: 2 })).toMatchObject({ stream: A, seq: 2 });
    await keep(store, write(A, { lines: ["5"] }));
    expect(textsOf(await readFeed(store, third?.cursor ?? ""))).toEqual(["5"]);
    // The newest one that is left before it. A layer may have events of its own, which it does not show.
    const left = await store.findInFeed(third?.cursor ?? "");
    expect([B, C]).not.toContain(left?.stream);
    expect(textsOf(await readFeed(store, left?.cursor ?? ""))).toEqual(["5"]);
  });

  it("skips and repeats nothing while several handles write", async ({ open }) => {
    const [reader, ...writers] = [await open(), await open(), await open()];
    const ids = [A, B, C];
    for (const id of ids) await keep(reader, begin(id, { lines: ["begun"] }));
    const writing = Promise.all(
      writers.flatMap((store, handle) =>
        ids.map(async (id) => {
          for (const n of countTo(15)) {
            await keep(store, write(id, { lines: [`${handle} ${n}`, "and"] }));
          }
        }),
      ),
    );
    let missing = ids.length * 61;
    const isLast = () => {
      missing -= 1;
      return missing === 0;
    };
    const followed = await followFeed(reader, "", 10, isLast);
    await writing;
    for (const id of ids) {
      const own = followed.filter(({ stream }) => stream === id);
      expect(own.map(({ seq }) => seq)).toEqual(countTo(61));
    }
    expect(followed).toEqual(await readFeed(writers[0] ?? reader, ""));
  });

  it("contains acknowledged commits in order while others write", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    for (const id of [A, B, C]) await keep(one, begin(id, { lines: ["begun"] }));
    const chain = countTo(20).map((n) => `chain ${n}`);
    let isChaining = true;
    const chaining = (async () => {
      for (const [index, text] of chain.entries()) {
        const store = index % 2 === 0 ? one : other;
        await keep(store, write(index % 3 === 0 ? A : B, { lines: [text] }));
      }
    })().finally(() => {
      isChaining = false;
    });
    const noise = [one, other].map(async (store) => {
      while (isChaining) await keep(store, write(C, { lines: ["noise"] }));
    });
    await Promise.all([chaining, ...noise]);
    const texts = textsOf(await readFeed(one, ""));
    expect(texts.filter((text) => `${text}`.startsWith("chain"))).toEqual(chain);
  });

  it("calls watchers for commits of the same handle and of another one", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    for (const committing of [one, other]) {
      const end = await readFeedEnd(one);
      const calling = callWithNews(one, end);
      await keep(committing, write(A));
      await calling;
    }
  });

  it("calls watchers within 50 ms (the median of nine commits)", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    await readFeed(other, "");
    const delays: number[] = [];
    for (const _ of countTo(9)) {
      const calling = callWithNews(other, await readFeedEnd(other));
      await keep(one, write(A));
      const acknowledged = performance.now();
      await calling;
      delays.push(performance.now() - acknowledged);
    }
    expect(delays.sort((a, b) => a - b)[4]).toBeLessThan(50);
  });

  it("does not call a watcher that has stopped", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    let calls = 0;
    const stop = one.watch(() => {
      calls += 1;
    });
    const end = await readFeedEnd(one);
    const calling = callWithNews(one, end);
    await keep(other, write(A));
    await calling;
    stop();
    stop();
    const before = calls;
    for (const _ of countTo(3)) {
      const { called } = watchOnce(one);
      await keep(other, write(A));
      await called;
    }
    expect(calls).toBe(before);
  });

  if (!durable) return;

  it("calls watchers for commits of another process", async ({ open, folder }) => {
    const store = await open();
    await keep(store, begin(A));
    await readFeed(store, "");
    const calling = callWithNews(store, await readFeedEnd(store));
    const writer = runWriter(durable.writer, folder, [A]);
    try {
      await calling;
    } finally {
      await writer.kill();
    }
  });
}

/** A watcher may be called without a change, but must be called if there is more. */
async function callWithNews(store: StreamStore, end: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = store.watch(() => {
    store
      .readFeed({ after: end, limit: 1 })
      .then(({ events }) => events.length > 0 && resolve(), reject);
  });
  await promise.finally(stop);
}
