import type {
  CopiedBlob,
  CopiedParts,
  CopiedStream,
  CopiedTombstone,
  CopySource,
  RawEvent,
} from "../../log/copy-source.ts";
import { type Segment, segmentsOf, segmentsWithin } from "../../log/lineage.ts";
import { unpackChunk } from "../blobs/pack-chunk.ts";
import { hexOf, integerIn, textIn, toInteger, toText, type Values } from "../database/columns.ts";
import { Connection } from "../database/connection.ts";
import type { DataFolder } from "../database/data-folder.ts";
import { EVENT_VALUES, type EventRow, readEventRow } from "../database/event-log.ts";
import { PATCH_VALUES, readPatchRow } from "../database/index-rows.ts";
import { openDatabase } from "../database/open-database.ts";
import { lastSid } from "../database/positions.ts";
import { damaged } from "../database/storage-error.ts";
import { HEAD_VALUES, readHeadRow } from "../database/stored-heads.ts";
import { findStreamRow, findStreamRowBySid, type StreamRow } from "../database/stream-row.ts";
import { idOf } from "../database/writers.ts";

/** Everything in the database as of now, while others write. */
export function openSqliteSource(files: DataFolder): CopySource {
  const db = new Connection(() => openDatabase(files, { readOnly: true, synchronous: "FULL" }));
  db.exec("BEGIN");
  // The first read fixes the moment.
  lastSid(db);
  const find = (id: string): StreamRow => {
    const row = findStreamRow(db, { id });
    if (!row) throw damaged(id, "it was listed and is not there");
    return row;
  };

  return {
    countEvents: async () => integerIn(db.get(COUNT) ?? {}, "n", null),

    async *readEvents() {
      const live = new Map<number, string>();
      for (const [sid, id] of db.allValues(LIVE_STREAMS)) {
        live.set(toInteger(sid, "sid", null), toText(id, "id", null));
      }
      for (let after = 0; ; ) {
        const page = db.allValues(PAGE, after);
        if (page.length === 0) return;
        for (const [pos, ...values] of page) {
          after = toInteger(pos, "pos", null);
          const id = live.get(toInteger(values[0], "sid", null));
          if (id !== undefined) yield toRaw(readEventRow(values, id), id, id);
        }
      }
    },

    async readStreams() {
      const streams = new Map<string, CopiedStream>();
      const last = lastSid(db);
      for (let sid = 1; sid <= last; sid += 1) {
        const row = findStreamRowBySid(db, sid);
        if (!row || row.kind === "purged") continue;
        const { id, kind, owner, key, seq, epoch, listing } = row;
        const writers = writersIn(db, row);
        streams.set(id, { id, kind, owner, key, seq, epoch, listing: { ...listing }, writers });
      }
      return streams;
    },

    readTombstones: async () => db.all(TOMBSTONES).map(toTombstone),

    async readInherited(id, from, to) {
      return segmentsWithin(find(id), from, to).flatMap((segment) => {
        const writer = idOf(db, segment.sid, id);
        return eventsIn(db, segment).map((values) => toRaw(readEventRow(values, id), id, writer));
      });
    },

    async readCuts(id) {
      const sids = segmentsOf(find(id)).map(({ sid }) => sid);
      const seqs = sids.flatMap((sid) => db.allValues(CUTS, sid, sid, sid));
      return new Set(seqs.map(([seq]) => toInteger(seq, "seq", id)));
    },

    readParts: async (id, from, to) => readParts(db, find(id), from, to),

    async readBlobs(id) {
      return segmentsOf(find(id)).flatMap(({ sid, to }, n, { length }) =>
        db
          .all(HELD, sid)
          .map((row) => toBlob(row, id))
          .filter(({ seq }) => n === length - 1 || seq < to),
      );
    },

    async readChunk({ place, name }, nth) {
      const row = db.get(CHUNK, Number(place), nth);
      if (!row) throw damaged(null, `a part of the file ${name} is missing`);
      const damage = () => damaged(null, `the file ${name} is damaged`);
      return unpackChunk(Number(place), nth, row, damage);
    },

    close: async () => db.close(),
  };
}

