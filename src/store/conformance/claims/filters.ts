import { expect } from "vitest";
import { type Listing, SESSION_LISTING } from "../../../contract/stream.ts";
import { filterNames } from "../../list-rules.ts";
import type { ListFilter, StreamStore } from "../../stream-store.ts";
import { begin, idOf, keep, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";

export function filters({ it }: Suite): void {
  it("select by each field of the listing", async ({ open }) => {
    const store = await open();
    await fill(store);
    for (const [name, { filter, finds }] of Object.entries(examples)) {
      expect({ name, found: await found(store, filter) }).toEqual({ name, found: finds });
    }
  });

  it("are all tested here", async () => {
    const tried = Object.values(examples).flatMap(({ filter }) => Object.keys(filter));
    expect([...new Set(tried)].sort()).toEqual(filterNames(SESSION_LISTING).sort());
  });

  it("can be combined, and each of them must match", async ({ open }) => {
    const store = await open();
    await fill(store);
    expect(await found(store, { status: ["active", "failed"], agent: "coder" })).toEqual([1, 3]);
    expect(await found(store, { status: ["active"], agent: "coder", phase: "approval" })).toEqual([
      1,
    ]);
    expect(await found(store, { agent: "coder", phase: "never" })).toEqual([]);
    // The streams that overlap the span from 2500 to 3500.
    expect(await found(store, { created: { before: 3500 }, activity: { after: 2500 } })).toEqual([
      2, 3,
    ]);
    expect(await found(store, { key_prefix: "fix", activity: { before: 4000 } })).toEqual([1]);
    expect(await found(store, { waiting: true, key_prefix: "fix" })).toEqual([4]);
    expect(await found(store, { waiting: true, status: ["failed"], project: "/p" })).toEqual([3]);
    expect(await found(store, { unsettled: true, status: ["active", "failed"] })).toEqual([1]);
    expect(await found(store, { unsettled: true, waiting: true })).toEqual([4]);
    expect(await found(store, { pinned: true, status: ["active"] })).toEqual([2]);
    expect(await found(store, { pinned: true, waiting: true, agent: "coder" })).toEqual([3]);
    expect(await found(store, { pinned: false, waiting: false })).toEqual([1]);
    expect(
      await found(store, { unsettled: true, agent: "coder", activity: { before: 4000 } }),
    ).toEqual([1]);
    expect(await found(store, { unsettled: true, status: ["failed"] })).toEqual([]);
  });

  it("select by the current values of a stream, not by earlier ones", async ({ open }) => {
    const store = await open();
    await fill(store);
    await keep(store, write(idOf(1), { listing: { ...listings[0], status: "archived" } }));
    expect(await found(store, { status: ["active"] })).toEqual([2]);
    expect(await found(store, { status: ["archived"] })).toEqual([1]);
  });

  it("find the unsettled streams of every owner, and only while they are unsettled", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(idOf(1), { owner: "ann", listing: { unsettled: 0, activity: 1 } }));
    await keep(store, begin(idOf(2), { owner: "bob", listing: { unsettled: 1, activity: 2 } }));
    await keep(store, begin(idOf(3), { owner: "cid", listing: { unsettled: 1, activity: 3 } }));
    const unsettled = async (owner: string | null) => {
      const filter = { unsettled: true } as const;
      const page = await store.list({ kind: "session", owner, filter, limit: 9 });
      return page.streams.map(({ id }) => id);
    };
    expect(await unsettled(null)).toEqual([idOf(3), idOf(2)]);
    await keep(store, write(idOf(1), { listing: { unsettled: 1, activity: 1 } }));
    await keep(store, write(idOf(3), { listing: { unsettled: 0, activity: 3 } }));
    expect(await unsettled(null)).toEqual([idOf(2), idOf(1)]);
    expect(await unsettled("ann")).toEqual([idOf(1)]);
    expect(await unsettled("cid")).toEqual([]);
  });

  it("apply to every page", async ({ open }) => {
    const store = await open();
    await fill(store);
    const query = { kind: "session", owner: "ann", filter: { agent: "coder" }, limit: 1 } as const;
    const first = await store.list(query);
    expect(first.streams).toMatchObject([{ id: idOf(3) }]);
    const second = await store.list({ ...query, after: first.next ?? "" });
    expect(second.streams).toMatchObject([{ id: idOf(1) }]);
  });

  it("keep owners and kinds apart; the owner null means all owners", async ({ open }) => {
    const store = await open();
    await keep(store, begin(idOf(1), { owner: "ann", listing: { activity: 3 } }));
    await keep(store, begin(idOf(2), { owner: "bob", listing: { activity: 2 } }));
    await keep(store, begin(idOf(3), { owner: "ann", kind: "task", listing: { activity: 1 } }));
    const ids = async (kind: "session" | "task", owner: string | null) =>
      (await store.list({ kind, owner, filter: {}, limit: 9 })).streams.map(({ id }) => id);
    expect(await ids("session", "ann")).toEqual([idOf(1)]);
    expect(await ids("session", "bob")).toEqual([idOf(2)]);
    expect(await ids("session", null)).toEqual([idOf(1), idOf(2)]);
    expect(await ids("task", "ann")).toEqual([idOf(3)]);
    expect(await ids("task", "bob")).toEqual([]);
    expect(await ids("session", "")).toEqual([]);
  });

  it("treat every character of a prefix literally", async ({ open }) => {
    const store = await open();
    const keys = ["a_c", "abc", "a%c", "a*c", "a[c", "ABC", "a\\c", "a\u{10ffff}c", "aé", "a🙂"];
    for (const [index, key] of keys.entries()) await keep(store, begin(idOf(index), { key }));
    const under = async (key_prefix: string) => {
      const query = { kind: "session", owner: "ann", filter: { key_prefix }, limit: 99 } as const;
      return (await store.list(query)).streams.map(({ key }) => key);
    };
    for (const key of keys) expect(await under(key)).toEqual([key]);
    for (const prefix of ["a_", "a%", "a*", "a[", "a\\", "a\u{10ffff}", "A"]) {
      expect(await under(prefix)).toEqual(keys.filter((key) => key.startsWith(prefix)));
    }
    expect((await under("a")).sort()).toEqual(keys.filter((key) => key.startsWith("a")).sort());
    expect((await under("")).sort()).toEqual(keys.toSorted());
  });

  it("cause an error if they are unknown", async ({ open }) => {
    const store = await open();
    await fill(store);
    for (const name of ["colour", "STATUS", "owner", "constructor", "__proto__", "status ", ""]) {
      for (const filter of [`{${JSON.stringify(name)}:"x"}`, `{"agent":"coder","${name}":"x"}`]) {
        const query = { kind: "session", owner: "ann", filter: JSON.parse(filter), limit: 9 };
        await expect(store.list({ ...query, kind: "session" })).rejects.toMatchObject({
          code: "unknown_filter",
        });
      }
    }
  });
}

