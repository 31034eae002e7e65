import fc from "fast-check";
import { expect } from "vitest";
import { isRecord } from "../../../contract/is-record.ts";
import { loadStream, readEvents, readRows } from "../../read-streams.ts";
import type { Append, StreamStore } from "../../stream-store.ts";
import { readFeed } from "../follow-feed.ts";
import { blindly, idOf, keep, newNotebook, rowOf } from "../notebook.ts";
import type { Suite } from "../suite.ts";

const A = idOf(1);

/** Texts that a store may get anywhere. */
const texts = [
  "🙂👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "\u05e9\u05dc\u05d5\u05dd \u202eright to left\u202c \u0645\u0631\u062d\u0628\u0627",
  "e\u0301 is not \u00e9",
  "\ufeffbyte order mark, \u2028 line, \ufffd replacement",
  `quotes ' " \` and \\ and \\u0041 and %s ; -- $1 ?1`,
  "tab\tnew\nline\r\nend",
  "0012",
  "1e3",
  "null",
  "",
];

/** Texts that only JSON can carry. */
const jsonTexts = [
  "a\u0000b",
  "\u0000",
  "\u001f\u007f",
  "lone \ud800 high",
  "lone \udc00 low",
  "\udc00\ud800",
];

export function unicode({ it }: Suite): void {
  it("stores every text in bodies, heads and rows unchanged", async ({ open, close }) => {
    const before = await open();
    const value = {
      texts,
      jsonTexts,
      nested: Object.fromEntries([...texts, ...jsonTexts].entries()),
    };
    await storeEverywhere(before, value);
    await close(before);
    await expectEverywhere(await open(), value);
  });

  it("stores every text as the name of a field", async ({ open }) => {
    const store = await open();
    const value = Object.fromEntries([...texts, ...jsonTexts].map((text, index) => [text, index]));
    await storeEverywhere(store, value);
    await expectEverywhere(store, value);
  });

  it("stores every text in the columns of a stream", async ({ open }) => {
    const store = await open();
    for (const [index, text] of texts.entries()) {
      const id = idOf(index + 1);
      const place = { kind: "task", owner: `owner ${text}`, key: `key ${text}` } as const;
      const listing = { agent: text, project: text };
      const rows = [rowOf(1, 1, {}, { key: text })];
      const { events, ...append } = newNotebook(id, { ...place, listing, rows, names: [text] });
      const columns = { type: text, actor: text, interface: text, trace_id: text };
      const event = { ...events[0], seq: 1, at: 0, data: null, ...columns };
      await keep(store, blindly({ ...append, events: [event] }));

      expect(await loadStream(store, place)).toMatchObject({ id, ...place });
      expect(await readEvents(store, id, { after: 0, limit: 1 })).toMatchObject([columns]);
      expect(await readRows(store, id, { kind: "item", key: text })).toMatchObject([{ key: text }]);
      expect(await store.findByName(place.owner, text, { limit: 9 })).toMatchObject([{ id }]);
      const query = { kind: "task", owner: null, filter: listing, limit: 99 } as const;
      expect((await store.list(query)).streams).toMatchObject([{ id, ...place }]);
    }
  });

  it("stores ids that look like numbers or hex unchanged", async ({ open }) => {
    const store = await open();
    const ids = ["00", "ab", "AB", "abc", "0xab", "12", "12.0", "4bf92f3577b34da6a3ce929d0e0e4736"];
    const { events, ...append } = newNotebook(A, { lines: ids });
    const traced = events.map((event, index) => ({ ...event, trace_id: ids[index] ?? null }));
    const request = blindly({ ...append, events: traced });
    const idempotency = { scope: "0012", key: "12", digest: "00ff" };
    await keep(store, { ...request, idempotency });
    const found = await readEvents(store, A, { after: 0, limit: 99 });
    expect(found.map(({ trace_id }) => trace_id)).toEqual(ids);
    for (const digest of ["00FF", "ff", "0xff"]) {
      const repeated = { ...request, idempotency: { ...idempotency, digest } };
      expect(await store.transact(repeated)).toMatchObject({
        refusal: { error: "idempotency_conflict" },
      });
    }
  });

  it("treats a field named __proto__ like any other", async ({ open }) => {
    const store = await open();
    const value: Record<string, unknown> = JSON.parse(
      `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":null}`,
    );
    await storeEverywhere(store, value);
    await expectEverywhere(store, value);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("merges a patch with a field named __proto__ like any other", async ({ open }) => {
    const store = await open();
    const [first, second] = [`{"__proto__":{"a":1},"b":1}`, `{"__proto__":{"c":1}}`];
    const rows = [rowOf(1, 1, JSON.parse(first)), rowOf(1, 2, JSON.parse(second))];
    const append = newNotebook(A, { lines: ["1", "2"], rows });
    await keep(store, blindly(append));
    const [item] = await readRows(store, A, { kind: "item" });
    expect(JSON.stringify(item?.data)).toBe(`{"__proto__":{"c":1},"b":1}`);
    expect(Object.getPrototypeOf(item?.data)).toBe(Object.prototype);
  });

  it("stores any JSON", async ({ open }) => {
    const store = await open();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (json) => {
        // Converted through JSON once, which has no negative zero.
        const value: unknown = JSON.parse(JSON.stringify({ json }));
        n += 1;
        await storeEverywhere(store, value, idOf(n));
        await expectEverywhere(store, value, idOf(n));
      }),
      { numRuns: 100 },
    );
  });
}

async function storeEverywhere(store: StreamStore, value: unknown, id = A): Promise<void> {
  const { events, ...append } = newNotebook(id, { rows: [rowOf(1, 1, { value })] });
  const full: Append = {
    ...append,
    head: value,
    events: events.map((event) => ({ ...event, data: value })),
  };
  await keep(store, blindly(full));
}

/** Also compares as JSON, because `toEqual` would miss a `__proto__` that became a prototype. */
async function expectEverywhere(store: StreamStore, value: unknown, id = A): Promise<void> {
  const [event] = await readEvents(store, id, { after: 0, limit: 1 });
  const [fromFeed] = (await readFeed(store, "")).filter(({ stream }) => stream === id);
  const [row] = await readRows(store, id, { kind: "item" });
  const stream = await loadStream(store, { id });
  for (const kept of [event?.data, fromFeed?.data, row?.data.value, stream?.head]) {
    expect(kept).toEqual(value);
    expect(sortedJson(kept)).toBe(sortedJson(value));
  }
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isRecord(member) ? Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)) : member,
  );
}
