import { expect } from "vitest";
import { readEvents, readRows } from "../../read-streams.ts";
import type { StreamStore } from "../../stream-store.ts";
import { begin, countTo, idOf, keep, rowOf, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";
import { readList, readLog } from "../turn-pages.ts";

const A = idOf(1);

export function paging({ it }: Suite): void {
  it("returns a list in bands, page by page", async ({ open }) => {
    const store = await open();
    const kinds = ["rest", "pinned", "waiting", "rest", "pinned", "waiting", "rest"];
    for (const [at, kind] of kinds.entries()) {
      const pinned = kind === "pinned" ? 1 : 0;
      const listing = { pinned, waiting: kind === "waiting" ? 1 : 0, activity: at } as const;
      await keep(store, begin(idOf(at), { listing }));
    }
    const bands = [{ pinned: true }, { waiting: true }, { pinned: false, waiting: false }];
    const query = { kind: "session", owner: "ann", filter: {}, bands } as const;
    for (const limit of countTo(9)) {
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await store.list({ ...query, limit, ...(after !== undefined && { after }) });
        expect(page.streams.length).toBeGreaterThan(0);
        found.push(...page.streams.map(({ id }) => id));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(found).toEqual([4, 1, 5, 2, 6, 3, 0].map(idOf));
    }
    for (const cursor of ["", "9.", "MTIz"]) {
      await expect(store.list({ ...query, limit: 9, after: cursor })).rejects.toMatchObject({
        code: "invalid_input",
      });
    }
  });

  it("returns the events of a stream forwards", async ({ open }) => {
    const store = await open();
    await writeTen(store);
    const seqs = async (after: number, limit: number) =>
      (await readEvents(store, A, { after, limit })).map(({ seq }) => seq);
    expect(await seqs(0, 3)).toEqual([1, 2, 3]);
    expect(await seqs(3, 3)).toEqual([4, 5, 6]);
    expect(await seqs(8, 3)).toEqual([9, 10]);
    expect(await seqs(10, 3)).toEqual([]);
    expect(await seqs(99, 3)).toEqual([]);
    for (const limit of [1, 2, 9, 10, 1000]) {
      expect((await readLog(store, A, limit)).map(({ seq }) => seq)).toEqual(countTo(10));
    }
  });

  it("returns the events of a stream backwards, each page in ascending order", async ({ open }) => {
    const store = await open();
    await writeTen(store);
    const seqs = async (before: number, limit: number) =>
      (await readEvents(store, A, { before, limit })).map(({ seq }) => seq);
    expect(await seqs(11, 3)).toEqual([8, 9, 10]);
    expect(await seqs(8, 3)).toEqual([5, 6, 7]);
    expect(await seqs(3, 3)).toEqual([1, 2]);
    expect(await seqs(1, 3)).toEqual([]);
    expect(await seqs(99, 2)).toEqual([9, 10]);
    expect(await seqs(5, 1000)).toEqual([1, 2, 3, 4]);
  });

  it("returns rows forwards and backwards, and counts items, not patches", async ({ open }) => {
    const store = await open();
    await writeTen(store);
    const rows = [1, 3, 5, 7, 9].flatMap((place) =>
      [0, 1, 2].map((n) => rowOf(place, 11 + n, { [`patch${n}`]: true })),
    );
    await keep(store, write(A, { lines: ["11", "12", "13"], rows }));
    const places = async (page: object) =>
      (await readRows(store, A, { kind: "item", ...page })).map(({ place }) => place);

    expect(await places({ limit: 2 })).toEqual([1, 3]);
    expect(await places({ after: 3, limit: 2 })).toEqual([5, 7]);
    expect(await places({ after: 4, limit: 2 })).toEqual([5, 7]);
    expect(await places({ after: 7, limit: 2 })).toEqual([9]);
    expect(await places({ after: 9, limit: 2 })).toEqual([]);
    expect(await places({ after: 5 })).toEqual([7, 9]);
    expect(await places({ before: 99, limit: 2 })).toEqual([7, 9]);
    expect(await places({ before: 7, limit: 2 })).toEqual([3, 5]);
    expect(await places({ before: 6, limit: 2 })).toEqual([3, 5]);
    expect(await places({ before: 3, limit: 2 })).toEqual([1]);
    expect(await places({ before: 1, limit: 2 })).toEqual([]);
    expect(await places({ before: 6 })).toEqual([1, 3, 5]);
    const whole = { patch0: true, patch1: true, patch2: true };
    expect(await readRows(store, A, { kind: "item", after: 3, limit: 1 })).toMatchObject([
      { place: 5, data: whole },
    ]);
    expect(await readRows(store, A, { kind: "item", before: 9, limit: 1 })).toMatchObject([
      { place: 7, data: whole },
    ]);
  });

  it("never splits the items of one place between pages", async ({ open }) => {
    const store = await open();
    await writeTen(store);
    const sizes = [1, 3, 1, 4, 2];
    const rows = sizes.flatMap((size, index) =>
      countTo(size).map((nth) => rowOf(index + 1, 11, { nth }, { nth: nth - 1 })),
    );
    await keep(store, write(A, { lines: ["11"], rows }));
    const all = await readRows(store, A, { kind: "item" });
    expect(all).toHaveLength(11);
    for (const limit of countTo(12)) {
      expect(await turnRows(store, "after", limit)).toEqual(all);
      expect(await turnRows(store, "before", limit)).toEqual(all);
    }
  });

  it("lists by most recent activity, and in a stable order if the times are equal", async ({
    open,
  }) => {
    const store = await open();
    for (const n of countTo(9)) {
      await keep(store, begin(idOf(n), { listing: { activity: 1000 + Math.floor(n / 3) } }));
    }
    const query = { kind: "session", owner: "ann", filter: {} } as const;
    const all = (await store.list({ ...query, limit: 99 })).streams.map(({ id }) => id);
    const moments = all.map(
      (id) => Math.floor(countTo(9).findIndex((n) => idOf(n) === id) + 1) / 3,
    );
    expect(moments.map(Math.floor)).toEqual([3, 2, 2, 2, 1, 1, 1, 0, 0]);
    for (const limit of [1, 2, 3, 4, 9, 10]) {
      const listed = await readList(store, { ...query, limit });
      expect(listed.map(({ id }) => id)).toEqual(all);
    }
  });

  it("returns at most the limit, and says whether there is more", async ({ open }) => {
    const store = await open();
    for (const n of countTo(3)) await keep(store, begin(idOf(n)));
    const query = { kind: "session", owner: "ann", filter: {} } as const;
    const first = await store.list({ ...query, limit: 2 });
    expect(first.streams).toHaveLength(2);
    expect(first.next).toEqual(expect.any(String));
    expect(await store.list({ ...query, limit: 4 })).toMatchObject({ next: null });
    const none = await store.list({ ...query, owner: "bob", limit: 4 });
    expect(none).toEqual({ streams: [], damaged: [], next: null });
  });

  it("lists each unchanged stream once while others are created and changed", async ({ open }) => {
    const [reader, writer] = [await open(), await open()];
    const unchanged = countTo(30).map(idOf);
    const changing = countTo(10).map((n) => idOf(100 + n));
    for (const [index, id] of [...unchanged, ...changing].entries()) {
      await keep(writer, begin(id, { listing: { activity: 1000 + (index % 7) } }));
    }
    const seen: string[] = [];
    const query = { kind: "session", owner: "ann", filter: {}, limit: 4 } as const;
    let page = await reader.list(query);
    for (let turn = 0; ; turn += 1) {
      seen.push(...page.streams.map(({ id }) => id));
      if (page.next === null) break;
      const activity = 990 + ((turn * 5) % 20);
      await keep(writer, begin(idOf(200 + turn), { listing: { activity } }));
      await keep(writer, write(changing[turn % 10] ?? A, { listing: { activity } }));
      page = await reader.list({ ...query, after: page.next });
    }
    expect(seen.filter((id) => unchanged.includes(id)).sort()).toEqual(unchanged);
  });
}

async function writeTen(store: StreamStore): Promise<void> {
  await keep(store, begin(A, { lines: ["1", "2", "3"] }));
  await keep(store, write(A, { lines: ["4"] }));
  await keep(store, write(A, { lines: ["5", "6", "7", "8", "9", "10"] }));
}

async function turnRows(store: StreamStore, direction: "after" | "before", limit: number) {
  const pages = [];
  let from = direction === "after" ? 0 : 99;
  for (;;) {
    const page = await readRows(store, A, { kind: "item", [direction]: from, limit });
    const end = direction === "after" ? page.at(-1) : page[0];
    if (!end) break;
    pages.push(page);
    from = end.place;
  }
  return (direction === "after" ? pages : pages.reverse()).flat();
}