function readParts(db: Connection, row: StreamRow, from: number, to: number): CopiedParts {
  const { id, sid: own, seq, head } = row;
  const segments = segmentsWithin(row, from, to);
  const patches = segments.flatMap(({ sid, ...range }) =>
    db.allValues(PATCHES, sid, range.from, range.to).map((values) => readPatchRow(values, sid, id)),
  );
  const names = db.allValues(NAMES, own, from, to).map(([name]) => toText(name, "name", id));
  const last = segments.at(-1);
  const values = last && db.getValues(HEAD, last.sid, to);
  const stored = values && readHeadRow(values, last.sid, id).head;
  return { patches, names, head: stored ?? (to === seq ? head.content : null) };
}

/** Events at the start of a stream may be copies of other streams' events. */
function writersIn(db: Connection, row: StreamRow): CopiedStream["writers"] {
  return segmentsOf(row).flatMap(({ sid, from, to }) => {
    const copies = from === 1 ? db.allValues(COPIES, sid, to) : [];
    const writers = copies.map(([origin, upto]) => ({
      id: toText(origin, "origin", row.id),
      upto: toInteger(upto, "seq", row.id),
    }));
    const isRest = sid !== row.sid && (writers.at(-1)?.upto ?? 0) < to;
    return isRest ? [...writers, { id: idOf(db, sid, row.id), upto: to }] : writers;
  });
}

function eventsIn(db: Connection, { sid, from, to }: Segment): readonly Values[] {
  return db.allValues(RANGE, sid, from, to);
}

function toRaw(event: EventRow, stream: string, writer: string): RawEvent {
  const { seq, type, at, actor, trace_id, idem, digest, span, opens, row_key } = event;
  const meta = { seq, type, at, actor, interface: event.interface, trace_id };
  const keys = { idem, digest, span, opens, row_key };
  const { body, hash, origin } = event;
  return { stream, writer: origin ?? writer, meta: { ...meta, ...keys }, body, hash };
}

type Row = NonNullable<ReturnType<Connection["get"]>>;

function toTombstone(row: Row): CopiedTombstone {
  const id = textIn(row, "id", null);
  const [seq, at] = [integerIn(row, "seq", id), integerIn(row, "at", id)];
  return { id, seq, at, hash: textIn(row, "hash", id) };
}

function toBlob(row: Row, id: string): CopiedBlob {
  return {
    place: String(integerIn(row, "bid", id)),
    name: textIn(row, "digest", id),
    size: integerIn(row, "size", id),
    seq: integerIn(row, "seq", id),
  };
}

const LIVE_STREAMS = "SELECT sid, id FROM streams WHERE kind <> 'purged'";
const COUNT = `SELECT count(*) AS n FROM events JOIN streams USING (sid)
  WHERE origin IS NULL AND kind <> 'purged'`;
const PAGE = `SELECT pos, ${EVENT_VALUES} FROM events WHERE pos > ? AND origin IS NULL ORDER BY pos LIMIT 200`;
const RANGE = `SELECT ${EVENT_VALUES} FROM events WHERE sid = ? AND seq BETWEEN ? AND ? ORDER BY seq`;
const COPIES = `SELECT origin, max(seq) FROM events WHERE sid = ? AND seq <= ? AND origin IS NOT NULL
  GROUP BY origin ORDER BY 2`;
const TOMBSTONES = `SELECT id, seq, ${hexOf("hash")} AS hash, at FROM tombstones`;
const CUTS = `SELECT seq FROM heads WHERE sid = ? UNION SELECT seq FROM names WHERE sid = ?
  UNION SELECT seq FROM blob_holders WHERE sid = ?`;
const PATCHES = `SELECT ${PATCH_VALUES} FROM rows WHERE sid = ? AND seq BETWEEN ? AND ?`;
const NAMES = "SELECT name FROM names WHERE sid = ? AND seq BETWEEN ? AND ? ORDER BY pos, name";
const HEAD = `SELECT ${HEAD_VALUES} FROM heads WHERE sid = ? AND seq = ?`;
const HELD = `SELECT bid, seq, size, ${hexOf("digest")} AS digest FROM blob_holders JOIN blobs USING (bid)
  WHERE sid = ? AND digest IS NOT NULL`;
const CHUNK = "SELECT packed, sum, bytes FROM blob_chunks WHERE bid = ? AND nth = ?";
