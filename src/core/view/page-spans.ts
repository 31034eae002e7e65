import type { StoredRow } from "../../contract/stream.ts";
import type { SpanKind } from "../../contract/vocabulary.ts";

export type RowsByKind = Readonly<Record<SpanKind, readonly StoredRow[]>>;

export interface SpanPage {
  /** Where the page begins in the log; null when it goes back to the beginning. */
  readonly earlier: number | null;
  readonly rows: RowsByKind;
}

/**
 * The newest items of each kind, as far back as all kinds reach: an item that one kind still has and another would skip
 * comes with the page before, so that each comes once. `rows` has one more than `limit` where there are more.
 */
export function pageSpans(rows: RowsByKind, limit: number): SpanPage {
  const earlier = Math.max(0, ...Object.values(rows).map((some) => reachOf(some, limit)));
  const within = (some: readonly StoredRow[]) => some.filter(({ place }) => place >= earlier);
  return {
    earlier: earlier > 0 ? earlier : null,
    rows: {
      // What was under way where the page begins is seen only with what came before: of these there is one at a time.
      phase: fromLastBefore(rows.phase, earlier),
      life: fromLastBefore(rows.life, earlier),
      turn: within(rows.turn),
      action: within(rows.action),
      approval: within(rows.approval),
      checkpoint: within(rows.checkpoint),
      recovery: within(rows.recovery),
    },
  };
}

/** The place before which this kind has more; 0 where it has no more. Items of one place stay together. */
function reachOf(rows: readonly StoredRow[], limit: number): number {
  if (rows.length <= limit) return 0;
  const oldest = rows[0]?.place ?? 0;
  const rest = rows.filter(({ place }) => place > oldest);
  return rest.length >= limit ? (rest[0]?.place ?? 0) : oldest;
}

function fromLastBefore(rows: readonly StoredRow[], place: number): readonly StoredRow[] {
  const last = rows.findLastIndex((row) => row.place < place);
  return rows.slice(Math.max(0, last));
}
