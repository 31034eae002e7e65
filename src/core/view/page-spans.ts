import type { StoredRow } from "../../contract/stream.ts";
import type { SpanKind } from "../../contract/vocabulary.ts";

export type RowsByKind = Readonly<Record<SpanKind, readonly StoredRow[]>>;

export interface SpanPage {
  /** The place in the log where the page starts; null if it is the start of the log. */
  readonly earlier: number | null;
  readonly rows: RowsByKind;
}

/**
 * The newest items of each kind, as far back as all kinds reach. Older items of one kind come with
 * the earlier page, so that each item comes exactly once. `rows` has one more than `limit` if there
 * are more.
 */
export function pageSpans(rows: RowsByKind, limit: number): SpanPage {
  const earlier = Math.max(0, ...Object.values(rows).map((some) => reachOf(some, limit)));
  const within = (some: readonly StoredRow[]) => some.filter(({ place }) => place >= earlier);
  return {
    earlier: earlier > 0 ? earlier : null,
    rows: {
      // A phase or agent life that was under way at the start of the page began before it. There is
      // only one at a time.
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

/**
 * The place before which this kind has more rows; 0 if there are none. Items at the same place stay
 * together.
 */
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
