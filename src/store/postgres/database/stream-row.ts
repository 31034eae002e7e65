import { STREAM_KINDS, type StreamKind } from "../../../contract/vocabulary.ts";
import type { Content } from "../../content.ts";
import { describeLease, type KeptHolder, type LeaseClock } from "../../lease-rules.ts";
import type { Lineage } from "../../log/lineage.ts";
import type { StoredStream, StreamRef } from "../../stream-store.ts";
import { contentOf, parseContent } from "./content-columns.ts";
import type { SqlSession } from "./database.ts";
import { damaged } from "./postgres-error.ts";

/** The columns that are read from a row of `streams`. */
export interface StreamRow {
  readonly sid: number;
  readonly id: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  readonly hash: string;
  readonly lineage: Lineage;
  /** The epoch of the newest grant, which outlives its lease. */
  readonly epoch: number;
  readonly holder: KeptHolder | null;
  /** In stored form, so that readers cannot change it. */
  readonly head: Content;
  /** The same as a frozen value, if this node wrote it. */
  readonly shown?: unknown;
}

export interface StreamColumns {
  readonly sid: number;
  readonly id: string;
  readonly kind: string;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  readonly hash: string;
  readonly lineage: string | null;
  readonly epoch: number;
  readonly holder: string | null;
  readonly renewed: number | null;
  readonly head: string | null;
  readonly bytes: Uint8Array | null;
  /** The database's clock when the row was read. */
  readonly now: number;
}

export const STREAM_COLUMNS = `s.sid, s.id, s.kind, s.owner, s.key, s.seq, encode(s.hash, 'hex') AS hash, s.lineage,
  s.epoch, s.holder, CASE WHEN s.holder IS NOT NULL THEN belay.renewed_at(s.holder, s.renewed) END AS renewed, s.head, s.bytes, belay.now_ms() AS now`;

export function readStreamRow(columns: StreamColumns): StreamRow {
  const { sid, id, owner, key, seq, hash, lineage, epoch, holder, renewed, head, bytes } = columns;
  const kind = STREAM_KINDS.find((known) => known === columns.kind);
  if (kind === undefined) throw damaged(id, `its kind ${columns.kind} is unknown`);
  return {
    sid,
    id,
    kind,
    owner,
    key,
    seq,
    hash,
    lineage: lineage === null ? [] : JSON.parse(lineage),
    epoch,
    holder: holder === null ? null : { ...JSON.parse(holder), renewed: renewed ?? 0 },
    head: contentOf(head, bytes),
  };
}

/** The rows of these streams, in order; all as of one moment. */
export async function findStreamRows(
  session: SqlSession,
  refs: readonly StreamRef[],
): Promise<{ readonly rows: (StreamRow | undefined)[]; readonly now: number | undefined }> {
  const ids = refs.map((ref) => ("id" in ref ? ref.id : null));
  const kinds = refs.map((ref) => ("id" in ref ? null : ref.kind));
  const owners = refs.map((ref) => ("id" in ref ? null : ref.owner));
  const keys = refs.map((ref) => ("id" in ref ? null : ref.key));
  const rows = new Array<StreamRow | undefined>(refs.length).fill(undefined);
  let now: number | undefined;
  const found = await session.query<StreamColumns & { n: number }>(
    ids.includes(null) ? BY_REF : BY_ID,
    ids.includes(null) ? [ids, kinds, owners, keys] : [ids],
  );
  for (const columns of found) {
    rows[columns.n - 1] = readStreamRow(columns);
    now = columns.now;
  }
  return { rows, now };
}

/* The arrays are subqueries, because PostgreSQL would plan the query anew for arrays whose length it sees. */

const BY_ID = `SELECT r.n, ${STREAM_COLUMNS}
  FROM unnest((SELECT $1::text[])) WITH ORDINALITY AS r(id, n)
  JOIN belay.streams s ON s.id = r.id AND s.kind <> 'purged'`;

const BY_REF = `SELECT r.n, ${STREAM_COLUMNS}
  FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::text[]), (SELECT $4::text[]))
    WITH ORDINALITY AS r(id, kind, owner, key, n)
  JOIN LATERAL (
    SELECT * FROM belay.streams b WHERE r.id IS NOT NULL AND b.id = r.id AND b.kind <> 'purged'
    UNION ALL
    SELECT * FROM belay.streams b WHERE r.id IS NULL AND b.kind = r.kind AND b.owner = r.owner AND b.key = r.key
  ) s ON true`;

export function toStoredStream(
  row: StreamRow,
  clock: LeaseClock,
  head: unknown = parseContent(row.head, row.id),
): StoredStream {
  const { id, kind, owner, key, seq } = row;
  return { id, kind, owner, key, seq, head, lease: describeLease(row, clock) };
}
