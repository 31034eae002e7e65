import { hash } from "node:crypto";
import type { NewEvent } from "../stream-store.ts";

/** Before the first event of a stream that continues no other. */
export const NO_HASH = "0".repeat(64);

/** An event but for its body, which is hashed apart so that it can be erased while the chain still holds. */
export interface EventMeta extends Omit<NewEvent, "data"> {
  readonly idem: string | null;
  readonly digest: string | null;
  readonly span: number | null;
}

/** H(previous, meta, H(body)), in hex. */
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
  const ofBody = hash("sha256", body, "hex");
  const room = meta.length * 3 + 64;
  const bytes = room <= scratch.length ? scratch : Buffer.allocUnsafe(room);
  bytes.write(previous, 0, 32, "hex");
  const end = 32 + bytes.write(meta, 32, "utf8");
  bytes.write(ofBody, end, 32, "hex");
  return hash("sha256", bytes.subarray(0, end + 32), "hex");
}

/** Over all columns of a row, the last of which may be long: 64 bits of SHA-256 in hex. */
export function sumOf(columns: readonly (string | number | null)[], text: string): string {
  return hash("sha256", JSON.stringify(columns) + text, "hex").slice(0, 16);
}

const scratch = Buffer.allocUnsafe(8192);
