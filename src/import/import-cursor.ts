import type { SessionHead } from "../contract/head.ts";
import type { RowQuery, StoredRow } from "../contract/stream.ts";

/** How much of a conversation was imported into its session. */
export interface ImportCursor {
  readonly turns: number;
  /** The newest imported turn, and the number of its items. */
  readonly turn_id: string | null;
  readonly items: number;
  /** The number of turns of the session at that time; if it has more now, it was continued in Belay. */
  readonly counted: number;
}

/** The newest row with the cursor. */
export const CURSOR_ROW: RowQuery = { kind: "import", before: Number.MAX_SAFE_INTEGER, limit: 1 };

/** Null for a session that was not imported. A fork inherits its parent's rows, which do not apply to it. */
export function cursorIn(rows: readonly StoredRow[], head: SessionHead): ImportCursor | null {
  const data = rows.at(-1)?.data;
  if (!data || data.entity_id !== head.entity_id) return null;
  const { turns, turn_id, items, counted } = data;
  return {
    turns: Number(turns),
    turn_id: typeof turn_id === "string" ? turn_id : null,
    items: Number(items),
    counted: Number(counted),
  };
}
