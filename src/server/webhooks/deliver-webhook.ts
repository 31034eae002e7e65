import type { SystemFact } from "../../contract/events.ts";
import type { WebhookState } from "../../contract/head.ts";
import type { FeedLine } from "../../contract/operations/past-operations.ts";
import { IMPORT_ACTOR } from "../../contract/reserved-actor.ts";
import { readableStore } from "../../service/access/readable-store.ts";
import { writeFeedPosition } from "../../service/follow/feed-position.ts";
import { readFeed } from "../../service/follow/follow-feed.ts";
import { recordSystemFact } from "../../service/record-system-fact.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import type { ChoreListener } from "../chores/chores.ts";
import { pause } from "../chores/chores.ts";
import { findRestart, isLost } from "./find-restart.ts";
import { loadWebhook } from "./find-webhooks.ts";
import { refuseStale } from "./hold-webhook.ts";
import { mayHaveWebhooks } from "./may-have-webhooks.ts";
import { isAcknowledged, postWebhook } from "./post-webhook.ts";
import type { ServerContext } from "./server-context.ts";
import { webhooksOf } from "./server-context.ts";
import { signWebhook } from "./sign-webhook.ts";
import { eventIdOf, writePayload } from "./webhook-payload.ts";

export interface DeliveryParts {
  readonly context: ServerContext;
  readonly listener: ChoreListener;
  /** Waits between two attempts, or until the signal. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
  /** The epoch of the webhook's lease; null if there is only one server. */
  readonly epoch?: number | null;
}

/** How soon a new event is noticed. Watching would be faster, but would cost more while idle. */
const LOOK_MS = 500;

/** The most events to skip before the cursor is stored. */
const WRITTEN_EVERY = 500;

/**
 * Sends events to one webhook, one at a time in the order of the feed. The cursor is stored after the acknowledgement,
 * so the next server starts with the first unacknowledged event. Ends when the webhook is parked or removed, or with
 * the signal.
 */
export async function deliverWebhook(
  parts: DeliveryParts,
  owner: string,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const webhook = await loadWebhook(parts.context.store, id);
  if (!webhook) return;
  const store = storeOf(parts, owner);
  let from = webhook.cursor;
  let passed = 0;

  const readNext = async (): Promise<FeedLine | null> => {
    for await (const { line, position } of readFeed(store, owner, from)) {
      if (signal.aborted) return null;
      if (line && isFor(webhook, line)) return line;
      from = writeFeedPosition(position);
      passed += 1;
      if (passed < WRITTEN_EVERY) continue;
      passed = 0;
      const data = { webhook_id: id, cursor: from };
      await record(parts, owner, { type: "webhook.advanced", data });
    }
    return null;
  };

  const findNext = async (): Promise<FeedLine | null> => {
    try {
      return await readNext();
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    const restart = await findRestart({ store: parts.context.store, owner, id }, store);
    parts.listener.log.error({ webhook_id: id, ...restart }, "the history under a webhook changed");
    const data = { webhook_id: id, ...restart };
    await record(parts, owner, { type: "webhook.advanced", data });
    from = restart.cursor;
    passed = 0;
    return readNext();
  };

  while (!signal.aborted) {
    const line = await findNext();
    if (!line) {
      await pause(LOOK_MS, signal);
      continue;
    }
    if (!(await deliverLine(parts, owner, id, line, signal))) return;
    from = line.cursor;
    passed = 0;
  }
}

/** The sessions that an owner may see: their own and those shared with them. */
function storeOf({ context }: DeliveryParts, owner: string): StreamStore {
  return readableStore(context, { owner, ...BELAY });
}

const BELAY = { actor: "belay", interface: "api", trace_id: null } as const;

/** Imported events happened earlier in another tool, so they are not sent. */
function isFor({ on }: WebhookState, { kind, type, actor }: FeedLine): boolean {
  if (kind !== "session" || actor.startsWith(IMPORT_ACTOR)) return false;
  return on.some((wanted) => wanted === type);
}

/** Retries until the event is acknowledged: true. False if nothing more may be sent. */
async function deliverLine(
  parts: DeliveryParts,
  owner: string,
  id: string,
  line: FeedLine,
  signal: AbortSignal,
): Promise<boolean> {
  const { context, listener } = parts;
  const { secrets, resolve } = webhooksOf(context);
  for (;;) {
    const webhook = await loadWebhook(context.store, id);
    if (!webhook || webhook.parked || signal.aborted) return false;
    if (!(await mayHaveWebhooks(context.store, owner))) return false;
    const body = await writePayload(storeOf(parts, owner), owner, line, webhook.redact);
    // The session was shared when the event happened and no longer is, so the event is skipped.
    if (body === null) {
      const data = { webhook_id: id, cursor: line.cursor };
      await record(parts, owner, { type: "webhook.advanced", data });
      return true;
    }
    const event_id = eventIdOf(line, webhook.redact);
    const failing = webhook.failing?.event_id === event_id ? webhook.failing : null;
    const wait = (failing?.next_at ?? 0) - context.now();
    if (wait > 0) {
      await parts.sleep(wait, signal);
      // The webhook may have been removed meanwhile.
      continue;
    }
    const secret = secrets.read(id);
    if (secret === null) {
      await park(parts, owner, id, "its secret is missing; remove the webhook and add it again");
      return false;
    }
    const headers = { ...signWebhook(secret, event_id, context.now(), body) };
    const { url, allow_private } = webhook;
    const posted = await postWebhook({ url, allow_private, headers, body }, resolve, signal);
    const attempt = (failing?.attempts ?? 0) + 1;
    const { status, duration_ms } = posted;
    const { type, id: session_id } = line;
    const told = { webhook_id: id, event_id, type, session_id, attempt, status };
    if (isAcknowledged(posted)) {
      const data = { ...told, cursor: line.cursor };
      await record(parts, owner, { type: "webhook.delivered", data });
      listener.observe("webhooks", "done", duration_ms, { delivered: 1 });
      return true;
    }
    // This server cancelled the request, which says nothing about the receiver.
    if (signal.aborted) return false;
    const now = context.now();
    const why = posted.why ?? "it was not acknowledged";
    const next_at = nextTry(now, attempt, parts.random());
    await record(parts, owner, { type: "webhook.failed", data: { ...told, why, next_at } });
    listener.observe("webhooks", "failed", duration_ms, { failed: 1 });
    listener.log.info({ ...told, why }, "a webhook delivery was not acknowledged");
    if (status === 410 || next_at - (failing?.since ?? now) > PATIENCE_MS) {
      await park(parts, owner, id, status === 410 ? GONE : `${why}, for a day`);
      return false;
    }
  }
}

const GONE = "it answered 410: the receiver wants no more";

async function park(parts: DeliveryParts, owner: string, id: string, why: string): Promise<void> {
  await record(parts, owner, { type: "webhook.parked", data: { webhook_id: id, why } });
  parts.listener.log.error({ webhook_id: id, why }, "a webhook is parked");
}

async function record(parts: DeliveryParts, owner: string, fact: SystemFact): Promise<void> {
  const { context, epoch = null } = parts;
  const caller = { owner, ...BELAY };
  await recordSystemFact(context, caller, fact, context.newId(), refuseStale(epoch));
}

const FIRST_MS = 5000;
const LONGEST_MS = 3_600_000;

/** How long one event is retried before a person must look. */
const PATIENCE_MS = 24 * 3_600_000;

/** Doubles the wait after each failure, up to an hour. `random` is from 0 to 1 and spreads the attempts. */
function nextTry(now: number, attempt: number, random: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(now + longest * (0.5 + random / 2));
}
