import type { CheckedPatch } from "../append-rules.ts";
import type { Content } from "../content.ts";
import type { NewEvent } from "../stream-store.ts";
import type { DataKey } from "./key-ring.ts";
import { sealContent } from "./sealed-content.ts";

/* The parts of a stream, each encrypted for its place. */

/** The actor, the trace id and the row that the event opens are encrypted with its body. */
export function sealBody(
  key: DataKey,
  writer: string,
  { seq, actor, trace_id, row }: Omit<NewEvent, "data">,
  body: Content,
): Buffer {
  const extras = row ? [actor, trace_id, row.key, row.kind] : [actor, trace_id];
  return sealContent(key, { part: "body", writer, seq }, body, extras);
}

export function sealPatch(
  key: DataKey,
  writer: string,
  { kind, place, nth, seq, key: rowKey, data }: CheckedPatch,
): Buffer {
  const where = { part: "patch", writer, seq, item: { kind, place, nth } } as const;
  return sealContent(key, where, data, rowKey === null ? [] : [rowKey]);
}

/** The key of the stream is encrypted with its head, so that no other stream can be shown instead. */
export function sealHead(
  key: DataKey,
  { writer, seq, streamKey }: HeadPlace,
  head: Content,
): Buffer {
  return sealContent(key, { part: "head", writer, seq }, head, [streamKey]);
}

export interface HeadPlace {
  readonly writer: string;
  readonly seq: number;
  readonly streamKey: string;
}
