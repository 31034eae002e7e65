import type { ListingColumns } from "../../listing-columns.ts";
import type { ExpectedIndex } from "../../store-care.ts";
import type { Database } from "../database/database.ts";

/** Describes how the stored list entry and names differ. Compares nothing if the stream was changed or purged meanwhile. */
export async function inspectIndex(
  database: Database,
  columns: ListingColumns,
  { id, seq, listing, names }: ExpectedIndex,
): Promise<string[]> {
  const [found] = await database.query<Indexed>(INDEXED, [id, seq, names]);
  if (!found) return [];
  const expected = Object.entries(columns.toColumns(listing));
  const changed = expected.flatMap(([column, value]) =>
    found.entry[column] === value ? [] : [column],
  );
  return [
    ...(changed.length > 0 ? [`its list entry does not match the log: ${changed.join(", ")}`] : []),
    ...(found.lost > 0 ? [`names that it is found by are missing: ${found.lost}`] : []),
  ];
}

interface Indexed {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly lost: number;
}

const INDEXED = `SELECT to_json(s) AS entry, (
    SELECT count(*) FROM unnest($3::text[]) AS w(name)
    WHERE NOT EXISTS (SELECT 1 FROM belay.names n WHERE n.sid = s.sid AND n.name = w.name)
  ) AS lost
  FROM (SELECT sid, status, phase, agent, interface, project, task, waiting, unsettled, pinned, created, activity
    FROM belay.streams WHERE id = $1 AND seq = $2 AND kind <> 'purged') s`;
