import type { FeedEvent } from "../../store/stream-store.ts";
import type { RunningChores } from "../chores/chores.ts";
import { follow } from "../follow-events.ts";
import type { DeliveryParts } from "./deliver-webhook.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { findWebhooks } from "./find-webhooks.ts";

const PAGE = 128;
const AGAIN_MS = 5000;

interface Running {
  readonly leave: AbortController;
  readonly ended: Promise<void>;
}

/** Sends to every webhook of every owner, each at its own pace, whichever process adds and removes them. */
export function startWebhooks(parts: DeliveryParts): RunningChores {
  const { store } = parts.context;
  const { log } = parts.listener;
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Map<string, Running>();

  const look = async (): Promise<void> => {
    const found = await findWebhooks(store, null);
    const active = new Map(found.map((each) => [each.webhook.id, each]));
    for (const [id, { leave }] of running) if (!active.has(id)) leave.abort();
    for (const [id, { owner, webhook }] of active) {
      if (webhook.parked || running.has(id) || signal.aborted) continue;
      const leave = new AbortController();
      running.set(id, { leave, ended: send(owner, id, leave) });
    }
  };

  const send = async (owner: string, id: string, leave: AbortController): Promise<void> => {
    const until = AbortSignal.any([signal, leave.signal]);
    try {
      await deliverWebhook(parts, owner, id, until);
    } catch (err) {
      log.error({ webhook_id: id, err }, "a webhook cannot be served and will be tried again");
      await parts.sleep(AGAIN_MS, until);
    }
    running.delete(id);
    // It may be wanted again since it was parked.
    if (!signal.aborted) await look().catch(failed);
  };

  const failed = (err: unknown): void => {
    log.error({ err }, "webhooks cannot be read and will be tried again");
  };

  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        let from = await store.feedEnd();
        await look();
        const changes = follow(store, signal, async (): Promise<readonly FeedEvent[]> => {
          const page = await store.readFeed(from, PAGE);
          if (page.events.length > 0) from = page.cursor;
          return page.events;
        });
        for await (const { kind, type } of changes) {
          if (kind === "system" && CHANGES.has(type)) await look();
        }
      } catch (err) {
        failed(err);
        await parts.sleep(AGAIN_MS, signal);
      }
    }
  };

  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

const CHANGES: ReadonlySet<string> = new Set([
  "webhook.added",
  "webhook.removed",
  "webhook.resumed",
]);
