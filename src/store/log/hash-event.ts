import { hash } from "node:crypto";
import type { Content } from "../content.ts";
import type { Idempotency, NewEvent } from "../stream-store.ts";

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
}

/** With the idempotency key of its transaction, if it is the first event of the first append, and how many that one has. */
export function metaOf(event: NewEvent, first: Idempotency | undefined, span: number): EventMeta {
  const { seq, type, at, actor, trace_id, row } = event;
  return {
    seq,
    type,
    at,
    actor,
    interface: event.interface,
    trace_id,
    idem: first ? idemOf(first) : null,
    digest: first?.digest ?? null,
    span: first ? span : null,
    opens: row?.kind ?? null,
    row_key: row?.key ?? null,
  };
}

/** H(previous, meta, H(body)): hex in, hex out. */
export function hashEvent(
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

/** Covered with contents that are bytes: one flipped bit can make bytes of a text. */
export const BYTES = "bytes";

/** Scope and key in one text that no other pair makes. */
export function idemOf({ scope, key }: Idempotency): string {
  return JSON.stringify([scope, key]);
}
