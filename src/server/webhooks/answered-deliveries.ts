import { BelayError, refuse } from "../../contract/errors.ts";
import type { AcceptedWebhookState } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import { digestOf } from "../../service/access/secret-digest.ts";
import { idempotencyOf } from "../../service/idempotency.ts";
import { acceptedStream, recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { readEvents } from "../../store/read-streams.ts";

/** The answer to a delivery. */
interface RecordedAnswer {
  readonly session_id: string;
  readonly turn_id: string;
}

/** A delivery and its message. */
interface Delivery {
  readonly accepts: AcceptedWebhookState;
  readonly key: string;
  readonly message: string;
}

const OPERATION = "webhook.taken";

/**
 * The earlier answer to a delivery, whatever happened to its session since; null for a new one. It is in the webhook's
 * log, which outlives sessions, so replaying a signed request starts nothing.
 */
export async function findAnswer(
  { store }: ServiceContext,
  caller: Caller,
  { accepts, key, message }: Delivery,
): Promise<RecordedAnswer | null> {
  const outcome = await store.transact({
    streams: [acceptedStream(caller.owner, accepts.name)],
    idempotency: idempotencyOf(caller, { operation: OPERATION, key, request: key }),
    // Appends nothing, so a new key is not used up.
    decide: () => ({ appends: [] }),
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
  if (outcome.kind !== "replayed") return null;
  const [event] = await readEvents(store, outcome.id, { after: outcome.from - 1, limit: 1 });
  const { session_id, turn_id, digest } = isRecord(event?.data) ? event.data : {};
  if (digest !== digestOf(message)) {
    const conflict = "This delivery id was used for another message. Send it with a new id.";
    throw new BelayError(refuse("idempotency_conflict", conflict));
  }
  if (typeof session_id !== "string" || typeof turn_id !== "string") return null;
  return { session_id, turn_id };
}

export async function recordAnswer(
  context: ServiceContext,
  caller: Caller,
  { accepts: { id: webhook_id, name }, key, message }: Delivery,
  { session_id, turn_id }: RecordedAnswer,
): Promise<void> {
  const data = { webhook_id, name, session_id, turn_id, digest: digestOf(message) };
  await recordSystemFact(context, caller, { type: OPERATION, data }, key);
}
