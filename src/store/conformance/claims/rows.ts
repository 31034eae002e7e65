import { expect } from "vitest";
import { mergeRows } from "../../merge-rows.ts";
import { readEvents, readRows } from "../../read-streams.ts";
import { begin, blindly, idOf, keep, newNotebook, rowOf, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";

const [A, B] = [idOf(1), idOf(2)];

export function rows({ it }: Suite): void {
  it("are returned as they were appended, each patch with its seq", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { rows: [rowOf(1, 1, { a: 1, b: 1 }, { key: "k" })] }));
    await keep(store, write(A, { lines: ["2", "3"], rows: [rowOf(1, 3, { b: 2 })] }));
    const patches = [
      { place: 1, nth: 0, seq: 1, key: "k", data: { a: 1, b: 1 }, writer: A },
      { place: 1, nth: 0, seq: 3, key: null, data: { b: 2 }, writer: A },
    ];
    const queries = [{ kind: "item" }, { kind: "item", key: "k" }, { kind: "item", at: 2 }];
    const [part] = await store.read([{ ref: { id: A }, rows: queries }]);
    expect(part?.rows).toEqual([patches, patches, patches.slice(0, 1)]);
  });

  it("are passed to a decision as they were appended", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { rows: [rowOf(1, 1, { a: 1 })] }));
    await keep(store, write(A, { lines: ["2"], rows: [rowOf(1, 2, { b: 2 })] }));
    let shown: unknown;
    const transaction = write(A);
    await store.transact({
      ...transaction,
      reads: [{ stream: 0, query: { kind: "item" } }],
      decide: (loaded) => {
        shown = loaded.rows;
        return transaction.decide(loaded);
      },
    });
    expect(shown).toMatchObject([
      [
        { seq: 1, data: { a: 1 }, writer: A },
        { seq: 2, data: { b: 2 }, writer: A },
      ],
    ]);
  });

  it("can be opened by an event, and its data is the first patch", async ({ open }) => {
    const store = await open();
    const append = newNotebook(A, { lines: ["1", "2"], rows: [rowOf(1, 2, { done: true })] });
    const events = append.events.map((event) => ({ ...event, row: { kind: "item", key: "k" } }));
    await keep(store, blindly({ ...append, events }));
    const rows = [
      { place: 1, nth: 0, seq: 2, key: "k", data: { text: "1", done: true } },
      { place: 2, nth: 0, seq: 2, key: "k", data: { text: "2" } },
    ];
    expect(await readRows(store, A, { kind: "item" })).toEqual(rows);
    expect(await readRows(store, A, { kind: "item", key: "k" })).toEqual(rows);
    expect(await readRows(store, A, { kind: "item", at: 1 })).toMatchObject([
      { data: { text: "1" } },
    ]);
    expect(await readRows(store, A, { kind: "item", before: 2 })).toEqual(rows.slice(0, 1));
    const stored = await readEvents(store, A, { after: 0, limit: 9 });
    expect(stored.map(({ data }) => data)).toEqual([{ text: "1" }, { text: "2" }]);
    await keep(store, begin(B, { base: { id: A, seq: 1 } }));
    expect(await readRows(store, B, { kind: "item" })).toMatchObject([{ data: { text: "1" } }]);
  });

  it("cannot be opened twice by one event, or by an event whose data is not an object", async ({
    open,
  }) => {
    const store = await open();
    const append = newNotebook(A, { rows: [rowOf(1, 1, {})] });
    const opening = (data: unknown) =>
      append.events.map((event) => ({ ...event, data, row: { kind: "item", key: null } }));
    for (const broken of [
      { ...append, events: opening({}) },
      { ...append, rows: [], events: opening("text") },
    ]) {
      await expect(store.transact(blindly(broken))).rejects.toThrow();
    }
    expect(await readRows(store, A, { kind: "item" })).toEqual([]);
  });

  it("are merged by place, and later fields replace earlier ones", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1"], rows: [rowOf(1, 1, { a: 1, b: 1 })] }));
    await keep(store, write(A, { lines: ["2"], rows: [rowOf(1, 2, { b: 2, c: 2 })] }));
    await keep(store, write(A, { lines: ["3"], rows: [rowOf(1, 3, { c: 3 })] }));
    expect(await readRows(store, A, { kind: "item" })).toEqual([
      { place: 1, nth: 0, seq: 3, key: null, data: { a: 1, b: 2, c: 3 } },
    ]);
  });

  it("are merged in the order of seq, not in the order of the append", async ({ open }) => {
    const store = await open();
    const patches = [rowOf(1, 3, { v: 3 }), rowOf(1, 1, { v: 1, a: 1 }), rowOf(1, 2, { v: 2 })];
    await keep(store, begin(A, { lines: ["1", "2", "3"], rows: patches }));
    expect(await readRows(store, A, { kind: "item" })).toMatchObject([{ data: { v: 3, a: 1 } }]);
    const asOf2 = await readRows(store, A, { kind: "item", at: 2 });
    expect(asOf2).toMatchObject([{ data: { v: 2, a: 1 } }]);
  });

  it("replace whole fields: null is a value, and objects and arrays are not merged", async ({
    open,
  }) => {
    const store = await open();
    const opened = { gone: "x", nested: { a: 1, b: 1 }, list: [1, 2, 3], kept: { deep: [null] } };
    const patch = { gone: null, nested: { c: 1 }, list: [] };
    await keep(store, begin(A, { lines: ["1"], rows: [rowOf(1, 1, opened)] }));
    await keep(store, write(A, { lines: ["2"], rows: [rowOf(1, 2, patch)] }));
    expect((await readRows(store, A, { kind: "item" }))[0]?.data).toEqual({ ...opened, ...patch });
  });

  it("are returned in the order of place and nth", async ({ open }) => {
    const store = await open();
    const order = [
      [12, 0],
      [2, 1],
      [2, 10],
      [2, 0],
      [9, 0],
      [1, 0],
    ] as const;
    const lines = Array.from({ length: 12 }, (_, index) => `${index}`);
    const opened = order.map(([place, nth]) => rowOf(place, 12, {}, { nth }));
    await keep(store, begin(A, { lines, rows: opened }));
    const found = await readRows(store, A, { kind: "item" });
    expect(found.map(({ place, nth }) => [place, nth])).toEqual([
      [1, 0],
      [2, 0],
      [2, 1],
      [2, 10],
      [9, 0],
      [12, 0],
    ]);
  });

  it("are different rows if their kind, nth or stream differs", async ({ open }) => {
    const store = await open();
    const opened = [
      rowOf(1, 1, { is: "first" }),
      rowOf(1, 1, { is: "second" }, { nth: 1 }),
      rowOf(1, 1, { is: "another kind" }, { kind: "other" }),
    ];
    await keep(store, begin(A, { rows: opened }));
    await keep(store, begin(B, { rows: [rowOf(1, 1, { is: "another stream" })] }));
    const read = async (id: string, kind: string) =>
      (await readRows(store, id, { kind })).map(({ data }) => data.is);
    expect(await read(A, "item")).toEqual(["first", "second"]);
    expect(await read(A, "other")).toEqual(["another kind"]);
    expect(await read(B, "item")).toEqual(["another stream"]);
    expect(await read(A, "never used")).toEqual([]);
  });

  it("can be found by key, with every patch", async ({ open }) => {
    const store = await open();
    const opened = [
      rowOf(1, 1, { is: "a1" }, { key: "a" }),
      rowOf(2, 2, { is: "b" }, { key: "b" }),
      rowOf(3, 3, { is: "a3" }, { key: "a" }),
      rowOf(3, 3, { is: "none" }, { nth: 1 }),
    ];
    await keep(store, begin(A, { lines: ["1", "2", "3"], rows: opened }));
    const patches = [rowOf(1, 4, { patched: 1 }, { key: "a" }), rowOf(3, 4, { patched: 3 })];
    await keep(store, write(A, { lines: ["4"], rows: patches }));

    expect(await readRows(store, A, { kind: "item", key: "a" })).toEqual([
      { place: 1, nth: 0, seq: 4, key: "a", data: { is: "a1", patched: 1 } },
      { place: 3, nth: 0, seq: 4, key: "a", data: { is: "a3", patched: 3 } },
    ]);
    const last = await readRows(store, A, { kind: "item", key: "a", before: 99, limit: 1 });
    expect(last).toMatchObject([{ place: 3, data: { patched: 3 } }]);
    expect(await readRows(store, A, { kind: "item", key: "a", at: 1 })).toEqual([
      { place: 1, nth: 0, seq: 1, key: "a", data: { is: "a1" } },
    ]);
    expect(await readRows(store, A, { kind: "item", key: "A" })).toEqual([]);
    expect(await readRows(store, A, { kind: "item", key: "" })).toEqual([]);
    expect(await readRows(store, A, { kind: "other", key: "a" })).toEqual([]);
  });

  it("can be read as of any seq", async ({ open }) => {
    const store = await open();
    const history = [rowOf(1, 1, { v: 1 }), rowOf(2, 2, { v: 2 }), rowOf(1, 3, { v: 3 })];
    await keep(store, begin(A, { lines: ["1", "2", "3"], rows: history }));
    await keep(store, write(A, { lines: ["4"], rows: [rowOf(2, 4, { v: 4 })] }));
    const asOf = async (at: number) =>
      (await readRows(store, A, { kind: "item", at })).map(({ place, data }) => [place, data.v]);
    expect(await asOf(0)).toEqual([]);
    expect(await asOf(1)).toEqual([[1, 1]]);
    expect(await asOf(2)).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(await asOf(3)).toEqual([
      [1, 3],
      [2, 2],
    ]);
    expect(await asOf(99)).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it("are read for a decision from the stream that it names", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { rows: [rowOf(1, 1, { of: "A" }, { key: "k" })] }));
    await keep(store, begin(B, { rows: [rowOf(1, 1, { of: "B" }, { key: "k" })] }));
    let seen: unknown;
    await store.transact({
      streams: [{ id: A }, { id: B }, { id: idOf(9) }],
      reads: [
        { stream: 1, query: { kind: "item", key: "k" } },
        { stream: 0, query: { kind: "item" } },
        { stream: 2, query: { kind: "item" } },
        { stream: 0, query: { kind: "item", at: 0 } },
      ],
      decide: ({ rows: found }) => {
        seen = found.map((patches) => mergeRows(patches).map(({ data }) => data.of));
        return { refused: { error: "invalid_input", message: "only looking", details: {} } };
      },
    });
    expect(seen).toEqual([["B"], ["A"], [], []]);
  });
}
