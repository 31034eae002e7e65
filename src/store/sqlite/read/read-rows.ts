import { isRecord } from "../../../contract/is-record.ts";
import type { RowQuery } from "../../../contract/stream.ts";
import { bytesIn, type Content } from "../../content.ts";
import { type Segment, segmentsWithin } from "../../log/lineage.ts";
import type { StoredPatch } from "../../stream-store.ts";
import { parseContent, toInteger } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import type { Meter } from "../database/event-log.ts";
import { PATCH_VALUES, type PatchRow, readPatchRow } from "../database/index-rows.ts";
import {
  findOpenedByKey,
  OpenedRows,
  type OpeningStream,
  readOpenedAt,
} from "../database/opened-rows.ts";
import { damaged } from "../database/storage-error.ts";
import { type HasCopies, writersOf } from "../database/writers.ts";
import { PatchReader } from "./patch-reader.ts";

/** Patches of whole items in order of place. A page ends with the last item of a place. */
export function readRows(
  db: Connection,
  stream: OpeningStream,
  query: RowQuery,
  meter: Meter = { bytes: 0 },
  hasCopies?: HasCopies,
): StoredPatch[] {
  if (query.limit !== undefined && query.limit <= 0) return [];
  const last = Math.min(query.at ?? stream.seq, stream.seq);
  const segments = segmentsWithin(stream, 1, last);
  const places =
    query.key === undefined
      ? readPage(db, segments, query, stream, last, meter)
      : readByKey(db, segments, query, query.key, stream, last);
  const writerOf = writersOf(db, stream, segments, hasCopies);
  return places.flat().map(({ place, nth, seq, key, data }) => {
    const fields = parseFields(data, stream.id);
    return { place, nth, seq, key, data: fields, writer: writerOf(seq) };
  });
}

/** The patches of each place on the page. */
function readPage(
  db: Connection,
  segments: readonly Segment[],
  query: RowQuery,
  stream: OpeningStream,
  last: number,
  meter: Meter,
): PatchRow[][] {
  const { limit = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY } = query;
  let room = bytes;
  const isForwards = query.before === undefined;
  const readers: Pick<PatchReader, "peek" | "next">[] = segments.map(
    (segment) => new PatchReader(db, segment, query, stream.id),
  );
  if (stream.opened.has(query.kind)) readers.push(new OpenedRows(db, stream, query, last));
  const places: PatchRow[][] = [];
  for (let count = 0; count < limit; ) {
    // The patches of one item may be in several segments.
    const next = readers.flatMap((reader) => reader.peek()?.place ?? []);
    if (next.length === 0) break;
    const place = isForwards ? Math.min(...next) : Math.max(...next);
    const patches = inOrder(readers.flatMap((reader) => reader.next(place)));
    const size = patches.reduce((sum, { data }) => sum + bytesIn(data), 0);
    room -= size;
    if (room < 0 && places.length > 0) break;
    meter.bytes += size;
    places.push(patches);
    count += countItems(patches);
  }
  return isForwards ? places : places.reverse();
}

function readByKey(
  db: Connection,
  segments: readonly Segment[],
  query: RowQuery,
  key: string,
  stream: OpeningStream,
  last: number,
): PatchRow[][] {
  const { kind, after = -1, before = Number.MAX_SAFE_INTEGER } = query;
  const found = new Map<string, readonly [number, number]>();
  for (const place of findOpenedByKey(db, stream, kind, key, last)) {
    if (place > after && place < before) found.set(`${place} 0`, [place, 0]);
  }
  for (const { sid, to } of segments) {
    for (const row of db.allValues(KEYED, sid, kind, key, to)) {
      const place = toInteger(row[0], "place", stream.id);
      const nth = toInteger(row[1], "nth", stream.id);
      if (place > after && place < before) found.set(`${place} ${nth}`, [place, nth]);
    }
  }
  const items = [...found.values()].map(([place, nth]) => {
    const patches = segments.flatMap(({ sid, to }) =>
      db
        .allValues(ITEM, sid, kind, place, nth)
        .map((values) => readPatchRow(values, sid, stream.id))
        .filter(({ seq }) => seq <= to),
    );
    return inOrder([...(nth === 0 ? readOpenedAt(db, stream, kind, place) : []), ...patches]);
  });
  // An item is found by the first key it was given.
  const named = items.filter((item) => item.find((patch) => patch.key !== null)?.key === key);
  const patches = inOrder(named.flat());
  const { limit = named.length } = query;
  const places = named.flatMap(([patch]) => patch?.place ?? []).sort((a, b) => a - b);
  const edge = query.before === undefined ? places[limit - 1] : places.at(-limit);
  if (edge === undefined) return [patches];
  const isWithin = ({ place }: PatchRow) =>
    query.before === undefined ? place <= edge : place >= edge;
  return [patches.filter(isWithin)];
}

const KEYED = `SELECT DISTINCT place, nth FROM rows
  WHERE sid = ? AND kind = ? AND key = ? AND seq <= ?`;
const ITEM = `SELECT ${PATCH_VALUES} FROM rows WHERE sid = ? AND kind = ? AND place = ? AND nth = ?`;

function inOrder(patches: PatchRow[]): PatchRow[] {
  if (patches.length < 2) return patches;
  return patches.sort((a, b) => a.place - b.place || a.nth - b.nth || a.seq - b.seq);
}

/** The patches are of one place, in order. */
function countItems(patches: readonly PatchRow[]): number {
  return patches.filter(({ nth }, index) => nth !== patches[index - 1]?.nth).length;
}

function parseFields(content: Content, stream: string): StoredPatch["data"] {
  const value = parseContent(content, stream, "data");
  if (value instanceof Uint8Array || isRecord(value)) return value;
  throw damaged(stream, "an index row holds no object");
}
