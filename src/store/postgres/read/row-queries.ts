/* The patches of a stream are separate rows, and events that open a row themselves. */

const SEGMENTS =
  "unnest((SELECT $1::bigint[]), (SELECT $2::bigint[]), (SELECT $3::bigint[])) AS g(sid, lo, hi)";
const COLUMNS = "p.place, p.nth, p.seq, p.key, p.data, p.bytes, coalesce(o.origin, w.id) AS writer";

/** The writer of the event wrote the patch: a copy names its origin. */
const WRITER = `JOIN belay.streams w ON w.sid = p.sid
  LEFT JOIN belay.events o ON o.sid = p.sid AND o.seq = p.seq AND o.origin IS NOT NULL`;

const ofRow = (kind: string, after: string, before: string) =>
  `r.sid = g.sid AND r.kind = ${kind} AND r.place > ${after} AND r.place < ${before} AND r.seq BETWEEN g.lo AND g.hi`;
const ofEvent = (kind: string, after: string, before: string) =>
  `e.sid = g.sid AND e.opens = ${kind} AND e.seq > ${after} AND e.seq < ${before} AND e.seq BETWEEN g.lo AND g.hi`;
const OF_ROW = ofRow("$4", "$5", "$6");
const OF_EVENT = ofEvent("$4", "$5", "$6");
const ORDER = "ORDER BY p.place, p.nth, p.seq";

function patchesIn(segments: string, rows: string, events: string): string {
  return `${segments} CROSS JOIN LATERAL (
    SELECT r.sid, r.place, r.nth, r.seq, r.key, r.data, r.bytes FROM belay.rows r WHERE ${rows}
    UNION ALL
    SELECT e.sid, e.seq, 0, e.seq, e.row_key, e.body, e.bytes FROM belay.events e WHERE ${events}
  ) p`;
}

function patchesWhere(rows: string, events: string): string {
  return patchesIn(SEGMENTS, `${OF_ROW} ${rows}`, `${OF_EVENT} ${events}`);
}

/** The patches of many queries without a limit, each of them in its own segments. */
export const WHOLE = `SELECT g.n, ${COLUMNS} FROM ${patchesIn(
  `unnest((SELECT $1::bigint[]), (SELECT $2::bigint[]), (SELECT $3::bigint[]), (SELECT $4::integer[]),
    (SELECT $5::text[]), (SELECT $6::bigint[]), (SELECT $7::bigint[])) AS g(sid, lo, hi, n, kind, after, before)`,
  ofRow("g.kind", "g.after", "g.before"),
  ofEvent("g.kind", "g.after", "g.before"),
)} ${WRITER} ORDER BY g.n, p.place, p.nth, p.seq`;

/** The place of the last item of a page is found first, in each segment separately. */
function pageOf(direction: "ASC" | "DESC"): string {
  const [edge, isWithin] = direction === "ASC" ? ["max", "<="] : ["min", ">="];
  const sort = `ORDER BY place ${direction}, nth ${direction} LIMIT $7`;
  const patches = patchesWhere(
    `AND r.place ${isWithin} edge.place`,
    `AND e.seq ${isWithin} edge.place`,
  );
  return `WITH edge AS (
    SELECT ${edge}(place) AS place FROM (
      SELECT DISTINCT place, nth FROM ${SEGMENTS} CROSS JOIN LATERAL (
        (SELECT DISTINCT r.place, r.nth FROM belay.rows r WHERE ${OF_ROW} ${sort})
        UNION ALL
        (SELECT e.seq AS place, 0 AS nth FROM belay.events e WHERE ${OF_EVENT} ORDER BY e.seq ${direction} LIMIT $7)
      ) i ${sort}
    ) items
  )
  SELECT ${COLUMNS} FROM edge, ${patches} ${WRITER} ${ORDER}`;
}

export const PAGE_FORWARDS = pageOf("ASC");
export const PAGE_BACKWARDS = pageOf("DESC");

const PATCHES_OF_KEY = patchesWhere(
  "AND r.place = k.place AND r.nth = k.nth",
  "AND e.seq = k.place AND k.nth = 0",
);

export const KEYED = `WITH keyed AS (
    SELECT r.place, r.nth FROM ${SEGMENTS} JOIN belay.rows r
      ON r.sid = g.sid AND r.kind = $4 AND r.key = $7 AND r.seq BETWEEN g.lo AND g.hi
    UNION
    SELECT e.seq, 0 FROM ${SEGMENTS} JOIN belay.events e
      ON e.sid = g.sid AND e.opens = $4 AND e.row_key = $7 AND e.seq BETWEEN g.lo AND g.hi
  )
  SELECT ${COLUMNS} FROM keyed k, ${PATCHES_OF_KEY} ${WRITER} ${ORDER}`;
