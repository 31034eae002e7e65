import { isRecord } from "../../contract/is-record.ts";
import type { RowQuery, StoredRow } from "../../contract/stream.ts";
import { integerIn, parseJson } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Meter } from "./event-log.ts";
import { PATCH_VALUES, type PatchRow, readPatchRow } from "./index-rows.ts";
import { type Inheriting, type Segment, segmentsWithin } from "./lineage.ts";
import { PatchReader } from "./patch-reader.ts";
import { damaged } from "./storage-error.ts";

/** Items in order of place, each merged from its patches. A page ends with the last item of a place. */
export function readRows(
  db: Connection,
  stream: Inheriting & { id: string },
  query: RowQuery,
  meter?: Meter,
): StoredRow[] {
  if (query.limit !== undefined && query.limit <= 0) return [];
  const segments = segmentsWithin(stream, 1, Math.min(query.at ?? stream.seq, stream.seq));
  return query.key === undefined
    ? readPage(db, segments, query, stream.id, meter)
    : readByKey(db, segments, query, query.key, stream.id);
}

function readPage(
  db: Connection,
  segments: readonly Segment[],
  query: RowQuery,
  stream: string,
  meter: Meter = { bytes: 0 },
): StoredRow[] {
  const { limit = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY } = query;
  let room = bytes;
  const isForwards = query.before === undefined;
  const readers = segments.map((segment) => new PatchReader(db, segment, query, stream));
  const places: StoredRow[][] = [];
  for (let count = 0; count < limit; ) {
    // Patches of one item may lie in several segments.
    const next = readers.flatMap((reader) => reader.peek()?.place ?? []);
    if (next.length === 0) break;
    const place = isForwards ? Math.min(...next) : Math.max(...next);
    const patches = readers.flatMap((reader) => reader.take(place));
    const size = patches.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
    room -= size;
    if (room < 0 && places.length > 0) break;
    meter.bytes += size;
    const items = mergePatches(patches, stream);
    places.push(items);
    count += items.length;
  }
  return (isForwards ? places : places.reverse()).flat();
}

function readByKey(
  db: Connection,
  segments: readonly Segment[],
  query: RowQuery,
  key: string,
  stream: string,
): StoredRow[] {
  const { kind, after = -1, before = Number.MAX_SAFE_INTEGER } = query;
  const found = new Map<string, readonly [number, number]>();
  for (const { sid, to } of segments) {
    for (const row of db.all(KEYED, sid, kind, key, to)) {
      const place = integerIn(row, "place", stream);
      const nth = integerIn(row, "nth", stream);
      if (place > after && place < before) found.set(`${place} ${nth}`, [place, nth]);
    }
  }
  const patches = [...found.values()].flatMap(([place, nth]) =>
    segments.flatMap(({ sid, to }) =>
      db
        .allValues(ITEM, sid, kind, place, nth)
        .map((values) => readPatchRow(values, sid, stream))
        .filter(({ seq }) => seq <= to),
    ),
  );
  const items = mergePatches(patches, stream).filter((item) => item.key === key);
  return takeWholePlaces(items, query);
}

const KEYED = `SELECT DISTINCT place, nth FROM rows
  WHERE sid = ? AND kind = ? AND key = ? AND seq <= ?`;
const ITEM = `SELECT ${PATCH_VALUES} FROM rows WHERE sid = ? AND kind = ? AND place = ? AND nth = ?`;

/** An item keeps the first key that it was given. */
function mergePatches(patches: PatchRow[], stream: string): StoredRow[] {
  if (patches.length > 1) {
    patches.sort((a, b) => a.place - b.place || a.nth - b.nth || a.seq - b.seq);
  }
  const items: StoredRow[] = [];
  for (const { place, nth, key, data } of patches) {
    const fields = parseFields(data, stream);
    const item = items.at(-1);
    if (item?.place !== place || item.nth !== nth) {
      items.push({ place, nth, key, data: fields });
      continue;
    }
    // Spreading defines properties, so a key named __proto__ is one like any other.
    const merged = { ...item.data, ...fields };
    items[items.length - 1] = { place, nth, key: item.key ?? key, data: merged };
  }
  return items;
}

function takeWholePlaces(items: readonly StoredRow[], query: RowQuery): StoredRow[] {
  const { before, limit = items.length } = query;
  const edge = before === undefined ? items[limit - 1] : items.at(-limit);
  if (!edge) return [...items];
  return items.filter(({ place }) =>
    before === undefined ? place <= edge.place : place >= edge.place,
  );
}

function parseFields(text: string, stream: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text, stream, "data");
  if (isRecord(value)) return value;
  throw damaged(stream, "an index row holds no object");
}
