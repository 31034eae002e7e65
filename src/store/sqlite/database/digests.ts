import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Content } from "../../content.ts";
import type { NewEvent } from "../../stream-store.ts";

/** Before the first event of a stream that continues no other. */
export const NO_HASH = "0".repeat(64);

/** An event but for its body, which is hashed apart so that it can be erased while the chain still holds. */
export interface EventMeta extends Omit<NewEvent, "data" | "row"> {
  readonly idem: string | null;
  readonly digest: string | null;
  readonly span: number | null;
  /** The kind of the index row that the event opens, and that row's key. */
  readonly opens: string | null;
  readonly row_key: string | null;
  /** The event before it in its log that opened a row of this kind, 0 without any. Null unless it opens one. */
  readonly opened: number | null;
}

/** H(previous, meta, H(body)): hex in, hex out. */
export function hashOfEvent(
  previous: string,
  stream: string,
  event: EventMeta,
  body: Content,
): string {
  const { seq, type, at, actor, trace_id, idem, digest, span, opens, row_key } = event;
  const meta = JSON.stringify([
    stream,
    seq,
    type,
    at,
    actor,
    event.interface,
    trace_id,
    idem,
    digest,
    span,
    ...(opens === null ? [] : [opens, row_key]),
    ...(typeof body === "string" ? [] : [BYTES]),
  ]);
  // Both hashes have a fixed length, so nothing else makes this text.
  return hash("sha256", previous + meta + hash("sha256", body, "hex"), "hex");
}

/** Of everything in an event, to tell whether any of it was altered by accident. */
export function checksumOfEvent(
  stream: string,
  event: EventMeta,
  hash: string,
  body: Content,
): number {
  const { seq, type, at, actor, trace_id, idem, digest, span, opens, row_key, opened } = event;
  const key = `${idem ?? NULL}\0${digest ?? NULL}\0${span ?? NULL}`;
  const row = `${opens ?? NULL}\0${row_key ?? NULL}\0${opened ?? NULL}`;
  const meta = `${stream}\0${seq}\0${type}\0${at}\0${actor}\0${event.interface}\0${trace_id ?? NULL}\0${key}\0${row}\0${hash}`;
  return typeof body === "string"
    ? crc32(`${meta}\0${body}`)
    : crc32(body, crc32(`${meta}\0${BYTES}`));
}

/** No text of ours has it. */
const NULL = "\u0001";

/** Over all columns of a row, the last of which may be long: 64 bits of SHA-256 in hex. */
export function sumOf(columns: readonly (string | number | null)[], content: Content): string {
  const whole =
    typeof content === "string"
      ? JSON.stringify(columns) + content
      : Buffer.concat([Buffer.from(JSON.stringify([...columns, BYTES])), content]);
  return hash("sha256", whole, "hex").slice(0, 16);
}

/** Covered with contents that are bytes: one flipped bit can make bytes of a text. */
const BYTES = "bytes";
