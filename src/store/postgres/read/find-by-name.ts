import type { NamedPlace, NamePage } from "../../stream-store.ts";
import type { Database } from "../database/database.ts";
import { isStorable } from "../database/storable-text.ts";
import { type FeedPlace, readCursor, writeCursor } from "./read-feed.ts";

interface NameColumns extends FeedPlace {
  readonly id: string;
  readonly seq: number;
}

export async function findByName(
  database: Database,
  owner: string,
  name: string,
  { limit, after = "" }: NamePage,
): Promise<NamedPlace[]> {
  const { era, xid, pos } = readCursor(after);
  if (!isStorable(owner) || !isStorable(name)) return [];
  const page = [owner, name, era, xid, pos, limit];
  const found = await database.query<NameColumns>(FIND, page);
  return found.map(({ id, seq, ...place }) => ({ id, seq, cursor: writeCursor(place) }));
}

const FIND = `SELECT n.era, n.xid, n.pos, s.id, n.seq FROM belay.names n JOIN belay.streams s USING (sid)
  WHERE n.owner = $1 AND n.name = $2 AND (n.era, n.xid, n.pos) > ($3, $4::text::xid8, $5)
  ORDER BY n.era, n.xid, n.pos LIMIT $6`;
