import type { CheckedPatch } from "../../append-rules.ts";
import {
  contentOf,
  fromHex,
  hexOf,
  readContent,
  toColumns,
  toInteger,
  toText,
  toTextOrNull,
  type Values,
} from "./columns.ts";
import type { Connection } from "./connection.ts";
import { sumOf } from "./digests.ts";
import { damaged } from "./storage-error.ts";

/** One row of `rows`, with a verified checksum. */
export type PatchRow = CheckedPatch;

/** `values` are the columns of `PATCH_VALUES`. */
export function readPatchRow(values: Values, sid: number, stream: string): PatchRow {
  const [kind, place, nth, seq, key, sum, data] = values;
  const patch = {
    kind: toText(kind, "kind", stream),
    place: toInteger(place, "place", stream),
    nth: toInteger(nth, "nth", stream),
    seq: toInteger(seq, "seq", stream),
    key: toTextOrNull(key, "key", stream),
    data: readContent(data, "data", stream),
  };
  if (sumOfPatch(sid, patch) === sum) return patch;
  throw damaged(stream, `the ${patch.kind} at ${patch.place} was changed after it was written`);
}

export function insertPatchRow(db: Connection, sid: number, patch: PatchRow): void {
  const { kind, place, nth, seq, key, data } = patch;
  db.run(
    INSERT,
    sid,
    kind,
    place,
    nth,
    seq,
    key,
    fromHex(sumOfPatch(sid, patch)),
    ...toColumns(data),
  );
}

export const PATCH_VALUES = `kind, place, nth, seq, key, ${hexOf("sum")}, ${contentOf("data")}`;

const INSERT =
  "INSERT INTO rows (sid, kind, place, nth, seq, key, sum, data, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

function sumOfPatch(sid: number, { kind, place, nth, seq, key, data }: PatchRow): string {
  return sumOf([sid, kind, place, nth, seq, key], data);
}
