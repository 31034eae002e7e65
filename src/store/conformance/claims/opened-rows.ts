import { expect } from "vitest";
import type { RowQuery } from "../../../contract/stream.ts";
import type { Append, StoredPatch, StreamStore } from "../../stream-store.ts";
import { blindly, countTo, idOf, keep, moreLines, rowOf } from "../notebook.ts";
import type { Suite } from "../suite.ts";

/** Streams whose events open rows, and their twins, whose appends store the same rows separately. */
const OPENING = 100;
const TWINS = 1000;

export function openedRows({ it }: Suite): void {
  it("equal rows that were appended beside the events", async ({ open }) => {
    const store = await open();
    await writeBoth(store, (family) => [family], 40);
    await expectTwins(store, 0, queriesUpTo(40));
  });

  it("are inherited through many forks, and can be read as of any seq", async ({ open }) => {
    const store = await open();
    await writeBoth(store, (family) => [family], 12);
    let seq = 12;
    for (const n of countTo(40)) {
      const at = n % 5 === 0 ? seq - 1 : seq;
      await writeBoth(store, (family) => [family + n, family + n - 1], 2, at);
      seq = at + 2;
    }
    for (const n of [2, 6, 33, 40]) await expectTwins(store, n, queriesUpTo(30));
  });

  it("remain in the forks of a purged stream", async ({ open }) => {
    const store = await open();
    await writeBoth(store, (family) => [family], 9);
    await writeBoth(store, (family) => [family + 1, family], 1, 6);
    for (const family of [OPENING, TWINS]) await store.purge(idOf(family), 1);
    await expectTwins(store, 1, queriesUpTo(9));
    await writeBoth(store, (family) => [family + 1, family], 3);
    await writeBoth(store, (family) => [family + 2, family + 1], 2, 5);
    for (const n of [1, 2]) await expectTwins(store, n, queriesUpTo(9));
  });
}

/** Appends this many lines to a stream and to its twin, or starts both as forks. */
async function writeBoth(
  store: StreamStore,
  streams: (family: number) => readonly [stream: number, parent?: number],
  count: number,
  forkedAt?: number,
): Promise<void> {
  for (const family of [OPENING, TWINS]) {
    const [stream, parent] = streams(family);
    const id = idOf(stream);
    const [part] = await store.read([{ ref: { id } }]);
    const seq = part?.stream.seq ?? forkedAt ?? 0;
    const base = forkedAt === undefined ? {} : { base: { id: idOf(parent ?? 0), seq: forkedAt } };
    const append = appendAfter(id, seq, count, family === OPENING);
    const create = { kind: "session", owner: "ann", key: id, ...base } as const;
    await keep(store, blindly(part ? append : { ...append, create }));
  }
}

/** Lines that open rows of two kinds, with and without a key, or none; some patch earlier rows. */
function appendAfter(id: string, seq: number, count: number, isOpening: boolean): Append {
  const append = moreLines({ id, seq }, { lines: countTo(count).map((n) => `line ${seq + n}`) });
  const rows = append.events.flatMap(({ seq: at }) => [
    ...(at % 4 === 0 && at > 3 ? [rowOf(at - 3, at, { patched: at })] : []),
    ...(at % 7 === 0 ? [rowOf(at, at, { beside: at }, { nth: 1, key: "b" })] : []),
    ...(at % 5 === 0 ? [rowOf(at, at, { beside: at })] : []),
  ]);
  const opened = append.events.map((event) => {
    if (event.seq % 3 === 0 || event.seq % 5 === 0) return event;
    const kind = event.seq % 8 === 0 ? "other" : "item";
    return { ...event, row: { kind, key: event.seq % 2 === 0 ? "k" : null } };
  });
  if (isOpening) return { ...append, rows, events: opened };
  const beside = opened.flatMap(({ seq: at, data, ...event }) => {
    const row = "row" in event ? event.row : undefined;
    return row && isObject(data) ? [rowOf(at, at, data, row)] : [];
  });
  return { ...append, rows: [...rows, ...beside] };
}

function isObject(value: unknown): value is StoredPatch["data"] {
  return typeof value === "object" && value !== null;
}

function queriesUpTo(seq: number): RowQuery[] {
  const places = countTo(seq + 2).filter((n) => n < 7 || n % 4 === 0);
  return ["item", "other"].flatMap((kind) => [
    { kind },
    { kind, key: "k" },
    { kind, key: "b" },
    { kind, before: Number.MAX_SAFE_INTEGER, limit: 3 },
    ...places.flatMap((n) => [
      { kind, at: n },
      { kind, at: n, before: n, limit: 2 },
      { kind, key: "k", at: n },
      { kind, after: n },
      { kind, after: n, limit: 2, at: n + 9 },
      { kind, before: n },
      { kind, before: n, limit: 4, bytes: 40 },
      { kind, after: n, limit: 30, bytes: 60 },
      { kind, after: n - 4, before: n },
    ]),
  ]);
}

async function expectTwins(
  store: StreamStore,
  n: number,
  rows: readonly RowQuery[],
): Promise<void> {
  const ids = [idOf(OPENING + n), idOf(TWINS + n)];
  const [opening, twin] = await store.read(ids.map((id) => ({ ref: { id }, rows })));
  const shown = (patches: readonly StoredPatch[], family: number) =>
    patches.map(({ writer, ...patch }) => ({ ...patch, writer: numberOf(writer) - family }));
  const expected = twin?.rows.map((patches) => shown(patches, TWINS));
  expect(opening?.rows.map((patches) => shown(patches, OPENING))).toEqual(expected);
  expect(expected?.[0]?.length).toBeGreaterThan(0);
}

function numberOf(id: string): number {
  return Number.parseInt(id.slice(-6), 16);
}
