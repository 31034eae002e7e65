import type { NewRow, RowQuery, StoredRow } from "../stream-store.ts";
import { fromHex, hexIn, integerIn, parseJson, type Row, textIn, textOrNullIn } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { sumOf } from "./digests.ts";
import { type Inheriting, type Segment, segmentsWithin } from "./lineage.ts";
import { damaged } from "./storage-error.ts";

/** Items in order of place, each merged from its patches. A page ends with the last item of a place. */
export function readRows(
  db: Connection,
  stream: Inheriting & { id: string },
  query: RowQuery,
): StoredRow[] {
  if (query.limit === 0) return [];
  const segments = segmentsWithin(stream, 1, Math.min(query.at ?? stream.seq, stream.seq));
  const patches =
    query.key === undefined
      ? readPage(db, segments, query, stream.id)
      : readByKey(db, segments, query, query.key, stream.id);
  const items = mergePatches(patches, stream.id);
  if (query.key === undefined) return items;
  return takeWholePlaces(
    items.filter(({ key }) => key === query.key),
    query,
  );
}

/** One row of `rows`, its sum checked; `data` is JSON. */
export interface PatchRow extends Omit<NewRow, "data"> {
  readonly data: string;
}

export function readPatchRow(row: Row, sid: number, stream: string): PatchRow {
  const patch = {
    kind: textIn(row, "kind", stream),
    place: integerIn(row, "place", stream),
    nth: integerIn(row, "nth", stream),
    seq: integerIn(row, "seq", stream),
    key: textOrNullIn(row, "key", stream),
    data: textIn(row, "data", stream),
  };
  if (sumOfPatch(sid, patch) === hexIn(row, "sum", stream)) return patch;
  throw damaged(stream, `the ${patch.kind} at ${patch.place} is not as it was written`);
}

export function insertPatchRow(db: Connection, sid: number, patch: PatchRow): void {
  const { kind, place, nth, seq, key, data } = patch;
  db.run(INSERT, sid, kind, place, nth, seq, key, fromHex(sumOfPatch(sid, patch)), data);
}

export const PATCH_COLUMNS = "kind, place, nth, seq, key, sum, data";

const INSERT = `INSERT INTO rows (sid, ${PATCH_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const BETWEEN = `SELECT ${PATCH_COLUMNS} FROM rows
  WHERE sid = ? AND kind = ? AND place BETWEEN ? AND ? AND seq <= ? ORDER BY place, nth, seq`;
const ITEM = `SELECT ${PATCH_COLUMNS} FROM rows
  WHERE sid = ? AND kind = ? AND place = ? AND nth = ? AND seq <= ? ORDER BY seq`;
const FIRST = `SELECT DISTINCT place, nth FROM rows
  WHERE sid = ? AND kind = ? AND place BETWEEN ? AND ? AND seq <= ? ORDER BY place, nth LIMIT ?`;
const LAST = `SELECT DISTINCT place, nth FROM rows
  WHERE sid = ? AND kind = ? AND place BETWEEN ? AND ? AND seq <= ? ORDER BY place DESC, nth DESC LIMIT ?`;
const KEYED = `SELECT DISTINCT place, nth FROM rows
  WHERE sid = ? AND kind = ? AND key = ? AND seq <= ?`;

function readPage(
  db: Connection,
  segments: readonly Segment[],
  query: RowQuery,
  stream: string,
): PatchRow[] {
  const { kind } = query;
  const [low, high] = findBounds(db, segments, query, stream);
  return segments.flatMap(({ sid, to }) =>
    db.all(BETWEEN, sid, kind, low, high, to).map((row) => readPatchRow(row, sid, stream)),
  );
}

/** The first and the last place of the page. Patches of one item may lie in several segments, so it counts once. */
function findBounds(
  db: Connection,
  segments: readonly Segment[],
  query: RowQuery,
  stream: string,
): readonly [number, number] {
  const { kind, after, before, limit } = query;
  const low = after === undefined ? 0 : after + 1;
  const high = before === undefined ? Number.MAX_SAFE_INTEGER : before - 1;
  if (limit === undefined) return [low, high];

  const sql = before === undefined ? FIRST : LAST;
  const places = new Map<string, number>();
  for (const { sid, to } of segments) {
    for (const row of db.all(sql, sid, kind, low, high, to, limit)) {
      const place = integerIn(row, "place", stream);
      places.set(`${place} ${integerIn(row, "nth", stream)}`, place);
    }
  }
  const towards = before === undefined ? 1 : -1;
  const ordered = [...places.values()].sort((a, b) => (a - b) * towards);
  const end = ordered[limit - 1];
  if (end === undefined) return [low, high];
  return before === undefined ? [low, end] : [end, high];
}

function readByKey(
  db: Connection,
  segments: readonly Segment[],
  query: RowQuery,
  key: string,
  stream: string,
): PatchRow[] {
  const { kind, after = -1, before = Number.MAX_SAFE_INTEGER } = query;
  const items = new Map<string, readonly [number, number]>();
  for (const { sid, to } of segments) {
    for (const row of db.all(KEYED, sid, kind, key, to)) {
      const place = integerIn(row, "place", stream);
      const nth = integerIn(row, "nth", stream);
      if (place > after && place < before) items.set(`${place} ${nth}`, [place, nth]);
    }
  }
  return [...items.values()].flatMap(([place, nth]) =>
    segments.flatMap(({ sid, to }) =>
      db.all(ITEM, sid, kind, place, nth, to).map((row) => readPatchRow(row, sid, stream)),
    ),
  );
}

/** An item keeps the first key that it was given. */
function mergePatches(patches: PatchRow[], stream: string): StoredRow[] {
  patches.sort((a, b) => a.place - b.place || a.nth - b.nth || a.seq - b.seq);
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
  if (isFields(value)) return value;
  throw damaged(stream, "an index row holds no object");
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sumOfPatch(sid: number, { kind, place, nth, seq, key, data }: PatchRow): string {
  return sumOf([sid, kind, place, nth, seq, key], data);
}
