import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { newId } from "../../src/service/new-id.ts";
import { listUntilFull } from "../../src/service/read/list-until-full.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { as, MINUTE, START } from "./on-memory.ts";

const caller = as("ann", "cli");
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const STORES = {
  memory: async () => openMemoryStore(),
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "belay-search-"));
    const store = await openSqliteStore({ folder, isAlive: () => true, synchronous: "OFF" });
    closing.push(async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    });
    return store;
  },
} as const satisfies Record<string, () => Promise<StreamStore>>;

/** The service, with a count of the streams that lists read. */
function serveOn(store: StreamStore) {
  let now = START;
  let looked = 0;
  const counting: StreamStore = {
    ...store,
    async list(query) {
      const page = await store.list(query);
      looked += page.streams.length;
      return page;
    },
  };
  const service = createService({ store: counting, now: () => now, newId });
  return {
    service,
    looked: () => looked,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

/** This many sessions, of which each tenth matches. */
async function fill(service: BelayService, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `sess-${String(n).padStart(4, "0")}`);
  await Promise.all(
    ids.map((session_id, n) => {
      const title = n % 10 === 3 ? `Wanted ${n}` : `Other ${n}`;
      return service.call("create", { agent_name: "a", session_id, title }, caller);
    }),
  );
  return ids.filter((_, n) => n % 10 === 3);
}

/** All results, page by page. */
async function pageThrough(service: BelayService, input: { search: string; limit: number }) {
  const pages: string[][] = [];
  let cursor: string | null | undefined;
  do {
    const asked = { ...input, ...(cursor !== undefined && { cursor }) };
    const page = await service.call("list", asked, caller);
    pages.push(page.sessions.map(({ session_id }) => session_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return pages;
}

describe.each(["memory", "sqlite"] as const)("a search on the %s store", (name) => {
  it.each([1, 2, 3, 7, 24, 25, 26, 1000])(
    "finds each session once with pages of %i",
    async (limit) => {
      const { service } = serveOn(await STORES[name]());
      const wanted = await fill(service, 250);
      const pages = await pageThrough(service, { search: "wanted", limit });
      expect(pages.flat().toSorted()).toEqual(wanted);
      expect(Math.max(...pages.map((page) => page.length))).toBe(Math.min(limit, wanted.length));
    },
  );

  it("searches a limited number of sessions, and continues after them", async () => {
    const { service, looked } = serveOn(await STORES[name]());
    const count = LIMITS.SEARCHED + 100;
    const wanted = await fill(service, count);
    const first = await service.call("list", { search: "nowhere" }, caller);
    expect(first).toMatchObject({ sessions: [], next_cursor: expect.any(String) });
    expect(looked()).toBe(LIMITS.SEARCHED);
    const rest = { search: "nowhere", cursor: first.next_cursor ?? "" };
    expect((await service.call("list", rest, caller)).next_cursor).toBeNull();
    expect(looked()).toBe(count);
    const found = (await pageThrough(service, { search: "wanted", limit: 1000 })).flat();
    expect(found.toSorted()).toEqual(wanted);
  });
});

describe("a search", () => {
  it("is combined with the other filters, in the order of lists", async () => {
    const { service, advance } = serveOn(openMemoryStore());
    for (const [n, agent_name] of ["a", "b", "a", "a"].entries()) {
      const session_id = `sess-${n}`;
      await service.call("create", { agent_name, session_id, title: "Wanted" }, caller);
      advance(MINUTE);
    }
    await service.call("finalize", { id: "sess-0", outcome: "failed" }, caller);
    const ids = async (more: object) =>
      (await service.call("list", { search: "wanted", ...more }, caller)).sessions.map(
        ({ session_id }) => session_id,
      );
    expect(await ids({ agent: "a" })).toEqual(["sess-0", "sess-3", "sess-2"]);
    expect(await ids({ agent: "b" })).toEqual(["sess-1"]);
    expect(await ids({ failed: true })).toEqual(["sess-0", "sess-3", "sess-2", "sess-1"]);
    expect(await ids({ from: new Date(START + 3 * MINUTE).toISOString() })).toEqual([
      "sess-0",
      "sess-3",
    ]);
  });

  it("finds no session of another owner", async () => {
    const { service } = serveOn(openMemoryStore());
    await service.call("create", { agent_name: "a", title: "Wanted" }, caller);
    const { sessions } = await service.call("list", { search: "wanted" }, as("bob", "cli"));
    expect(sessions).toEqual([]);
  });

  it.each(["", "  \n ", "x".repeat(LIMITS.SEARCH + 1)])("of %j is refused", async (search) => {
    const { service } = serveOn(openMemoryStore());
    await expect(service.call("list", { search }, caller)).rejects.toMatchObject({
      code: "invalid_input",
      details: { field: "search" },
    });
  });

  it("continues by itself if all matches are requested", async () => {
    const { service } = serveOn(openMemoryStore());
    await fill(service, LIMITS.SEARCHED + 100);
    const last = { search: "0003", limit: 5 };
    const { sessions, next_cursor } = await listUntilFull(service, last, caller);
    expect(sessions.map(({ session_id }) => session_id)).toEqual(["sess-0003"]);
    expect(next_cursor).toBeNull();
    const some = await listUntilFull(service, { search: "wanted", limit: 5 }, caller);
    expect(some.sessions).toHaveLength(5);
    expect(some.next_cursor).not.toBeNull();
  });
});
