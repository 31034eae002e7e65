import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import type { OperationName, Output } from "../../src/contract/operations.ts";
import { LiveText } from "../../src/drive/live/live-text.ts";
import { watchLog, watchSession } from "../../src/drive/run/watch-session.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { feedEnd, followFeed } from "../../src/service/follow/follow-feed.ts";
import { MOST_HELD } from "../../src/service/read/held-pages.ts";
import type { ServiceContext } from "../../src/service/service-context.ts";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { until } from "../run/run-lab.ts";

/** Pages of large items: limited in bytes, and nothing is lost. */
const KB = 1024;
const TURNS = 12;
const caller = { owner: "ann", actor: "test", interface: "library", trace_id: null } as const;
const folder = mkdtempSync(join(tmpdir(), "belay-pages-"));
let store: SqliteStore;
let context: ServiceContext;
let service: BelayService;
let large: Output<"create">;

const call = <K extends OperationName>(name: K, input: object): Promise<Output<K>> =>
  service.call(name, input, caller);
const big = (n: number, kilobytes: number): string => `${n} `.padEnd(kilobytes * KB, "é");

beforeAll(async () => {
  store = await openSqliteStore({ folder, isAlive, synchronous: "OFF" });
  context = createContext(store);
  service = createService(context);
  large = await call("create", { agent_name: "a", session_id: "large" });
  for (let n = 0; n < TURNS; n += 1) {
    await call("record_turn", { id: "large", input: `turn ${n}`, output: big(n, 400) });
  }
  for (let n = 0; n < 16; n += 1) {
    const metadata = { note: big(n, 200) };
    await call("create", { agent_name: "b", session_id: `wide-${n}`, metadata });
    await call("request_approval", { id: `wide-${n}`, title: "May I?", body: big(n, 200) });
  }
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything, page by page; no page is empty before the end or larger than allowed. */
async function turn<T>(
  read: (cursor: unknown) => Promise<{ items: readonly T[]; next: unknown }>,
): Promise<{ items: T[]; pages: number }> {
  const items: T[] = [];
  let pages = 0;
  for (let cursor: unknown; ; ) {
    const page = await read(cursor);
    pages += 1;
    expect(pages).toBeLessThan(100);
    const bytes = Buffer.byteLength(JSON.stringify(page.items));
    if (page.items.length > 1) expect(bytes).toBeLessThan(LIMITS.PAGE_BYTES + 500 * KB);
    items.push(...page.items);
    if (page.next === null) return { items, pages };
    expect(page.items.length).toBeGreaterThan(0);
    cursor = page.next;
  }
}

describe("a page ends at its byte limit, and returns the next position", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

  it("of a log, forwards and backwards", async () => {
    const forwards = await turn(async (after = 0) => {
      const { events, next_cursor } = await call("log", { id: "large", after, limit: 1000 });
      return { items: events, next: next_cursor };
    });
    expect(forwards.items.map(({ seq }) => seq)).toEqual(
      numbers((await call("get", { id: "large" })).version).map((n) => n + 1),
    );
    expect(forwards.pages).toBeGreaterThan(2);
    const backwards = await turn(async (before = 1000) => {
      const { events, next_cursor } = await call("log", { id: "large", before, limit: 1000 });
      return { items: events.toReversed(), next: next_cursor };
    });
    expect(backwards.items.toReversed()).toEqual(forwards.items);
  });

  it("of a conversation", async () => {
    const { items, pages } = await turn(async (before) => {
      const page = await call("turns", { id: "large", limit: 1000, ...(before ? { before } : {}) });
      return { items: page.turns.toReversed(), next: page.next_cursor };
    });
    expect(items.map(({ input }) => input)).toEqual(
      numbers(TURNS).map((n) => `turn ${TURNS - 1 - n}`),
    );
    expect(items.map(({ output }) => output.length)).toEqual(numbers(TURNS).map(() => 400 * KB));
    expect(pages).toBeGreaterThan(2);
  });

  it("of a list with large metadata, and of its search", async () => {
    for (const search of [{}, { search: "wide" }]) {
      const { items, pages } = await turn(async (cursor) => {
        const input = { agent: "b", limit: 1000, ...search, ...(cursor ? { cursor } : {}) };
        const page = await call("list", input);
        return { items: page.sessions, next: page.next_cursor };
      });
      expect(new Set(items.map(({ session_id }) => session_id)).size).toBe(16);
      expect(items).toHaveLength(16);
      expect(pages).toBeGreaterThan(1);
    }
  });

  it("of everyone's questions", async () => {
    const { items, pages } = await turn(async (cursor) => {
      const page = await call("list_approvals", { limit: 1000, ...(cursor ? { cursor } : {}) });
      return { items: page.approvals, next: page.next_cursor };
    });
    expect(new Set(items.map(({ session_id }) => session_id)).size).toBe(16);
    expect(items).toHaveLength(16);
    expect(pages).toBeGreaterThan(1);
  });

  it("of the feed", async () => {
    const { items, pages } = await turn(async (after) => {
      const page = await call("events", { limit: 1000, ...(after ? { after } : {}) });
      return { items: page.events, next: page.next_cursor };
    });
    expect(items.filter(({ type }) => type === "turn.recorded")).toHaveLength(TURNS);
    expect(items.filter(({ type }) => type === "approval.requested")).toHaveLength(16);
    expect(new Set(items.map(({ cursor }) => cursor)).size).toBe(items.length);
    expect(pages).toBeGreaterThan(3);
  });

  it("of a timeline", async () => {
    const started_at = "2026-03-01T10:00:00Z";
    const at = (n: number) => new Date(Date.parse(started_at) + n * 10).toISOString();
    const type = "t".repeat(200);
    for (let from = 0; from < 6000; from += 1000) {
      const actions = numbers(1000).map((n) => ({
        type,
        result: "success",
        timestamp: at(from + n),
      }));
      await call("submit_observation", { session_id: "much-done", started_at, actions });
    }
    const { items, pages } = await turn(async (cursor) => {
      const input = { entity_id: "much-done", ...(cursor ? { cursor } : {}) };
      const page = await call("timeline", input);
      return { items: page.events, next: page.next_cursor };
    });
    expect(items.filter((event) => event.type === "action")).toHaveLength(6000);
    expect(pages).toBeGreaterThan(1);
    await expect(call("timeline", { entity_id: "much-done", cursor: "none" })).rejects.toThrow(
      "Invalid cursor",
    );
  });

  it("control: a store that does not count bytes answers with a whole log", async () => {
    const boundless: StreamStore = {
      ...store,
      read: (reads) =>
        store.read(
          reads.map(({ events, ...read }) => ({
            ...read,
            ...(events && { events: events.map(({ bytes, ...range }) => range) }),
          })),
        ),
    };
    const careless = createService(createContext(boundless));
    const { events } = await careless.call("log", { id: "large", limit: 1000 }, caller);
    expect(Buffer.byteLength(JSON.stringify(events))).toBeGreaterThan(LIMITS.PAGE_BYTES + 500 * KB);
  });

  it("of the audit, starting with the newest", async () => {
    const { events } = await call("audit", { limit: 1000 });
    expect(events.length).toBeGreaterThan(1);
    expect(Buffer.byteLength(JSON.stringify(events))).toBeLessThan(LIMITS.PAGE_BYTES + 500 * KB);
    expect(events.map(({ id }) => id)).toContain("wide-15");
    expect(events.map(({ id }) => id)).not.toContain("large");
  });

  it("of one session's history, alone and among others", async () => {
    for (let n = 0; n < 30; n += 1) {
      const note = `${n} `.padEnd(200 * KB, "x");
      await call("save_checkpoint", { id: "wide-3", name: `saved-${n}`, state: { note } });
      await call("submit_observation", {
        session_id: "wide-3",
        started_at: "2026-03-01T10:00:00Z",
        actions: [{ type: `did-${n}`, result: "success", details: { note } }],
      });
    }
    for (const of of [{ session_id: "wide-3" }, {}]) {
      const { items, pages } = await turn(async (cursor) => {
        const input = { ...of, limit: 1000, order_by: "updated_at", ...(cursor ? { cursor } : {}) };
        const page = await call("history", input);
        return { items: page.sessions, next: page.next_cursor };
      });
      const own = items.flatMap(({ snapshot }) =>
        snapshot.session_id === "wide-3" ? [snapshot] : [],
      );
      expect(own.flatMap(({ actions }) => actions.map(({ type }) => type))).toEqual(
        numbers(30).map((n) => `did-${n}`),
      );
      expect(own.flatMap(({ checkpoints }) => checkpoints.map(({ name }) => name))).toEqual(
        numbers(30).map((n) => `saved-${n}`),
      );
      expect(pages).toBeGreaterThan(5);
    }
    const { sessions } = await call("history", { limit: 1000 });
    expect(new Set(sessions.map(({ entity_id }) => entity_id)).size).toBe(sessions.length);
  });

  it("within a turn that is larger than a page, with its size", async () => {
    await call("create", { agent_name: "b", session_id: "long-turn" });
    const [input, output] = [big(1, 900), big(2, 800)];
    await call("record_turn", { id: "long-turn", input: "short", output: "turn" });
    await call("record_turn", { id: "long-turn", input, output });
    const { turns } = await call("turns", { id: "long-turn" });
    const cut = turns.at(-1);
    expect(Buffer.byteLength(`${cut?.input}${cut?.output}`)).toBeLessThanOrEqual(LIMITS.PAGE_BYTES);
    expect(Buffer.byteLength(`${cut?.input}${cut?.output}`)).toBeGreaterThan(2000 * KB);
    expect([input.startsWith(cut?.input ?? "-"), output.startsWith(cut?.output ?? "-")]).toEqual([
      true,
      true,
    ]);
    expect(cut?.whole_bytes).toBe(Buffer.byteLength(input) + Buffer.byteLength(output));
    const { events } = await call("log", { id: "long-turn", after: (cut?.seq ?? 0) - 1 });
    expect(events[0]?.data).toMatchObject({ input, output });
    const earlier = await call("turns", { id: "long-turn", before: cut?.seq });
    expect(earlier.turns).toMatchObject([{ input: "short" }]);
    expect(earlier.turns[0]).not.toHaveProperty("whole_bytes");
  });
});

describe("a listener that reads nothing", () => {
  it("holds at most one event, however many wait", async () => {
    const live = new LiveText();
    const stop = new AbortController();
    const before = heapUsed();
    const readers = Array.from({ length: 30 }, () =>
      watchLog(
        context,
        live,
        large.entity_id,
        { place: { seq: 2, digest: null }, read: null },
        stop.signal,
      ),
    );
    const feeds = Array.from({ length: 30 }, () => followFeed(store, "ann", "f-1", stop.signal));
    for (const reader of [...readers, ...feeds]) await reader.next();
    // One event has 400 KB in memory, or 800 with non-Latin letters.
    expect((heapUsed() - before) / 60).toBeLessThan(1000 * KB);
    // An agent's live text is not kept for them either.
    const text = "x".repeat(1000);
    for (let n = 0; n < 2000; n += 1) {
      live.publish(large.entity_id, {
        turn_id: "t",
        item: 0,
        kind: "message",
        offset: n * 1000,
        text,
        after: 1,
      });
    }
    expect((heapUsed() - before) / 60).toBeLessThan(1200 * KB);
    stop.abort();
    await Promise.all([...readers, ...feeds].map((reader) => reader.return(undefined)));
  });

  const hundred = Array.from({ length: 100 });
  const answersOf = async (readers: readonly AsyncGenerator<unknown>[]) => {
    let answered = 0;
    const count = (): void => {
      answered += 1;
    };
    for (const reader of readers) void reader.next().then(count);
    // All that fit have read when this one, which needs no room, has been let through after them.
    await followFeed(store, "ann", await feedEnd(store, "ann"), AbortSignal.timeout(200)).next();
    return () => answered;
  };

  it("holds only its position if all listeners hold much, and is served later", async () => {
    const live = new LiveText();
    const stop = new AbortController();
    const readers = hundred.map(() =>
      watchLog(
        context,
        live,
        large.entity_id,
        { place: { seq: 2, digest: null }, read: null },
        stop.signal,
      ),
    );
    const answered = await answersOf(readers);
    // Each event has 400 KB.
    expect(answered() * 400 * KB).toBeLessThanOrEqual(MOST_HELD);
    expect(answered() * 400 * KB).toBeGreaterThan(MOST_HELD / 2);
    // Small items are delivered at once anyway.
    await call("create", { agent_name: "c", session_id: "small-session" });
    const { entity_id } = await call("get", { id: "small-session" });
    const small = watchLog(
      context,
      live,
      entity_id,
      { place: { seq: 0, digest: null }, read: null },
      stop.signal,
    );
    expect((await small.next()).value).toMatchObject({ seq: 1 });
    await small.return(undefined);
    // Each one that leaves makes room for another.
    for (const reader of readers.slice(0, answered())) await reader.return(undefined);
    await until("the others", () => answered() === 100);
    stop.abort();
    await Promise.all(readers.map((reader) => reader.return(undefined)));
  });

  it("control: drivers, which do not wait, all get their events at once", async () => {
    const live = new LiveText();
    const stop = new AbortController();
    const readers = hundred.map(() => watchSession(context, live, large.entity_id, 2, stop.signal));
    expect((await answersOf(readers))()).toBe(100);
    stop.abort();
    await Promise.all(readers.map((reader) => reader.return(undefined)));
  });

  it("control: listeners with read-ahead hold more", async () => {
    const live = new LiveText();
    const stop = new AbortController();
    const before = heapUsed();
    const ahead: unknown[] = [];
    for (let n = 0; n < 5; n += 1) {
      const reader = watchLog(
        context,
        live,
        large.entity_id,
        { place: { seq: 2, digest: null }, read: null },
        stop.signal,
      );
      for (let event = 1; event < TURNS; event += 1) ahead.push((await reader.next()).value);
      await reader.return(undefined);
    }
    expect((heapUsed() - before) / 5).toBeGreaterThan(1200 * KB);
    expect(ahead).toHaveLength(5 * (TURNS - 1));
    stop.abort();
  });
});

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
