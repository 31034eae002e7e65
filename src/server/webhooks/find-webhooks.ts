import { BelayError, refuse } from "../../contract/errors.ts";
import type { AcceptedWebhookState, WebhookState } from "../../contract/head.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { acceptedKey } from "../../service/record-system-fact.ts";
import { listStreams, loadStream } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";

interface FoundWebhook {
  readonly owner: string;
  readonly webhook: WebhookState;
}
interface FoundAccepted {
  readonly owner: string;
  readonly accepts: AcceptedWebhookState;
}

/** The outgoing webhooks of an owner or, with null, of everyone. */
export async function findWebhooks(
  store: StreamStore,
  owner: string | null,
): Promise<FoundWebhook[]> {
  const filter = { key_prefix: "webhook:" };
  const streams = await listStreams(store, { kind: "system", owner, filter });
  return streams.flatMap((stream) => {
    const webhook = webhookIn(stream);
    return webhook ? [{ owner: stream.owner, webhook }] : [];
  });
}

/** The incoming webhooks of an owner or, with null, of everyone. */
export async function findAccepted(
  store: StreamStore,
  owner: string | null,
  name?: string,
): Promise<FoundAccepted[]> {
  const filter = { key_prefix: name === undefined ? "webhook-in:" : acceptedKey(name) };
  const streams = await listStreams(store, { kind: "system", owner, filter });
  return streams.flatMap((stream) => {
    const accepts = acceptedIn(stream);
    return accepts ? [{ owner: stream.owner, accepts }] : [];
  });
}

/** Null once it was removed. */
export async function loadWebhook(store: StreamStore, id: string): Promise<WebhookState | null> {
  return webhookIn(await loadStream(store, { id }));
}

export async function expectWebhook(
  store: StreamStore,
  owner: string,
  id: string,
): Promise<StoredStream & { readonly webhook: WebhookState }> {
  const stream = await loadStream(store, { id });
  const webhook = webhookIn(stream);
  if (!stream || !webhook || stream.owner !== owner) throw noWebhook(id);
  return { ...stream, webhook };
}

/** A webhook of either kind: by its id or, for an incoming one, by its name. */
export async function expectEither(
  store: StreamStore,
  owner: string,
  ref: string,
): Promise<{ readonly id: string; readonly name?: string }> {
  const stream = await loadStream(store, { id: ref });
  const own = stream?.owner === owner ? stream : undefined;
  const webhook = webhookIn(own);
  if (webhook) return { id: webhook.id };
  const named = await loadStream(store, { kind: "system", owner, key: acceptedKey(ref) });
  const accepts = acceptedIn(own) ?? acceptedIn(named);
  if (accepts) return { id: accepts.id, name: accepts.name };
  throw noWebhook(ref);
}

function noWebhook(id: string): BelayError {
  const message = `Webhook ${id} not found.`;
  return new BelayError(refuse("webhook_not_found", message, { id }));
}

function webhookIn(stream: StoredStream | undefined): WebhookState | null {
  const webhook = isSystemHead(stream?.head) ? stream.head.webhook : undefined;
  return webhook && webhook.removed_at === null ? webhook : null;
}

function acceptedIn(stream: StoredStream | undefined): AcceptedWebhookState | null {
  const accepts = isSystemHead(stream?.head) ? stream.head.accepts : undefined;
  return accepts && accepts.removed_at === null ? accepts : null;
}