const listings: readonly Partial<Listing>[] = [
  {
    status: "active",
    agent: "coder",
    phase: "approval",
    unsettled: 1,
    created: 1000,
    activity: 1500,
  },
  { status: "active", agent: "tester", interface: "api", pinned: 1, created: 2000, activity: 5000 },
  {
    status: "failed",
    agent: "coder",
    project: "/p",
    waiting: 2,
    pinned: 1,
    created: 3000,
    activity: 3200,
  },
  {
    status: "completed",
    agent: "x",
    task: "t-1",
    waiting: 1,
    unsettled: 1,
    created: 4000,
    activity: 4500,
  },
];
const keys = ["fix-login", "no-fix", "fi", "fix-logout"];

const examples: Readonly<Record<string, { filter: ListFilter; finds: readonly number[] }>> = {
  none: { filter: {}, finds: [1, 2, 3, 4] },
  status: { filter: { status: ["active"] }, finds: [1, 2] },
  "several statuses": { filter: { status: ["completed", "failed"] }, finds: [3, 4] },
  "no status": { filter: { status: [] }, finds: [] },
  phase: { filter: { phase: "approval" }, finds: [1] },
  agent: { filter: { agent: "coder" }, finds: [1, 3] },
  interface: { filter: { interface: "api" }, finds: [2] },
  project: { filter: { project: "/p" }, finds: [3] },
  "empty project": { filter: { project: "" }, finds: [1, 2, 4] },
  task: { filter: { task: "t-1" }, finds: [4] },
  waiting: { filter: { waiting: true }, finds: [3, 4] },
  "nothing waiting": { filter: { waiting: false }, finds: [1, 2] },
  pinned: { filter: { pinned: true }, finds: [2, 3] },
  "not pinned": { filter: { pinned: false }, finds: [1, 4] },
  unsettled: { filter: { unsettled: true }, finds: [1, 4] },
  key_prefix: { filter: { key_prefix: "fix" }, finds: [1, 4] },
  "created before": { filter: { created: { before: 3000 } }, finds: [1, 2] },
  "active after": { filter: { activity: { after: 3200 } }, finds: [2, 4] },
  "active before": { filter: { activity: { before: 3200 } }, finds: [1] },
  "any activity": { filter: { activity: {} }, finds: [1, 2, 3, 4] },
  recent: { filter: { recent: { value: "active", after: 1500 } }, finds: [2, 3, 4] },
  "recent, of some statuses": {
    filter: { status: ["active", "failed"], recent: { value: "failed", after: 3200 } },
    finds: [1, 2],
  },
};

async function fill(store: StreamStore): Promise<void> {
  for (const [index, listing] of listings.entries()) {
    await keep(store, begin(idOf(index + 1), { listing, key: keys[index] ?? "" }));
  }
}

/** The numbers of the matching streams, sorted. */
async function found(store: StreamStore, filter: ListFilter): Promise<number[]> {
  const page = await store.list({ kind: "session", owner: "ann", filter, limit: 9 });
  const ids = page.streams.map(({ id }) => id);
  return [1, 2, 3, 4].filter((n) => ids.includes(idOf(n)));
}
