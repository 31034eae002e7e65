import type { CopyMarks } from "../../log/copy-source.ts";
import type { SqlSession } from "../database/database.ts";

export async function adoptMarks(session: SqlSession, marks: CopyMarks): Promise<void> {
  for (const { id, seq, hash, at } of marks.tombstones) {
    await session.query(BURY, [id, seq, hash, at]);
  }
  const raised = [...marks.epochs].filter(([, epoch]) => epoch > 0);
  const ids = raised.map(([id]) => id);
  await session.query(RAISE, [ids, raised.map(([, epoch]) => epoch)]);
}

const BURY = `INSERT INTO belay.tombstones (id, seq, hash, at) VALUES ($1, $2, decode($3, 'hex'), $4)
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at`;
const RAISE = `WITH raised AS (SELECT * FROM unnest($1::text[], $2::bigint[]) AS r(id, epoch))
  UPDATE belay.streams s SET epoch = r.epoch, holder = NULL, renewed = NULL
  FROM raised r WHERE s.id = r.id AND s.epoch < r.epoch`;
