import { hexOf } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { sumOf } from "../digests.ts";

/**
 * Marks pinned streams, so that lists can start with them. Sessions pinned earlier are found
 * through their heads; a damaged row stays unchanged.
 */
export function pinned(db: Connection): void {
  db.exec(`
ALTER TABLE streams ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX streams_pinned ON streams (kind, owner, status, activity) WHERE pinned = 1;
`);
  for (const [sum, head, unsettled, ...values] of db.allValues(PINNED)) {
    const columns = [...values, ...(unsettled === 1 ? [] : [unsettled])].map(toColumn);
    if (typeof head !== "string" || sumOf(columns, head) !== sum) continue;
    const marked = Buffer.from(sumOf([...columns, "pinned"], head), "hex");
    db.run("UPDATE streams SET pinned = 1, sum = ? WHERE sid = ?", marked, columns[0] ?? null);
  }
}

/** The columns of a checksum in the order of schema 2. */
const PINNED = `SELECT ${hexOf("sum")}, head, unsettled, sid, id, kind, owner, key, seq, ${hexOf("hash")}, lineage, epoch,
  holder, status, phase, agent, interface, project, task, waiting, created, activity
  FROM streams WHERE kind = 'session' AND CASE WHEN json_valid(head) THEN json_extract(head, '$.pinned') = 1 END`;

function toColumn(value: unknown): string | number | null {
  return typeof value === "string" || typeof value === "number" ? value : null;
}
