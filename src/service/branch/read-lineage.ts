import type { LogRange } from "../../contract/branch/merged-work.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { Lineage } from "../../core/branch/lineage.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { readHeadAt } from "../read/read-head-at.ts";

/** The owners of a log's events up to a place. Read from the log itself, because an ancestor may be purged. */
export async function readLineage(
  store: StreamStore,
  id: string,
  head: SessionHead,
  to: number,
): Promise<Lineage> {
  const ranges: LogRange[] = [];
  let seq = to;
  let owner: SessionHead | null = head;
  // A place in inherited history belongs to the stream that wrote it.
  while (owner?.parent && owner.parent.seq >= seq) owner = await readHeadAt(store, id, seq);
  while (owner) {
    const { session_id, entity_id, parent } = owner;
    ranges.unshift({ session_id, entity_id, after: parent?.seq ?? 0, to: seq });
    if (!parent) break;
    seq = parent.seq;
    owner = await readHeadAt(store, id, seq);
  }
  return ranges;
}
