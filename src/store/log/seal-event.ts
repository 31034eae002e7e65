import type { Content } from "../content.ts";
import type { ContentSealer } from "../content-sealer.ts";
import { type EventMeta, hashEvent, idemOf } from "./hash-event.ts";

interface SealedEvent<Meta extends EventMeta> {
  readonly meta: Meta;
  readonly body: Content;
  readonly hash: string;
}

/**
 * An event as an encrypted store has it. A copy of another stream's event has the bytes and the hash that it has there, if
 * it is still there: `original`.
 */
export function sealEvent<Meta extends EventMeta>(
  sealer: ContentSealer,
  { writer, previous }: { readonly writer: string; readonly previous: string },
  event: Meta,
  body: Content,
  original?: { readonly body: Content; readonly hash: string },
): SealedEvent<Meta> {
  const { actor, trace_id, idem, digest, opens, row_key } = event;
  const idempotency = idem === null ? null : sealer.idempotency(readIdem(idem, digest));
  const meta = {
    ...event,
    actor: "",
    trace_id: null,
    idem: idempotency && idemOf(idempotency),
    digest: idempotency?.digest ?? null,
    row_key: opens === null ? null : sealer.rowKey(opens, row_key),
  };
  if (original) return { meta, body: original.body, hash: original.hash };
  const row = opens === null ? {} : { row: { kind: opens, key: row_key } };
  const sealed = sealer.body(writer, { ...event, actor, trace_id, ...row }, body);
  return { meta, body: sealed, hash: hashEvent(previous, writer, meta, sealed) };
}

function readIdem(idem: string, digest: string | null) {
  const [scope, key]: unknown[] = JSON.parse(idem);
  return { scope: String(scope), key: String(key), digest: digest ?? "" };
}
