import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Content } from "../../content.ts";
import { BYTES, type EventMeta } from "../../log/hash-event.ts";

/** The columns of an event besides its body. */
export interface LoggedMeta extends EventMeta {
  /**
   * The previous event in the log that opened a row of this kind, 0 if there is none. Null if this
   * event opens none.
   */
  readonly opened: number | null;
}

/** A checksum over everything in an event, to detect accidental changes. */
export function checksumOfEvent(
  stream: string,
  event: LoggedMeta,
  hash: string,
  body: Content,
): number {
  const { seq, type, at, actor, trace_id, idem, digest, span, opens, row_key, opened } = event;
  const key = `${idem ?? NULL}\0${digest ?? NULL}\0${span ?? NULL}`;
  const row = `${opens ?? NULL}\0${row_key ?? NULL}\0${opened ?? NULL}`;
  const meta = `${stream}\0${seq}\0${type}\0${at}\0${actor}\0${event.interface}\0${trace_id ?? NULL}\0${key}\0${row}\0${hash}`;
  // Two calls, so that the body is not copied to join it with its meta.
  return crc32(body, crc32(typeof body === "string" ? `${meta}\0` : `${meta}\0${BYTES}`));
}

/** Stands for null. No text of ours contains it. */
const NULL = "\u0001";

/**
 * A checksum over all columns of a row, the last of which may be long: 64 bits of SHA-256 in hex.
 */
export function sumOf(columns: readonly (string | number | null)[], content: Content): string {
  const whole =
    typeof content === "string"
      ? JSON.stringify(columns) + content
      : Buffer.concat([Buffer.from(JSON.stringify([...columns, BYTES])), content]);
  return hash("sha256", whole, "hex").slice(0, 16);
}
