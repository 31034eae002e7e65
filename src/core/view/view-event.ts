import { isRecord } from "../../contract/is-record.ts";
import type { LogEvent } from "../../contract/session.ts";
import type { RawEvent } from "../session/known-events.ts";
import { iso } from "./view-session.ts";

/** An event as the interfaces show it. */
export function viewEvent(event: RawEvent & { readonly hash: string }): LogEvent {
  const { seq, type, at, actor, trace_id, data, hash } = event;
  return {
    seq,
    type,
    at: iso(at),
    actor,
    interface: event.interface,
    trace_id,
    data: isRecord(data) ? withoutSecrets(type, data) : {},
    hash,
  };
}

/**
 * The digest of the secret of a token or a link, and what is encrypted with it, are never shown, although nobody can
 * compute the secret from them.
 */
function withoutSecrets(
  type: string,
  data: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (type !== "token.created" && type !== "link.created") return { ...data };
  const { digest: _, hides: __, ...rest } = data;
  return rest;
}
