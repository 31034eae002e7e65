import { expect } from "vitest";
import type { ListingDeclaration, ListingOf } from "../../../contract/stream.ts";
import { loadStream } from "../../read-streams.ts";
import type { FilterOf, ListingValues, StreamStore } from "../../stream-store.ts";
import { blindly, idOf, keep, newNotebook } from "../notebook.ts";
import type { Suite } from "../suite.ts";

/** Fields that sessions do not have. */
const LIBRARY = {
  fields: {
    author: "text",
    loans: "count",
    opened: "time",
    printed: "time",
    rare: "flag",
    shelf: "text",
  },
  order: "opened",
  tally: { by: "shelf", sum: "loans" },
} as const satisfies ListingDeclaration;

export function listing({ it }: Suite): void {
  it("has the fields that the store was opened with, also after it is reopened", async ({
    open,
    close,
  }) => {
    const first = await open({ listing: LIBRARY });
    await fill(first);
    await close(first);
    const store = await open({ listing: LIBRARY });
    expect(await found(store, {})).toEqual([2, 4, 3, 1]);
    expect(await found(store, { author: "Ada" })).toEqual([3, 1]);
    expect(await found(store, { author: ["Bo", "Cy"], key_prefix: "d" })).toEqual([4]);
    expect(await found(store, { shelf: ["north", "south"], loans: true })).toEqual([4, 1]);
    expect(await found(store, { loans: false, rare: false })).toEqual([2]);
    expect(await found(store, { rare: true })).toEqual([3, 1]);
    expect(await found(store, { printed: { before: 30 }, opened: { after: 100 } })).toEqual([2]);
    expect(await found(store, { opened: { after: 100, before: 400 } })).toEqual([4, 3]);
    expect(await found(store, { recent: { value: "north", after: 150 } })).toEqual([2, 4, 3]);
    const tallies = await store.tally("session", "ann");
    expect(tallies.toSorted((a, b) => (a.value < b.value ? -1 : 1))).toEqual([
      { value: "north", streams: 2, sum: 2 },
      { value: "south", streams: 1, sum: 5 },
      { value: "west", streams: 1, sum: 0 },
    ]);
  });

  it("can be read in pages and in bands", async ({ open }) => {
    const store = await open({ listing: LIBRARY });
    await fill(store);
    const bands = [{ rare: true }, { rare: false, loans: true }, { rare: false, loans: false }];
    const query = { kind: "session", owner: "ann", filter: {}, bands, limit: 1 } as const;
    const ids: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await store.list({ ...query, ...(after !== undefined && { after }) });
      ids.push(...page.streams.map(({ id }) => id));
      after = page.next;
    }
    expect(ids).toEqual([3, 1, 4, 2].map(idOf));
  });

  it("has no other fields", async ({ open }) => {
    const store = await open({ listing: LIBRARY });
    await fill(store);
    for (const filter of [{ status: "north" }, { agent: "Ada" }, { pinned: true }]) {
      const query = { kind: "session", owner: "ann", filter, limit: 9 } as const;
      await expect(store.list(query)).rejects.toMatchObject({ code: "unknown_filter" });
    }
  });

  it("needs a value for each field, or the stream is not stored", async ({ open }) => {
    const store = await open({ listing: LIBRARY });
    const { shelf, ...shelfless } = BOOK;
    const wrong: readonly ListingValues[] = [
      shelfless,
      { ...BOOK, shelf: 1 },
      { ...BOOK, loans: "1" },
      { ...BOOK, opened: Number.NaN },
      { ...BOOK, rare: 2 },
      { ...BOOK, status: shelf },
    ];
    for (const listing of wrong) {
      const append = { ...newNotebook(idOf(1)), listing };
      await expect(store.transact(blindly(append))).rejects.toMatchObject({ code: "internal" });
      expect(await loadStream(store, { id: idOf(1) })).toBeUndefined();
    }
  });
}

type Book = ListingOf<typeof LIBRARY>;

export const BOOK: Book = {
  author: "Ada",
  loans: 2,
  opened: 100,
  printed: 10,
  rare: 1,
  shelf: "north",
};
const books: readonly Book[] = [
  BOOK,
  { ...BOOK, author: "Bo", loans: 0, opened: 400, printed: 20, rare: 0, shelf: "west" },
  { ...BOOK, loans: 0, opened: 200, printed: 30, shelf: "north" },
  { ...BOOK, author: "Cy", loans: 5, opened: 300, printed: 40, rare: 0, shelf: "south" },
];

async function fill(store: StreamStore): Promise<void> {
  for (const [index, listing] of books.entries()) {
    const key = ["a", "b", "c", "d"][index] ?? "";
    await keep(store, blindly({ ...newNotebook(idOf(index + 1), { key }), listing }));
  }
}

/** The numbers of the matching books, in the order of the list. */
async function found(store: StreamStore, filter: FilterOf<typeof LIBRARY>): Promise<number[]> {
  const page = await store.list({ kind: "session", owner: "ann", filter, limit: 9 });
  return page.streams.map(({ id }) => [1, 2, 3, 4].find((n) => idOf(n) === id) ?? 0);
}
