import type { ListingDeclaration } from "../../../contract/stream.ts";
import type { CheckedPatch } from "../../append-rules.ts";
import type { Content } from "../../content.ts";
import type { CopiedStream, CopiedTombstone, CopySource, RawEvent } from "../../log/copy-source.ts";
import type { EventMeta } from "../../log/hash-event.ts";
import { segmentsOf, segmentsWithin } from "../../log/lineage.ts";
import { readChunk } from "../blobs/stored-chunk.ts";
import { contentOf } from "../database/content-columns.ts";
import { connect, type SqlSession, toSession } from "../database/database.ts";
import { damaged, toStorageError } from "../database/postgres-error.ts";
import {
  readStreamRow,
  STREAM_COLUMNS,
  type StreamColumns,
  type StreamRow,
} from "../database/stream-row.ts";

type ListedColumns = StreamColumns & Readonly<Record<string, unknown>>;

/** Everything in the database as of now, on a connection of its own, while others write. */
export async function openPostgresSource(
  url: string,
  schema: string | undefined,
  { fields }: ListingDeclaration,
): Promise<CopySource> {
  const client = connect(url);
  const session = toSession(client, schema);
  try {
    await client.connect();
    await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // The first read fixes the moment.
    await session.query("SELECT 1 FROM belay.meta");
  } catch (error) {
    await client.end().catch(() => undefined);
    throw toStorageError(error);
  }
  const find = async (id: string): Promise<StreamRow> => {
    const [row] = await session.query<StreamColumns>(BY_ID, [id]);
    if (!row) throw damaged(id, "it was listed and is not there");
    return readStreamRow(row);
  };

  return {
    countEvents: async () => (await session.query<{ n: number }>(COUNT))[0]?.n ?? 0,

    async *readEvents() {
      for (let [era, xid, pos] = [0, "0", -1]; ; ) {
        const page = await session.query<PlacedColumns>(PAGE, [era, xid, pos]);
        if (page.length === 0) return;
        for (const columns of page) {
          ({ era, xid, pos } = columns);
          yield toRaw(columns, columns.id);
        }
      }
    },

    async readStreams() {
      const streams = new Map<string, CopiedStream>();
      for (let after = 0; ; ) {
        const page = await session.query<ListedColumns>(STREAMS, [after]);
        if (page.length === 0) return streams;
        for (const columns of page) {
          after = columns.sid;
          const row = readStreamRow(columns);
          const { id, kind, owner, key, seq, epoch } = row;
          const writers = await writersIn(session, row);
          const listing = Object.fromEntries(
            Object.keys(fields).map((name) => [name, toListed(columns[name], id)]),
          );
          streams.set(id, { id, kind, owner, key, seq, epoch, listing, writers });
        }
      }
    },

    readTombstones: () => session.query<CopiedTombstone>(TOMBSTONES),

    async readInherited(id, from, to) {
      const found = await session.query<EventColumns>(RANGE, boundsOf(await find(id), from, to));
      return found.map((columns) => toRaw(columns, id));
    },

    async readCuts(id) {
      const sids = segmentsOf(await find(id)).map(({ sid }) => sid);
      const found = await session.query<{ seq: number }>(CUTS, [sids]);
      return new Set(found.map(({ seq }) => seq));
    },

    async readParts(id, from, to) {
      const row = await find(id);
      const bounds = boundsOf(row, from, to);
      const patches = await session.query<PatchColumns>(PATCHES, bounds);
      const names = await session.query<{ name: string }>(NAMES, [row.sid, from, to]);
      const [stored] = await session.query<ContentColumns>(HEAD, [bounds[0].at(-1), to]);
      const last = to === row.seq ? row.head : null;
      return {
        patches: patches.map(({ data, bytes, ...patch }) => ({
          ...patch,
          data: contentOf(data, bytes),
        })),
        names: names.map(({ name }) => name),
        head: stored ? contentOf(stored.data, stored.bytes) : last,
      };
    },

    async readBlobs(id) {
      const segments = segmentsOf(await find(id));
      const held = await session.query<HeldColumns>(HELD, [segments.map(({ sid }) => sid)]);
      const own = segments.at(-1);
      return held.flatMap(({ sid, bid, name, size, seq }) => {
        const to = segments.find((segment) => segment.sid === sid)?.to ?? 0;
        return sid === own?.sid || seq < to ? { place: String(bid), name, size, seq } : [];
      });
    },

    async readChunk({ place, name }, nth) {
      const damage = (what: string) => damaged(null, `a part of the file ${name} ${what}`);
      const bytes = await readChunk(session, place, nth, () => damage("was altered"));
      if (!bytes) throw damage("is missing");
      return bytes;
    },

    close: () => client.end(),
  };
}

interface ContentColumns {
  readonly data: string | null;
  readonly bytes: Uint8Array | null;
}
type PatchColumns = Omit<CheckedPatch, "data"> & ContentColumns;
interface HeldColumns {
  readonly sid: number;
  readonly bid: number;
  readonly name: string;
  readonly size: number;
  readonly seq: number;
}
interface EventColumns extends EventMeta {
  readonly hash: string;
  readonly writer: string;
  readonly body: string | null;
  readonly bytes: Uint8Array | null;
}
interface PlacedColumns extends EventColumns {
  readonly id: string;
  readonly era: number;
  readonly xid: string;
  readonly pos: number;
}

