import { hash } from "node:crypto";
import type { Content } from "../../content.ts";
import type { NewEvent } from "../../stream-store.ts";

/** Before the first event of a stream that continues no other. */
export const NO_HASH = "0".repeat(64);

/** An event but for its body, which is hashed apart so that it can be erased while the chain still holds. */
export interface EventMeta extends Omit<NewEvent, "data" | "row"> {
  readonly idem: string | null;
  readonly digest: string | null;
  readonly span: number | null;
}

/** H(previous, meta, H(body)): hex in, hex out. */
export function hashOfEvent(
  previous: string,
  stream: string,
  event: EventMeta,
  body: Content,
): string {
  const { seq, type, at, actor, trace_id, idem, digest, span } = event;
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
    ...(typeof body === "string" ? [] : [BYTES]),
  ]);
  // Both hashes have a fixed length, so nothing else makes this text.
  return hash("sha256", previous + meta + hash("sha256", body, "hex"), "hex");
}

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
