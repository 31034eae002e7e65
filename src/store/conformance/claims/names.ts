import { expect } from "vitest";
import { begin, countTo, idOf, keep, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";
import { readNames } from "../turn-pages.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];

export function names({ it }: Suite): void {
  it("find the streams that recorded them, oldest first", async ({ open }) => {
    const store = await open();
    await keep(store, begin(C, { names: ["red"] }));
    await keep(store, begin(A, { names: ["blue"] }));
    await keep(store, begin(B, { names: ["red", "blue"] }));
    await keep(store, write(A, { names: ["red"] }));
    const found = async (name: string) =>
      (await store.findByName("ann", name, { limit: 9 })).map(({ id }) => id);
    expect(await found("red")).toEqual([C, B, A]);
    expect(await found("blue")).toEqual([A, B]);
    expect(await found("green")).toEqual([]);
  });

  it("are returned with the seq at which they were recorded", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2"] }));
    await keep(store, write(A, { lines: ["3", "4"], names: ["red"] }));
    const [place] = await store.findByName("ann", "red", { limit: 9 });
    expect(place?.seq).toBe(4);
  });

  it("find a stream only once, at the first event that recorded them", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { names: ["red", "red"] }));
    await keep(store, begin(B, { names: ["red"] }));
    await keep(store, write(A, { names: ["red"] }));
    const places = await store.findByName("ann", "red", { limit: 9 });
    expect(places).toMatchObject([
      { id: A, seq: 1 },
      { id: B, seq: 1 },
    ]);
  });

  it("belong to one owner", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { owner: "ann", names: ["red"] }));
    await keep(store, begin(B, { owner: "bob", names: ["red"] }));
    expect(await store.findByName("ann", "red", { limit: 9 })).toMatchObject([{ id: A }]);
    expect(await store.findByName("bob", "red", { limit: 9 })).toMatchObject([{ id: B }]);
    expect(await store.findByName("", "red", { limit: 9 })).toEqual([]);
  });

  it("match only the exact same spelling", async ({ open }) => {
    const store = await open();
    const spellings = ["red", "Red", "red ", "réd", "re\u0301d", "r%", "r_d", "red,blue", "🟥"];
    for (const [index, name] of spellings.entries()) {
      await keep(store, begin(idOf(index), { names: [name] }));
    }
    for (const [index, name] of spellings.entries()) {
      const places = await store.findByName("ann", name, { limit: 9 });
      expect(places).toMatchObject([{ id: idOf(index) }]);
      expect(places).toHaveLength(1);
    }
  });

  it("are read in pages, each stream once, while new streams record them", async ({ open }) => {
    const store = await open();
    for (const n of countTo(7)) await keep(store, begin(idOf(n), { names: ["red"] }));
    for (const limit of [1, 3, 7, 8]) {
      const places = await readNames(store, "ann", "red", limit);
      expect(places.map(({ id }) => id)).toEqual(countTo(7).map(idOf));
    }
    const first = await store.findByName("ann", "red", { limit: 5 });
    await keep(store, begin(idOf(8), { names: ["red"] }));
    const after = first.at(-1)?.cursor ?? "";
    const rest = await store.findByName("ann", "red", { limit: 5, after });
    expect([...first, ...rest].map(({ id }) => id)).toEqual(countTo(8).map(idOf));
  });
}
