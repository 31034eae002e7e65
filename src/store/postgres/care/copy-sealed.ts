import { LIMITS } from "../../../contract/limits.ts";
import type { Content } from "../../content.ts";
import type { ContentSealer, SealedWriter } from "../../content-sealer.ts";
import { type EventMeta, hashEvent, NO_HASH } from "../../log/hash-event.ts";
import { sealEvent } from "../../log/seal-event.ts";
import { readChunk, sumOfChunk } from "../blobs/stored-chunk.ts";
import { contentOf } from "../database/content-columns.ts";
import type { Database, SqlSession } from "../database/database.ts";
import { damaged } from "../database/postgres-error.ts";
import { WritePlan } from "../write/write-plan.ts";

/** All streams that have written events, ancestors first. */
export async function listWriters(from: SqlSession): Promise<SealedWriter[]> {
  const writers = new Map<string, SealedWriter>();
  for (const { id, owner, copies, base: parent, upto } of await from.query<Writer>(WRITERS)) {
    let base: SealedWriter["base"] = null;
    for (const [writer, seq] of copies ?? []) {
      if (writer === id) continue;
      if (!writers.has(writer)) writers.set(writer, { writer, owner, base });
      base = { writer, seq };
    }
    if (parent !== null && upto !== null) base = { writer: parent, seq: upto };
    writers.set(id, { writer: id, owner, base });
  }
  return [...writers.values()];
}

/**
 * Copies everything except tombstones, encrypted. Skips data that an interrupted call has copied. Numbers, positions
 * and times stay the same.
 */
export async function copySealed(
  from: SqlSession,
  to: Database,
  sealer: ContentSealer,
): Promise<void> {
  const copied = await to.query<{ sid: number }>("SELECT sid FROM belay.streams");
  const done = new Set(copied.map(({ sid }) => sid));
  for (const { sid } of await from.query<{ sid: number }>(WRITERS)) {
    if (done.has(sid)) continue;
    await to.transaction((session) => copyStream(from, session, sid, sealer));
  }
  await copyBlobs(from, to, sealer);
}

async function copyStream(
  from: SqlSession,
  to: SqlSession,
  sid: number,
  sealer: ContentSealer,
): Promise<void> {
  const [stream] = await from.query<{ row: StreamJson }>(STREAM, [sid]);
  if (!stream) return;
  const { row } = stream;
  const hash = await copyEvents(from, to, row, sealer);
  await copyIndexes(from, to, row, sealer);
  const { id, kind, key, seq, status, phase, agent, project, task } = row;
  if (kind === "purged") return insert(to, "streams", [{ ...row, hash }]);
  const texts = { status, phase, agent, interface: row.interface, project, task };
  const head = sealer.head({ writer: id, seq, streamKey: key }, toContent(row.head, row.bytes));
  await insert(to, "streams", [
    {
      ...row,
      ...sealer.listing(texts),
      key: sealer.streamKey(key),
      hash,
      head: null,
      bytes: toColumn(head),
    },
  ]);
}

/** Answers the hash of the last event. */
async function copyEvents(
  from: SqlSession,
  to: SqlSession,
  { sid, id, parent, parent_upto }: StreamJson,
  sealer: ContentSealer,
): Promise<string> {
  let before = await hashAt(from, parent, parent_upto);
  let hash = await hashAt(to, parent, parent_upto);
  for (let after = 0; ; ) {
    const page = await from.query<{ row: EventJson; is_key: boolean }>(EVENTS, [sid, after]);
    const last = page.at(-1);
    if (!last) return toHashColumn(hash);
    const events: object[] = [];
    const keys: object[] = [];
    for (const { row, is_key } of page) {
      const writer = row.origin ?? id;
      const body = toContent(row.body, row.bytes);
      before = hashEvent(before, writer, row, body);
      if (toHashColumn(before) !== row.hash) {
        throw damaged(id, `event ${row.seq} does not fit its hash`);
      }
      const original = row.origin === null ? undefined : await findCopied(to, writer, row.seq);
      const sealed = sealEvent(sealer, { writer, previous: hash }, row, body, original);
      const { idem } = sealed.meta;
      hash = sealed.hash;
      const content = { hash: toHashColumn(hash), body: null, bytes: toColumn(sealed.body) };
      events.push({ ...row, ...sealed.meta, ...content });
      if (is_key && idem !== null) {
        keys.push({ idem: toHashColumn(WritePlan.keyOf(idem)), sid, seq: row.seq });
      }
    }
    await insert(to, "events", events);
    await insert(to, "keys", keys);
    after = last.row.seq;
  }
}

