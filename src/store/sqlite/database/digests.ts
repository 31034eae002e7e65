import { hash } from "node:crypto";
import type { NewEvent } from "../../stream-store.ts";

/** Before the first event of a stream that continues no other. */
export const NO_HASH = "0".repeat(64);

/** An event but for its body, which is hashed apart so that it can be erased while the chain still holds. */
export interface EventMeta extends Omit<NewEvent, "data"> {
  readonly idem: string | null;
  readonly digest: string | null;
  readonly span: number | null;
}

/** H(previous, meta, H(body)): hex in, hex out. */
export function hashOfEvent(
  previous: string,
  stream: string,
  event: EventMeta,
  body: string,
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
  ]);
  // Both hashes have a fixed length, so nothing else makes this text.
  return hash("sha256", previous + meta + hash("sha256", body, "hex"), "hex");
}

/** Over all columns of a row, the last of which may be long: 64 bits of SHA-256 in hex. */
export function sumOf(columns: readonly (string | number | null)[], text: string): string {
  return hash("sha256", JSON.stringify(columns) + text, "hex").slice(0, 16);
}
