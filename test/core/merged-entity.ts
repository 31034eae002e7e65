import type { NewRow } from "../../src/contract/stream.ts";
import { keepRows, rowsOf } from "./stored-rows.ts";

/** The merged result of all observations of a session. */
export function mergedEntity(rows: readonly NewRow[]) {
  const kept = keepRows(rows);
  const read = (kind: string) => rowsOf(kept, kind).map((row) => row.data);
  return { actions: read("action"), checkpoints: read("checkpoint"), outcomes: read("outcome") };
}
