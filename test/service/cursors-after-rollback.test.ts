import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { BelayError } from "../../src/contract/errors.ts";
import type { FeedLine } from "../../src/contract/operations/past-operations.ts";
import { newId } from "../../src/service/new-id.ts";
import { copyStore } from "../../src/store/copy/copy-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { openFiles } from "../conformance/open-files.ts";
import { sampleSize } from "../crash/sample-size.ts";

const root = mkdtempSync(join(tmpdir(), "belay-cursors-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
function newFolder(): string {
  folders += 1;
  return join(root, `${folders}`);
}
const isAlive = () => true;
const openSqlite = (folder: string) => openSqliteStore({ folder, isAlive, synchronous: "OFF" });

/** Time passes, also while a store goes back. */
let time = Date.parse("2026-01-08T18:00:00Z");
function now(): number {
  time += 7;
  return time;
}

const OWNERS = ["ann", "bob"] as const;
const SESSIONS = ["sess-1", "sess-2", "sess-3"] as const;
const Step = fc.record({
  owner: fc.constantFrom(...OWNERS),
  id: fc.constantFrom(...SESSIONS),
  does: fc.constantFrom("write", "write", "write", "purge", "read"),
});
type Step = typeof Step extends fc.Arbitrary<infer T> ? T : never;
const Steps = fc.array(Step, { maxLength: 12 });
const Story = fc.record({
  before: Steps,
  lost: Steps,
  after: Steps,
  isRolledBack: fc.boolean(),
  copy: fc.constantFrom("none", "sqlite", "files"),
  limit: fc.integer({ min: 1, max: 5 }),
});

/** A reader that remembers what it saw, and the cursor that it had at each moment. */
class Reader {
  readonly seen: string[] = [];
  readonly feed: { readonly cursor: string; readonly count: number }[] = [];
  readonly logs: { readonly id: string; readonly cursor: string; readonly last: string }[] = [];

  readonly owner: string;
  readonly limit: number;

  constructor(owner: string, limit: number) {
    this.owner = owner;
    this.limit = limit;
  }

  async read(store: StreamStore): Promise<void> {
    for (let after = this.feed.at(-1)?.cursor; ; after = this.feed.at(-1)?.cursor) {
      const ask = (input: { limit: number; after?: string }) =>
        refusalOr(serve(store).call("events", input, callerOf(this.owner)));
      let page = await ask({ limit: this.limit, ...(after !== undefined && { after }) });
      if (page === "history_changed") {
        // Someone else purged the event at its place, and it saw none itself.
        expect(this.seen).toEqual([]);
        page = await ask({ limit: this.limit });
      }
      if (page === "history_changed") throw new Error("refused without a cursor");
      for (const line of page.events) {
        this.seen.push(nameOf(line));
        this.feed.push({ cursor: line.cursor, count: this.seen.length });
      }
      this.feed.push({ cursor: page.cursor, count: this.seen.length });
      if (page.next_cursor === null) break;
    }
    for (const id of SESSIONS) {
      const log = await readLog(store, this.owner, id, 0);
      const last = log?.events.at(-1);
      if (log?.cursor && last)
        this.logs.push({ id, cursor: log.cursor, last: nameOf({ id, ...last }) });
    }
  }
}

const serve = (store: StreamStore) => createService({ store, now, newId });
const callerOf = (owner: string) =>
  ({ owner, actor: "test", interface: "api", trace_id: null }) as const;
const nameOf = ({ id, seq, at, type }: Pick<FeedLine, "id" | "seq" | "at" | "type">): string =>
  `${id} ${seq} ${type} ${at}`;

async function readLog(store: StreamStore, owner: string, id: string, after: string | number) {
  try {
    return await serve(store).call("log", { id, after, limit: 1000 }, callerOf(owner));
  } catch (error) {
    if (error instanceof BelayError && error.code === "session_not_found") return null;
    throw error;
  }
}

async function readFeedAfter(store: StreamStore, owner: string, cursor?: string) {
  const names: string[] = [];
  for (let after = cursor; ; ) {
    const input = { limit: 50, ...(after !== undefined && { after }) };
    const page = await serve(store).call("events", input, callerOf(owner));
    names.push(...page.events.map(nameOf));
    if (page.next_cursor === null) return names;
    after = page.next_cursor;
  }
}

async function play(store: StreamStore, steps: readonly Step[], readers: readonly Reader[]) {
  const purged: string[] = [];
  for (const { owner, id, does } of steps) {
    const caller = callerOf(owner);
    const log = await readLog(store, owner, id, 0);
    if (does === "read") {
      for (const reader of readers) if (reader.owner === owner) await reader.read(store);
    } else if (does === "purge") {
      if (!log) continue;
      const { entity_id } = await serve(store).call("get", { id }, caller);
      await store.purge(entity_id, now());
      purged.push(...log.events.map((event) => nameOf({ id, ...event })));
    } else if (log) {
      await serve(store).call("update", { id, metadata: { at: now() } }, caller);
    } else {
      await serve(store).call("create", { agent_name: "a", session_id: id }, caller);
    }
  }
  return purged;
}

async function refusalOr<T>(answer: Promise<T>): Promise<T | "history_changed"> {
  return answer.catch((error: unknown) => {
    if (error instanceof BelayError && error.code === "history_changed") return error.code;
    throw error;
  });
}

it("continue with exactly the missing events, or say that the history changed", async () => {
  const outcomes = { continued: 0, changed: 0 };
  const property = fc.asyncProperty(Story, async (story) => {
    const { before, lost, after, isRolledBack, copy, limit } = story;
    const home = newFolder();
    const readers = OWNERS.map((owner) => new Reader(owner, limit));
    let store: StreamStore = await openSqlite(home);
    const purged = new Set(await play(store, before, readers));
    await store.close();
    const backup = newFolder();
    cpSync(home, backup, { recursive: true });
    store = await openSqlite(home);
    const purgedLater = await play(store, [...lost, ...OWNERS.map(readBy)], readers);
    await store.close();
    if (isRolledBack) {
      rmSync(home, { recursive: true });
      mkdirSync(home, { mode: 0o700 });
      cpSync(backup, home, { recursive: true });
    } else for (const name of purgedLater) purged.add(name);
    const original = await openSqlite(home);
    store = original;
    if (copy !== "none") {
      const folder = newFolder();
      const target =
        copy === "sqlite" ? await openSqlite(folder) : await openFiles({ folder, isAlive });
      const source = await original.openSource();
      await copyStore(source, target);
      await source.close();
      await original.close();
      store = target;
    }
    for (const name of await play(store, after, [])) purged.add(name);

    // What came back with the older copy was gone when it was read, so no reader knows if it should come again.
    const isBack = (name: string) => isRolledBack && purgedLater.includes(name);
    for (const reader of readers) {
      const { owner, seen } = reader;
      const all = await readFeedAfter(store, owner);
      const whole = all.filter((name) => !isBack(name));
      for (const { cursor, count } of reader.feed) {
        const answer = await refusalOr(readFeedAfter(store, owner, cursor));
        const known = new Set(seen.slice(0, count));
        const last = seen[count - 1];
        outcomes[answer === "history_changed" ? "changed" : "continued"] += 1;
        const isThere = last !== undefined && all.includes(last);
        if (answer === "history_changed") expect([cursor, isThere]).toEqual([cursor, false]);
        else {
          const news = answer.filter((name) => !isBack(name));
          expect(news).toEqual(whole.filter((name) => !known.has(name)));
        }
        // The reader saw an event that neither this history nor its purges know.
        if (last !== undefined && !isThere && !purged.has(last)) {
          expect(answer).toBe("history_changed");
        }
      }
      for (const { id, cursor, last } of reader.logs) {
        const log = await readLog(store, owner, id, 0);
        const answer = await refusalOr(readLog(store, owner, id, cursor));
        if (log === null) expect(answer).toBeNull();
        else {
          const names = log.events.map((event) => nameOf({ id, ...event }));
          const at = names.indexOf(last);
          if (at < 0) expect(answer).toBe("history_changed");
          else expect(answer).toMatchObject({ events: log.events.slice(at + 1) });
        }
      }
    }
    await store.close();
  });
  await fc.assert(property, { numRuns: sampleSize({ full: 500, sample: 25 }), seed: 33 });
  expect(outcomes.continued).toBeGreaterThan(100);
  expect(outcomes.changed).toBeGreaterThan(20);
});

const readBy = (owner: Step["owner"]): Step => ({ owner, id: "sess-1", does: "read" });