/** The hash that the first own event of a stream continues. */
async function hashAt(
  session: SqlSession,
  sid: number | null,
  seq: number | null,
): Promise<string> {
  if (sid === null) return NO_HASH;
  const [event] = await session.query<{ hash: string }>(HASH, [sid, seq]);
  if (!event) throw damaged(null, `event ${seq} that a fork continues is missing`);
  return event.hash;
}

/** An event of another stream, if it is still there. */
async function findCopied(to: SqlSession, writer: string, seq: number) {
  const [found] = await to.query<{ hash: string; bytes: Uint8Array }>(COPIED, [writer, seq]);
  return found && { hash: found.hash, body: found.bytes };
}

async function copyIndexes(
  from: SqlSession,
  to: SqlSession,
  { sid, id, key, owner }: StreamJson,
  sealer: ContentSealer,
): Promise<void> {
  const patches = await from.query<{ row: PatchJson; origin: string | null }>(PATCHES, [sid]);
  const sealedPatches = patches.map(({ row, origin }) => {
    const data = toContent(row.data, row.bytes);
    const bytes = toColumn(sealer.patch(origin ?? id, { ...row, data }));
    return { ...row, key: sealer.rowKey(row.kind, row.key), data: null, bytes };
  });
  await insert(to, "rows", sealedPatches);
  const heads = await from.query<{ row: HeadJson; origin: string | null }>(HEADS, [sid]);
  const sealedHeads = heads.map(({ row, origin }) => {
    const place = { writer: origin ?? id, seq: row.seq, streamKey: key };
    const bytes = toColumn(sealer.head(place, toContent(row.head, row.bytes)));
    return { ...row, head: null, bytes };
  });
  await insert(to, "heads", sealedHeads);
  const names = await from.query<{ row: { name: string } }>(NAMES, [sid]);
  await insert(
    to,
    "names",
    names.map(({ row }) => ({ ...row, name: sealer.name(owner, row.name) })),
  );
}

/** Once for each stream that holds it, under the key of that stream. */
async function copyBlobs(from: SqlSession, to: Database, sealer: ContentSealer): Promise<void> {
  for (const { id, sid, bid, seq, size, digest } of await from.query<HeldBlob>(HELD)) {
    const coding = sealer.blob(id);
    const name = coding.nameOf(digest);
    await to.transaction(async (session) => {
      const [made] = await session.query<{ bid: number }>(NEW_BLOB, [name, size]);
      // An interrupted call has copied it.
      if (!made) return;
      for (let nth = 0; nth < Math.ceil(size / LIMITS.BLOB_CHUNK); nth += 1) {
        const damage = () => damaged(id, `a part of the file ${digest} is missing or was altered`);
        const chunk = await readChunk(from, bid, nth, damage);
        if (!chunk) throw damage();
        const bytes = Buffer.from(coding.encode(chunk, nth));
        const sum = sumOfChunk(made.bid, nth, bytes);
        await session.query(NEW_CHUNK, [made.bid, nth, bytes, sum]);
      }
      await session.query(NEW_HOLDER, [sid, made.bid, seq]);
    });
  }
}

async function insert(to: SqlSession, table: string, rows: readonly object[]): Promise<void> {
  const sql = `INSERT INTO belay.${table} SELECT * FROM json_populate_recordset(NULL::belay.${table}, $1)`;
  for (let start = 0; start < rows.length; start += PAGE) {
    await to.query(sql, [JSON.stringify(rows.slice(start, start + PAGE))]);
  }
}

/** The columns of a content in a row as JSON. */
function toContent(text: string | null, bytes: string | null): Content {
  return contentOf(text, bytes === null ? null : Buffer.from(bytes.slice(2), "hex"));
}

function toColumn(content: Content): string {
  return `\\x${Buffer.from(content).toString("hex")}`;
}

function toHashColumn(hex: string): string {
  return `\\x${hex}`;
}

interface Writer {
  readonly sid: number;
  readonly id: string;
  readonly owner: string;
  /** The streams whose events it starts with as copies, each with its last one. */
  readonly copies: readonly (readonly [writer: string, seq: number])[] | null;
  /** The stream that wrote the event before its own first one, and the seq of that event. */
  readonly base: string | null;
  readonly upto: number | null;
}

