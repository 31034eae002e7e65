import { expect } from "vitest";
import { readEvents, readParts, readRows } from "../../read-streams.ts";
import type { EventRange, StreamStore } from "../../stream-store.ts";
import { begin, countTo, idOf, keep, rowOf, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];
/** Lines of 1, 2, 3 ... kilobytes: a page of a few kilobytes has several of them, or one. */
const SIZES = countTo(12);
const line = (kilobytes: number): string => "\u00e9".repeat(kilobytes * 512);
const BOUNDS = [1, 1500, 4000, 9000, 1_000_000] as const;

export function bytes({ it }: Suite): void {
  it("limits a page of events by bytes, in both directions, to at least one event", async ({
    open,
  }) => {
    const store = await open();
    await fill(store);
    for (const id of [A, B]) {
      const all = await readEvents(store, id, { after: 0, limit: 100 });
      for (const bytes of BOUNDS) {
        const forwards = await turn(store, id, bytes, "after");
        const backwards = await turn(store, id, bytes, "before");
        expect(forwards.flat()).toEqual(all);
        expect(backwards.toReversed().flat()).toEqual(all);
        for (const page of [...forwards, ...backwards]) expectWithin(page, bytes);
        if (bytes === 9000) expect(forwards[0]?.length).toBeGreaterThan(1);
      }
    }
  });

  it("limits a page of rows by bytes, and never splits a place", async ({ open }) => {
    const store = await open();
    await fill(store);
    const all = await readRows(store, A, { kind: "item" });
    for (const bytes of BOUNDS) {
      for (const direction of ["after", "before"] as const) {
        const pages = [];
        for (let from = direction === "after" ? 0 : 99; ; ) {
          const page = await readRows(store, A, { kind: "item", [direction]: from, bytes });
          const end = direction === "after" ? page.at(-1) : page[0];
          if (!end) break;
          if (new Set(page.map(({ place }) => place)).size > 1) expectWithin(page, bytes);
          pages.push(page);
          from = end.place;
        }
        expect((direction === "after" ? pages : pages.reverse()).flat()).toEqual(all);
        if (bytes === 1) expect(pages).toHaveLength(new Set(all.map(({ place }) => place)).size);
      }
    }
  });

  it("limits an answer about many streams by bytes", async ({ open }) => {
    const store = await open();
    await fill(store);
    const reads = [A, C, B, A].map((id) => ({ ref: { id }, events: [{ after: 10, limit: 1 }] }));
    const whole = await readParts(store, reads);
    expect(await readParts(store, reads, 1)).toEqual(whole.slice(0, 1));
    expect(await readParts(store, reads, 12_000)).toEqual(whole.slice(0, 3));
    expect(await readParts(store, reads, 1_000_000)).toEqual(whole);
    const rows = [{ kind: "item" }];
    expect(
      await readParts(
        store,
        [A, B].map((id) => ({ ref: { id }, rows })),
        1,
      ),
    ).toHaveLength(1);
  });

  it("limits a page of the feed by bytes, without skipping or repeating events", async ({
    open,
  }) => {
    const store = await open();
    await fill(store);
    const all = (await store.readFeed({ after: "", limit: 1000 })).events;
    for (const bytes of BOUNDS) {
      const pages = [];
      for (let cursor = ""; ; ) {
        const page = await store.readFeed({ after: cursor, limit: 1000, bytes });
        if (page.events.length === 0) break;
        expectWithin(page.events, bytes);
        pages.push(page.events);
        cursor = page.cursor;
      }
      expect(pages.flat()).toEqual(all);
      if (bytes === 1) expect(pages).toHaveLength(all.length);
      if (bytes === 1_000_000) expect(pages).toHaveLength(1);
    }
  });
}

/** A has large lines and rows, two of them at one place; B continues A; C has one small line. */
async function fill(store: StreamStore): Promise<void> {
  await keep(store, begin(A, { lines: SIZES.map(line) }));
  const rows = SIZES.flatMap((size) => [
    rowOf(size, 13, { text: line(size) }),
    ...(size % 3 === 0 ? [rowOf(size, 13, { more: line(1) }, { nth: 1 })] : []),
  ]);
  await keep(store, write(A, { lines: ["rows"], rows }));
  await keep(store, begin(B, { base: { id: A, seq: 12 }, lines: [line(3), line(1)] }));
  await keep(store, begin(C));
}

async function turn(store: StreamStore, id: string, bytes: number, way: "after" | "before") {
  const pages = [];
  for (let from = way === "after" ? 0 : 99; ; ) {
    const range: EventRange =
      way === "after" ? { after: from, limit: 100, bytes } : { before: from, limit: 100, bytes };
    const page = await readEvents(store, id, range);
    const end = way === "after" ? page.at(-1) : page[0];
    if (!end) return pages;
    pages.push(page);
    from = end.seq;
  }
}

function expectWithin(page: readonly { readonly data: unknown }[], bytes: number): void {
  const size = page.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
  if (page.length > 1) expect(size).toBeLessThanOrEqual(bytes);
}
