import { expect } from "vitest";
import { loadHeadBefore, loadStream, readEvents } from "../../read-streams.ts";
import type { StreamStore } from "../../stream-store.ts";
import { readFeed } from "../follow-feed.ts";
import { begin, blindly, countTo, idOf, keep, moreLines, newNotebook, rowOf } from "../notebook.ts";
import type { Suite } from "../suite.ts";

const [A, B] = [idOf(1), idOf(2)];
/** Every possible byte, including NUL and invalid UTF-8. */
const all = Uint8Array.from(countTo(256), (n) => n - 1);
const none = new Uint8Array();

export function content({ it }: Suite): void {
  it("can be bytes in bodies, heads and patches, and is returned unchanged", async ({ open }) => {
    const store = await open();
    await writeBytes(store);
    await expectBytes(store, A);
  });

  it("stays bytes in other handles, in the feed, in lists and for decisions", async ({ open }) => {
    const [store, other] = [await open(), await open()];
    await writeBytes(store);
    await expectBytes(other, A);
    const events = await readFeed(other, "", 9);
    expect(events.map(({ data }) => data)).toEqual([all, none, { text: "plain" }]);
    const page = await other.list({ kind: "session", owner: "ann", filter: {}, limit: 9 });
    expect(page.streams.map(({ head }) => head)).toEqual([all]);
    let shown: unknown;
    await keep(other, {
      streams: [{ id: A }],
      reads: [{ stream: 0, query: { kind: "item" } }],
      decide: ({ streams: [stream], rows }) => {
        shown = [stream?.head, rows[0]?.map(({ data }) => data)];
        return { appends: [moreLines({ id: A, seq: 3 })] };
      },
    });
    expect(shown).toEqual([all, [all, { plain: true }]]);
  });

  it("is inherited by forks", async ({ open }) => {
    const store = await open();
    await writeBytes(store);
    await keep(store, begin(B, { base: { id: A, seq: 3 } }));
    const events = await readEvents(store, B, { after: 0, limit: 3 });
    expect(events.map(({ data }) => data)).toEqual([all, none, { text: "plain" }]);
  });

  it("can change between bytes and JSON from one append to the next", async ({ open }) => {
    const store = await open();
    await writeBytes(store);
    await keep(store, blindly(moreLines({ id: A, seq: 3 })));
    expect(await loadStream(store, { id: A })).toMatchObject({ head: { lines: 4 } });
    await keep(store, blindly({ ...moreLines({ id: A, seq: 4 }), head: none }));
    expect((await loadStream(store, { id: A }))?.head).toEqual(none);
  });

  it("is protected from callers that change the byte arrays they passed or received", async ({
    open,
  }) => {
    const store = await open();
    const given = all.slice();
    await writeBytes(store, given);
    given.fill(0);
    for (const _ of countTo(3)) {
      await expectBytes(store, A);
      const head = (await loadStream(store, { id: A }))?.head;
      const [event] = await readEvents(store, A, { after: 0, limit: 1 });
      for (const shown of [head, event?.data]) if (shown instanceof Uint8Array) shown.fill(0);
    }
  });

  it("counts by its bytes in pages and limits", async ({ open }) => {
    const store = await open();
    await writeBytes(store);
    const pages = [255, 256, 257].map((bytes) => ({ after: 0, limit: 9, bytes }));
    const [part] = await store.read([{ ref: { id: A }, events: pages }]);
    expect(part?.events.map((page) => page.length)).toEqual([1, 2, 2]);
    const append = newNotebook(B);
    const large = { ...append, events: append.events.map((event) => ({ ...event, data: LARGE })) };
    expect(await store.transact(blindly(large))).toMatchObject({
      kind: "refused",
      refusal: { error: "too_large" },
    });
    expect(await loadStream(store, { id: B })).toBeUndefined();
  });
}

/** One byte more than a body may have. */
const LARGE = new Uint8Array(4 * 1024 * 1024 + 1);

async function writeBytes(store: StreamStore, bytes = all): Promise<void> {
  const append = newNotebook(A, {
    lines: ["bytes", "no bytes", "plain"],
    rows: [rowOf(1, 1, bytes), rowOf(1, 3, { plain: true })],
  });
  const datas = [bytes, none];
  const events = append.events.map((event, n) => ({ ...event, data: datas[n] ?? event.data }));
  await keep(store, blindly({ ...append, events, head: bytes }));
}

async function expectBytes(store: StreamStore, id: string): Promise<void> {
  expect((await loadStream(store, { id }))?.head).toEqual(all);
  expect(await loadHeadBefore(store, id, 3)).toMatchObject({ seq: 3, head: all });
  const [part] = await store.read([
    { ref: { id }, events: [{ after: 0, limit: 9 }], rows: [{ kind: "item" }] },
  ]);
  expect(part?.events[0]?.map(({ data }) => data)).toEqual([all, none, { text: "plain" }]);
  expect(part?.rows[0]?.map(({ data }) => data)).toEqual([all, { plain: true }]);
}
