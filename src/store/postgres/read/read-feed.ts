import { STREAM_KINDS } from "../../../contract/vocabulary.ts";
import { invalidCursor } from "../../page-rules.ts";
import type { FeedEvent, FeedPage, FeedQuery } from "../../stream-store.ts";
import { contentOf, parseContent } from "../database/content-columns.ts";
import type { Database } from "../database/database.ts";
import { damaged } from "../database/postgres-error.ts";

/** A place in the order of the feed: positions count within a transaction, transactions within an era. */
export interface FeedPlace {
  readonly era: number;
  readonly xid: string;
  readonly pos: number;
}

/** Every transaction before it is over, and every later commit comes after it. */
export type FeedEnd = Omit<FeedPlace, "pos">;

interface FeedColumns extends FeedPlace {
  readonly stream: string;
  readonly kind: string;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: string | null;
  readonly hash: string;
  readonly body: string | null;
  readonly bytes: Uint8Array | null;
}

export async function readFeed(
  database: Database,
  { after, limit, bytes }: FeedQuery,
): Promise<FeedPage> {
  if (after === null) {
    const cursor = writeCursor({ ...(await readFeedEnd(database)), pos: -1 });
    return { events: [], cursor };
  }
  const { era, xid, pos } = readCursor(after);
  const page = [era, xid, pos, limit, bytes ?? null];
  const found = await database.query<FeedColumns>(READ, page);
  const last = found.at(-1);
  return { events: found.map(toFeedEvent), cursor: last ? writeCursor(last) : after };
}

export async function readFeedEnd(database: Database): Promise<FeedEnd> {
  const [end] = await database.query<FeedEnd>(END);
  if (!end) throw damaged(null, "it has no era");
  return end;
}

const END = "SELECT era, xid FROM belay.feed_end()";
const READ = "SELECT * FROM belay.read_feed($1, $2::text::xid8, $3, $4, $5)";

function toFeedEvent(columns: FeedColumns): FeedEvent {
  const { stream, owner, key, seq, type, at, actor, trace_id, hash, body, bytes } = columns;
  const kind = STREAM_KINDS.find((known) => known === columns.kind);
  if (kind === undefined) throw damaged(stream, `its kind ${columns.kind} is unknown`);
  const data = parseContent(contentOf(body, bytes), stream);
  const event = { seq, type, at, actor, interface: columns.interface, trace_id, data, hash };
  return { ...event, writer: stream, stream, kind, owner, key };
}

export function writeCursor({ era, xid, pos }: FeedPlace): string {
  return `${era}.${xid}.${pos}`;
}

export function readCursor(cursor: string): FeedPlace {
  if (cursor === "") return { era: 0, xid: "0", pos: 0 };
  const [, era, xid, pos] = /^(\d{1,9})\.(\d{1,19})\.(-1|\d{1,9})$/.exec(cursor) ?? [];
  if (era === undefined || xid === undefined || pos === undefined) throw invalidCursor(cursor);
  return { era: Number(era), xid, pos: Number(pos) };
}
