import { hash } from "node:crypto";
import type { Content } from "../content.ts";
import type { Idempotency, NewEvent } from "../stream-store.ts";

/** The previous hash of the first event in a stream without a base. */
export const NO_HASH = "0".repeat(64);

/**
 * An event without its body. The body is hashed separately, so that it can be erased while the
 * chain still verifies.
 */
export interface EventMeta extends Omit<NewEvent, "data" | "row"> {
  readonly idem: string | null;
  readonly digest: string | null;
  readonly span: number | null;
  /** The kind of the index row that the event opens, and that row's key. */
  readonly opens: string | null;
  readonly row_key: string | null;
}

/**
 * Builds the metadata. The first event of the first append also holds the transaction's idempotency
 * key and the number of events.
 */
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

/** H(previous, meta, H(body)), in hex. */
export function hashEvent(
  previous: string,
  stream: string,
  event: EventMeta,
  body: Content,
): string {
  const { seq, type, at, actor, trace_id, idem, digest, span, opens, row_key } = event;
  const fields = [stream, seq, type, at, actor, event.interface, trace_id, idem, digest, span];
  if (opens !== null) fields.push(opens, row_key);
  if (typeof body !== "string") fields.push(BYTES);
  const meta = JSON.stringify(fields);
  // Both hashes have a fixed length, so the text is unambiguous.
  return hash("sha256", previous + meta + hash("sha256", body, "hex"), "hex");
}

/** Part of the hash of byte contents, because one flipped bit can turn a text into bytes. */
export const BYTES = "bytes";

/** Scope and key as one unambiguous text. */
export function idemOf({ scope, key }: Idempotency): string {
  return JSON.stringify([scope, key]);
}
