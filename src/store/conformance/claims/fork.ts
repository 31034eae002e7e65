import { expect } from "vitest";
import {
  loadHeadBefore,
  loadStream,
  readEvents,
  readFeedEnd,
  readRows,
} from "../../read-streams.ts";
import type { StreamStore } from "../../stream-store.ts";
import { readFeed } from "../follow-feed.ts";
import {
  begin,
  blindly,
  countTo,
  idOf,
  keep,
  moreLines,
  newNotebook,
  rowOf,
  textsOf,
  write,
} from "../notebook.ts";
import { readStream } from "../read-everything.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];

export function fork({ it }: Suite): void {
  it("inherits the events up to the fork point and continues their numbers", async ({ open }) => {
    const store = await open();
    await writeParent(store);
    const stream = await keep(store, begin(B, { base: { id: A, seq: 3 }, lines: ["x", "y"] }));
    expect(stream).toMatchObject({ id: B, seq: 5, head: { lines: 5, last: "y" } });
    await keep(store, write(B, { lines: ["z"] }));

    const log = await readLog(store, B);
    expect(textsOf(log)).toEqual(["1", "2", "3", "x", "y", "z"]);
    expect(log.map(({ seq }) => seq)).toEqual(countTo(6));
    expect(log.slice(0, 3)).toEqual((await readLog(store, A)).slice(0, 3));
  });

  it("can be made after any event, also inside an append", async ({ open }) => {
    const store = await open();
    await writeParent(store);
    for (const seq of countTo(6)) {
      const id = idOf(10 + seq);
      await keep(store, begin(id, { base: { id: A, seq }, lines: ["x"] }));
      const texts = textsOf(await readLog(store, id));
      expect(texts).toEqual([...countTo(seq).map(String), "x"]);
    }
  });

  it("is refused after an event of its own transaction, and nothing of that transaction is stored", async ({
    open,
  }) => {
    const store = await open();
    await writeParent(store);
    const parent = await loadStream(store, { id: A });
    const more = moreLines({ id: A, seq: 6 }, { lines: ["7"] });
    const fork = newNotebook(B, { base: { id: A, seq: 7 } });
    for (const appends of [
      [more, fork],
      [fork, more],
    ]) {
      const outcome = store.transact(blindly(...appends));
      await expect(outcome).rejects.toMatchObject({ code: "event_not_found" });
      expect(await loadStream(store, { id: A })).toEqual(parent);
      expect(await loadStream(store, { id: B })).toBeUndefined();
    }
    const created = [newNotebook(C), newNotebook(B, { base: { id: C, seq: 1 } })];
    await expect(store.transact(blindly(...created))).rejects.toMatchObject({ code: "internal" });
    expect(await loadStream(store, { id: C })).toBeUndefined();
    await keep(store, blindly(newNotebook(B, { base: { id: A, seq: 6 } })));
  });

  it("never shares later events, rows or heads with its parent", async ({ open }) => {
    const store = await open();
    await writeParent(store);
    const before = await readStream(store, A);
    await keep(store, begin(B, { base: { id: A, seq: 6 }, lines: ["x"] }));
    await keep(store, write(B, { lines: ["y"], rows: [rowOf(1, 8, { by: "child" })] }));
    expect(await readStream(store, A)).toEqual(before);

    const child = await readStream(store, B);
    await keep(store, write(A, { lines: ["7", "8"], rows: [rowOf(1, 8, { by: "parent" })] }));
    expect(await readStream(store, B)).toEqual(child);
    expect(await keep(store, write(B))).toMatchObject({ seq: 9 });
    expect(await keep(store, write(A))).toMatchObject({ seq: 9 });
  });

  it("can be read in pages across the fork point", async ({ open }) => {
    const store = await open();
    await writeParent(store);
    await keep(store, begin(B, { base: { id: A, seq: 4 }, lines: ["x", "y", "z"] }));
    const all = await readLog(store, B);
    expect(all).toHaveLength(7);
    for (const limit of countTo(8)) {
      expect(await readLog(store, B, limit)).toEqual(all);
      for (const before of countTo(8)) {
        const expected = all.slice(0, before - 1).slice(-limit);
        expect(await readEvents(store, B, { before, limit })).toEqual(expected);
      }
    }
  });

  it("has the rows as of the fork point, even if the parent patches them later", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1"], rows: [rowOf(1, 1, { n: 1 }, { key: "k" })] }));
    await keep(store, write(A, { lines: ["2"], rows: [rowOf(1, 2, { n: 2, two: true })] }));
    await keep(store, write(A, { lines: ["3"], rows: [rowOf(1, 3, { n: 3 }), rowOf(3, 3, {})] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 } }));
    await keep(store, write(A, { lines: ["4"], rows: [rowOf(1, 4, { n: 4 })] }));

    const asOfTheCut = [{ place: 1, nth: 0, seq: 2, key: "k", data: { n: 2, two: true } }];
    expect(await readRows(store, B, { kind: "item" })).toEqual(asOfTheCut);
    expect(await readRows(store, B, { kind: "item", key: "k" })).toEqual(asOfTheCut);
    expect(await readRows(store, B, { kind: "item", at: 99 })).toEqual(asOfTheCut);
    expect(await readRows(store, B, { kind: "item", at: 1 })).toMatchObject([{ data: { n: 1 } }]);
  });

  it("patches inherited rows only for itself", async ({ open }) => {
    const store = await open();
    const rows = [1, 2].map((place) => rowOf(place, 2, { place, by: "A" }, { key: `k${place}` }));
    await keep(store, begin(A, { lines: ["1", "2"], rows }));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, rows: [rowOf(2, 3, { by: "B" })] }));
    await keep(store, begin(C, { base: { id: B, seq: 3 }, rows: [rowOf(4, 4, { by: "C" })] }));

    const own = { place: 2, by: "B" };
    const patched = [{ place: 1, by: "A" }, own];
    expect((await readRows(store, B, { kind: "item" })).map(({ data }) => data)).toEqual(patched);
    expect(await readRows(store, B, { kind: "item", key: "k2" })).toMatchObject([{ data: own }]);
    expect(await readRows(store, C, { kind: "item", before: 3, limit: 1 })).toMatchObject([
      { place: 2, data: own },
    ]);
    expect((await readRows(store, C, { kind: "item" })).map(({ data }) => data)).toEqual([
      ...patched,
      { by: "C" },
    ]);
    const untouched = await readRows(store, A, { kind: "item" });
    expect(untouched.map(({ data }) => data)).toEqual(rows.map(({ data }) => data));
  });

  it("can be made inside inherited history", async ({ open }) => {
    const store = await open();
    const rows = countTo(6).map((n) => rowOf(n, n, { n }));
    await keep(store, begin(A, { lines: countTo(6).map(String), rows }));
    await keep(store, begin(B, { base: { id: A, seq: 5 }, lines: ["x", "y"] }));
    await keep(store, begin(C, { base: { id: B, seq: 2 }, lines: ["z"] }));
    expect(textsOf(await readLog(store, C))).toEqual(["1", "2", "z"]);
    expect((await readRows(store, C, { kind: "item" })).map(({ place }) => place)).toEqual([1, 2]);
    expect(await loadStream(store, { id: C })).toMatchObject({
      seq: 3,
      head: { lines: 3, last: "z" },
    });
  });

  it("can be made from a fork, 40 levels deep", async ({ open }) => {
    const store = await open();
    await keep(store, begin(idOf(0), { lines: ["begun"], rows: [rowOf(1, 1, { depth: 0 })] }));
    for (const depth of countTo(40)) {
      // Each parent continues after the cut, so that a child that follows its parent too far is caught.
      const base = { id: idOf(depth - 1), seq: 2 * depth - 1 };
      const rows = [rowOf(1, base.seq + 1, { depth }), rowOf(base.seq + 1, base.seq + 1, {})];
      await keep(store, begin(idOf(depth), { base, lines: [`${depth}`, "and"], rows }));
      const late = rowOf(1, base.seq + 3, { depth: "late" });
      await keep(store, write(idOf(depth), { lines: ["late"], rows: [late] }));
    }
    for (const depth of [1, 31, 32, 33, 34, 40]) {
      const [seq, texts] = [2 * depth + 2, textsOf(await readLog(store, idOf(depth)))];
      const inherited = countTo(depth).flatMap((n) => [`${n}`, "and"]);
      expect(texts).toEqual(["begun", ...inherited, "late"]);
      expect(await loadStream(store, { id: idOf(depth) })).toMatchObject({
        seq,
        head: { lines: seq },
      });
      const items = await readRows(store, idOf(depth), { kind: "item" });
      expect(items.map(({ place }) => place)).toEqual([1, ...countTo(depth).map((n) => 2 * n)]);
      expect(items[0]?.data).toEqual({ depth: "late" });
      const [asOfTheCut] = await readRows(store, idOf(depth), { kind: "item", at: seq - 2 });
      expect(asOfTheCut?.data).toEqual({ depth });
    }
  });

  it("continues the chain of hashes from the event at the fork point", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2"] }));
    await keep(store, write(A, { lines: ["same"] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["other"] }));
    const [parent, child] = [await readLog(store, A), await readLog(store, B)];
    expect(child.slice(0, 2).map(({ hash }) => hash)).toEqual(
      parent.slice(0, 2).map(({ hash }) => hash),
    );
    expect(child[2]?.hash).not.toBe(parent[2]?.hash);
  });

  it("adds only its own events to the feed, and itself to the list", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2"] }));
    const end = await readFeedEnd(store);
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["x"], owner: "bob", key: "b" }));
    expect(await readFeed(store, end)).toMatchObject([{ stream: B, seq: 3, owner: "bob" }]);
    const page = await store.list({ kind: "session", owner: "bob", filter: {}, limit: 9 });
    expect(page.streams).toMatchObject([{ id: B, key: "b", seq: 3 }]);
  });

  it("finds a head at most 64 events before any seq, across fork points", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1"] }));
    for (const seq of countTo(199)) await keep(store, write(A, { lines: [`${seq + 1}`] }));
    await keep(store, begin(B, { base: { id: A, seq: 190 }, lines: ["191"] }));
    for (const seq of countTo(99)) await keep(store, write(B, { lines: [`${seq + 191}`] }));
    await keep(store, begin(C, { base: { id: B, seq: 250 }, lines: ["251"] }));
    for (const seq of countTo(39)) await keep(store, write(C, { lines: [`${seq + 251}`] }));

    for (const id of [A, B, C]) {
      const { seq: end = 0 } = (await loadStream(store, { id })) ?? {};
      for (const seq of countTo(end)) {
        const stored = await loadHeadBefore(store, id, seq);
        const at = stored?.seq ?? 0;
        expect(at).toBeLessThanOrEqual(seq);
        expect(seq - at).toBeLessThanOrEqual(64);
        if (stored) expect(stored.head).toEqual({ lines: at, last: `${at}` });
      }
    }
    expect(await loadHeadBefore(store, C, 0)).toBeUndefined();
  });

  it("never uses a head that its parent wrote after the fork point", async ({ open }) => {
    const store = await open();
    await writeParent(store);
    await keep(store, begin(B, { base: { id: A, seq: 4 }, lines: ["x", "y", "z"] }));
    for (const seq of [4, 5, 6]) {
      const stored = await loadHeadBefore(store, B, seq);
      if (stored) expect(stored).toEqual({ seq: 2, head: { lines: 2, last: "2" }, writer: A });
    }
    const newest = await loadHeadBefore(store, B, 7);
    expect(newest).toEqual({ seq: 7, head: { lines: 7, last: "z" }, writer: B });
  });

  it("finds a head before a seq inside a long append", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2", "3"] }));
    await keep(store, write(A, { lines: countTo(197).map((n) => `${n + 3}`) }));
    const inside = await loadHeadBefore(store, A, 150);
    if (inside) expect(inside).toEqual({ seq: 3, head: { lines: 3, last: "3" }, writer: A });
    const behind = await loadHeadBefore(store, A, 200);
    expect(behind).toEqual({ seq: 200, head: { lines: 200, last: "200" }, writer: A });
  });

  it("names the stream that wrote each event, patch and head, at any depth", async ({ open }) => {
    const store = await open();
    const depth = 40;
    const rows = (seq: number) => [rowOf(1, seq, { by: seq })];
    await keep(store, begin(idOf(1), { lines: ["1"], rows: rows(1) }));
    for (const n of countTo(depth - 1)) {
      const base = { id: idOf(n), seq: n };
      await keep(store, begin(idOf(n + 1), { base, lines: [`${n + 1}`], rows: rows(n + 1) }));
    }
    const writers = countTo(depth).map(idOf);
    for (const end of [2, 20, depth]) {
      const reads = {
        ref: { id: idOf(end) },
        events: [{ after: 0, limit: depth }],
        rows: [{ kind: "item" }],
        heads: countTo(end),
      };
      const [part] = await store.read([reads]);
      const expected = writers.slice(0, end);
      expect(part?.events[0]?.map(({ writer }) => writer)).toEqual(expected);
      expect(part?.rows[0]?.map(({ writer }) => writer)).toEqual(expected);
      for (const head of part?.heads ?? []) {
        if (head) expect(head.writer).toBe(idOf(head.seq));
      }
      expect(part?.heads.at(-1)).toMatchObject({ seq: end, writer: idOf(end) });
    }
  });
}

async function writeParent(store: StreamStore): Promise<void> {
  await keep(store, begin(A, { lines: ["1", "2"], rows: [rowOf(1, 1, { by: "parent" })] }));
  await keep(store, write(A, { lines: ["3", "4", "5"] }));
  await keep(store, write(A, { lines: ["6"], rows: [rowOf(6, 6, { by: "parent" })] }));
}
