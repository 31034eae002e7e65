import { isRecord } from "../../../contract/is-record.ts";
import type { RowQuery } from "../../../contract/stream.ts";
import { bytesIn, type Content } from "../../content.ts";
import { type Inheriting, type Segment, segmentsWithin } from "../../log/lineage.ts";
import type { StoredPatch } from "../../stream-store.ts";
import { contentOf, parseContent } from "../database/content-columns.ts";
import type { SqlSession } from "../database/database.ts";
import { damaged } from "../database/postgres-error.ts";
import { isStorable } from "../database/storable-text.ts";
import { KEYED, PAGE_BACKWARDS, PAGE_FORWARDS, WHOLE } from "./row-queries.ts";

type Stream = Inheriting & { readonly id: string };

interface PatchColumns {
  readonly place: number;
  readonly nth: number;
  readonly seq: number;
  readonly key: string | null;
  readonly data: string | null;
  readonly bytes: Uint8Array | null;
  readonly writer: string;
}

interface Patch extends Omit<PatchColumns, "data" | "bytes"> {
  readonly data: Content;
}

/** Sums the bytes of the contents that are read. */
export interface Meter {
  bytes: number;
}

/**
 * Patches of whole items in order of place, for each query. A page ends with the last item of a place. One statement
 * answers all queries for whole lists.
 */
export async function readRows(
  session: SqlSession,
  stream: Stream,
  queries: readonly RowQuery[],
  meter: Meter = { bytes: 0 },
): Promise<StoredPatch[][]> {
  const lists = await readWhole(session, stream, queries);
  const found: StoredPatch[][] = [];
  for (const [n, query] of queries.entries()) {
    const patches = isWhole(query) ? lists.get(n) : await readPart(session, stream, query);
    found.push(
      (patches ?? []).map(({ data, ...patch }) => {
        meter.bytes += bytesIn(data);
        return { ...patch, data: parseFields(data, stream.id) };
      }),
    );
  }
  return found;
}

function isWhole({ key, limit, bytes }: RowQuery): boolean {
  return key === undefined && limit === undefined && bytes === undefined;
}

/** The patches of the queries for whole lists, by the index of the query. */
async function readWhole(
  session: SqlSession,
  stream: Stream,
  queries: readonly RowQuery[],
): Promise<ReadonlyMap<number, Patch[]>> {
  const lists = new Map<number, Patch[]>();
  const searched = queries.flatMap((query, n) =>
    isWhole(query)
      ? segmentsFor(stream, query).map((segment) => ({ ...segment, n, ...query }))
      : [],
  );
  if (searched.length === 0) return lists;
  const found = await session.query<PatchColumns & { readonly n: number }>(WHOLE, [
    ...toArrays(searched),
    searched.map(({ n }) => n),
    searched.map(({ kind }) => kind),
    searched.map(({ after }) => after ?? -1),
    searched.map(({ before }) => before ?? Number.MAX_SAFE_INTEGER),
  ]);
  for (const { n, ...columns } of found) {
    const list = lists.get(n) ?? [];
    lists.set(n, list);
    list.push(readPatch(columns));
  }
  return lists;
}

async function readPart(session: SqlSession, stream: Stream, query: RowQuery): Promise<Patch[]> {
  const { key, limit } = query;
  if (limit !== undefined && limit <= 0) return [];
  if (key !== undefined && !isStorable(key)) return [];
  const segments = segmentsFor(stream, query);
  if (segments.length === 0) return [];
  return key === undefined
    ? readPages(session, segments, query)
    : readByKey(session, segments, query, key);
}

/** None for a kind that cannot be stored. */
function segmentsFor(stream: Stream, { kind, at = stream.seq }: RowQuery): readonly Segment[] {
  return isStorable(kind) ? segmentsWithin(stream, 1, Math.min(at, stream.seq)) : [];
}

/** A page with a byte limit is read a few items at a time. */
async function readPages(
  session: SqlSession,
  segments: readonly Segment[],
  query: RowQuery,
): Promise<Patch[]> {
  const { limit = Infinity, bytes } = query;
  if (bytes === undefined) return readPage(session, segments, { ...query, limit });
  const isForwards = query.before === undefined;
  const places: Patch[][] = [];
  let room = bytes;
  let { after, before } = query;
  for (let count = 0; count < limit; ) {
    const few = Math.min(limit - count, FEW);
    const page = await readPage(session, segments, { ...query, after, before, limit: few });
    if (page.length === 0) break;
    const found = groupBy(page, ({ place }) => `${place}`);
    for (const patches of isForwards ? found : found.reverse()) {
      room -= patches.reduce((sum, { data }) => sum + bytesIn(data), 0);
      if (room < 0 && places.length > 0) return inOrder(places.flat());
      places.push(patches);
      count += new Set(patches.map(({ nth }) => nth)).size;
    }
    const last = places.at(-1)?.[0]?.place;
    if (isForwards) after = last;
    else before = last;
  }
  return inOrder(places.flat());
}

const FEW = 32;

interface PageBounds {
  readonly kind: string;
  readonly limit: number;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

async function readPage(
  session: SqlSession,
  segments: readonly Segment[],
  { kind, after, before, limit }: PageBounds,
): Promise<Patch[]> {
  const page = before === undefined ? PAGE_FORWARDS : PAGE_BACKWARDS;
  const found = await session.query<PatchColumns>(page, [
    ...toArrays(segments),
    kind,
    after ?? -1,
    before ?? Number.MAX_SAFE_INTEGER,
    Math.min(limit, MOST),
  ]);
  return found.map(readPatch);
}

/** More than any page has. */
const MOST = 1_000_000;

async function readByKey(
  session: SqlSession,
  segments: readonly Segment[],
  query: RowQuery,
  key: string,
): Promise<Patch[]> {
  const { kind, after = -1, before = Number.MAX_SAFE_INTEGER, limit } = query;
  const bounds = [...toArrays(segments), kind, after, before, key];
  const found = await session.query<PatchColumns>(KEYED, bounds);
  const items = groupBy(found.map(readPatch), ({ place, nth }) => `${place} ${nth}`)
    // An item is found by the first key it was given.
    .filter((item) => item.find((patch) => patch.key !== null)?.key === key);
  const places = items.flatMap(([patch]) => patch?.place ?? []);
  const patches = items.flat();
  if (limit === undefined || places.length <= limit) return patches;
  const edge = query.before === undefined ? places[limit - 1] : places.at(-limit);
  if (edge === undefined) return patches;
  return patches.filter(({ place }) =>
    query.before === undefined ? place <= edge : place >= edge,
  );
}

function toArrays(segments: readonly Segment[]): [number[], number[], number[]] {
  return [
    segments.map(({ sid }) => sid),
    segments.map(({ from }) => from),
    segments.map(({ to }) => to),
  ];
}

function readPatch({ data, bytes, ...patch }: PatchColumns): Patch {
  return { ...patch, data: contentOf(data, bytes) };
}

function groupBy(patches: readonly Patch[], nameOf: (patch: Patch) => string): Patch[][] {
  return [...Map.groupBy(patches, nameOf).values()];
}

function inOrder(patches: Patch[]): Patch[] {
  return patches.sort((a, b) => a.place - b.place || a.nth - b.nth || a.seq - b.seq);
}

function parseFields(content: Content, stream: string): StoredPatch["data"] {
  const value = parseContent(content, stream);
  if (value instanceof Uint8Array || isRecord(value)) return value;
  throw damaged(stream, "an index row holds no object");
}