function boundsOf(row: StreamRow, from: number, to: number) {
  const segments = segmentsWithin(row, from, to);
  return [
    segments.map((segment) => segment.sid),
    segments.map((segment) => segment.from),
    segments.map((segment) => segment.to),
  ] as const;
}

/** Events at the start of a stream may be copies of other streams' events. */
async function writersIn(session: SqlSession, row: StreamRow): Promise<CopiedStream["writers"]> {
  const writers: { id: string; upto: number }[] = [];
  for (const { sid, from, to } of segmentsOf(row)) {
    if (from === 1) {
      writers.push(...(await session.query<{ id: string; upto: number }>(COPIES, [sid, to])));
    }
    if (sid === row.sid || (writers.at(-1)?.upto ?? 0) >= to) continue;
    const [found] = await session.query<{ id: string }>(ID, [sid]);
    if (!found) throw damaged(row.id, "a stream that it continues is missing");
    writers.push({ id: found.id, upto: to });
  }
  return writers;
}

function toRaw(columns: EventColumns, stream: string): RawEvent {
  const { seq, type, at, actor, trace_id, idem, digest, span, opens, row_key } = columns;
  const body: Content = contentOf(columns.body, columns.bytes);
  const meta = { seq, type, at, actor, interface: columns.interface, trace_id };
  const keys = { idem, digest, span, opens, row_key };
  return { stream, writer: columns.writer, meta: { ...meta, ...keys }, body, hash: columns.hash };
}

function toListed(value: unknown, id: string): string | number {
  if (typeof value === "string" || typeof value === "number") return value;
  throw damaged(id, "its list entry cannot be read");
}

const EVENT = `e.seq, e.type, e.at, e.actor, e.interface, e.trace_id, encode(e.hash, 'hex') AS hash, e.idem, e.digest, e.span,
  e.opens, e.row_key, coalesce(e.origin, s.id) AS writer, e.body, e.bytes`;
const COUNT = `SELECT count(*) AS n FROM belay.events e JOIN belay.streams s USING (sid)
  WHERE e.origin IS NULL AND s.kind <> 'purged'`;
const PAGE = `SELECT ${EVENT}, s.id, e.era, e.xid::text AS xid, e.pos FROM belay.events e JOIN belay.streams s USING (sid)
  WHERE e.origin IS NULL AND s.kind <> 'purged' AND (e.era, e.xid, e.pos) > ($1, $2::text::xid8, $3)
  ORDER BY e.era, e.xid, e.pos LIMIT 200`;
const RANGE = `SELECT ${EVENT} FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS g(sid, lo, hi)
  JOIN belay.streams s ON s.sid = g.sid
  JOIN belay.events e ON e.sid = g.sid AND e.seq BETWEEN g.lo AND g.hi ORDER BY e.seq`;
const STREAMS = `SELECT ${STREAM_COLUMNS}, s.status, s.phase, s.agent, s.interface, s.project, s.task, s.waiting, s.unsettled,
  s.pinned, s.created, s.activity FROM belay.streams s WHERE s.kind <> 'purged' AND s.sid > $1 ORDER BY s.sid LIMIT 500`;
const BY_ID = `SELECT ${STREAM_COLUMNS} FROM belay.streams s WHERE s.id = $1`;
const ID = "SELECT id FROM belay.streams WHERE sid = $1";
const COPIES = `SELECT origin AS id, max(seq) AS upto FROM belay.events
  WHERE sid = $1 AND seq <= $2 AND origin IS NOT NULL GROUP BY origin ORDER BY 2`;
const TOMBSTONES =
  "SELECT id, seq, encode(hash, 'hex') AS hash, at FROM belay.tombstones ORDER BY id";
const CUTS = `SELECT seq FROM belay.heads WHERE sid = ANY ($1::bigint[])
  UNION SELECT seq FROM belay.names WHERE sid = ANY ($1::bigint[])
  UNION SELECT seq FROM belay.blob_holders WHERE sid = ANY ($1::bigint[])`;
const PATCHES = `SELECT r.kind, r.place, r.nth, r.seq, r.key, r.data, r.bytes
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS g(sid, lo, hi)
  JOIN belay.rows r ON r.sid = g.sid AND r.seq BETWEEN g.lo AND g.hi ORDER BY r.seq, r.place, r.nth`;
const NAMES =
  "SELECT name FROM belay.names WHERE sid = $1 AND seq BETWEEN $2 AND $3 ORDER BY era, xid, pos, name";
const HEAD = "SELECT head AS data, bytes FROM belay.heads WHERE sid = $1 AND seq = $2";
const HELD = `SELECT h.sid, h.bid, h.seq, b.size, encode(b.digest, 'hex') AS name
  FROM belay.blob_holders h JOIN belay.blobs b USING (bid) WHERE h.sid = ANY ($1::bigint[]) AND b.digest IS NOT NULL`;