/** Rows as JSON: numbers and texts are exact, and bytes are texts. */
interface StreamJson {
  readonly sid: number;
  readonly id: string;
  readonly kind: string;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  readonly parent: number | null;
  readonly parent_upto: number | null;
  readonly status: string;
  readonly phase: string;
  readonly agent: string;
  readonly interface: string;
  readonly project: string;
  readonly task: string;
  readonly head: string | null;
  readonly bytes: string | null;
}
interface EventJson extends EventMeta {
  readonly hash: string;
  readonly origin: string | null;
  readonly body: string | null;
  readonly bytes: string | null;
}
interface PatchJson {
  readonly kind: string;
  readonly place: number;
  readonly nth: number;
  readonly seq: number;
  readonly key: string | null;
  readonly data: string | null;
  readonly bytes: string | null;
}
interface HeadJson {
  readonly seq: number;
  readonly head: string | null;
  readonly bytes: string | null;
}
interface HeldBlob {
  readonly id: string;
  readonly sid: number;
  readonly bid: number;
  readonly seq: number;
  readonly size: number;
  readonly digest: string;
}

const PAGE = 64;

/** In the order in which they were created. */
const WRITERS = `SELECT s.sid, s.id, s.owner, s.parent_upto AS upto,
    (SELECT coalesce(e.origin, p.id) FROM belay.events e JOIN belay.streams p USING (sid)
      WHERE e.sid = s.parent AND e.seq = s.parent_upto) AS base,
    (SELECT json_agg(json_build_array(o.origin, o.seq) ORDER BY o.seq) FROM (
      SELECT e.origin, max(e.seq) AS seq FROM belay.events e WHERE e.sid = s.sid AND e.origin IS NOT NULL
      GROUP BY e.origin) o) AS copies
  FROM belay.streams s
  JOIN LATERAL (SELECT e.era, e.xid, e.pos FROM belay.events e WHERE e.sid = s.sid ORDER BY e.seq LIMIT 1) f ON true
  ORDER BY f.era, f.xid, f.pos`;
const STREAM = "SELECT to_json(s) AS row FROM belay.streams s WHERE s.sid = $1";
const EVENTS = `SELECT to_json(e) AS row,
    e.idem IS NOT NULL AND EXISTS (SELECT 1 FROM belay.keys k WHERE k.sid = e.sid AND k.seq = e.seq) AS is_key
  FROM belay.events e WHERE e.sid = $1 AND e.seq > $2 ORDER BY e.seq LIMIT ${PAGE}`;
const HASH = "SELECT encode(hash, 'hex') AS hash FROM belay.events WHERE sid = $1 AND seq = $2";
const COPIED = `SELECT encode(e.hash, 'hex') AS hash, e.bytes FROM belay.events e JOIN belay.streams s USING (sid)
  WHERE s.id = $1 AND e.seq = $2`;
const ORIGIN =
  "(SELECT e.origin FROM belay.events e WHERE e.sid = t.sid AND e.seq = t.seq) AS origin";
const PATCHES = `SELECT to_json(t) AS row, ${ORIGIN} FROM belay.rows t WHERE t.sid = $1`;
const HEADS = `SELECT to_json(t) AS row, ${ORIGIN} FROM belay.heads t WHERE t.sid = $1`;
const NAMES = "SELECT to_json(n) AS row FROM belay.names n WHERE n.sid = $1";
const HELD = `SELECT s.id, h.sid, h.bid, h.seq, b.size, encode(b.digest, 'hex') AS digest
  FROM belay.blob_holders h JOIN belay.blobs b USING (bid) JOIN belay.streams s USING (sid)
  WHERE b.digest IS NOT NULL ORDER BY h.sid, h.bid`;
const NEW_BLOB = `INSERT INTO belay.blobs (digest, size, renewed) VALUES (decode($1, 'hex'), $2, NULL)
  ON CONFLICT DO NOTHING RETURNING bid`;
const NEW_CHUNK = "INSERT INTO belay.blob_chunks (bid, nth, bytes, sum) VALUES ($1, $2, $3, $4)";
const NEW_HOLDER = "INSERT INTO belay.blob_holders (sid, bid, seq) VALUES ($1, $2, $3)";
