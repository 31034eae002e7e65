import type { StreamStore } from "../../store/stream-store.ts";
import type { RunningChores } from "../chores/chores.ts";
import { pause } from "../chores/chores.ts";
import type { DeliveryParts } from "./deliver-webhook.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { findWebhooks } from "./find-webhooks.ts";
import { holdWebhook } from "./hold-webhook.ts";
import { mayHaveWebhooks } from "./may-have-webhooks.ts";
import { webhooksOf } from "./server-context.ts";

/** How soon a new webhook is noticed. Polling costs next to nothing if there are none. */
const LOOK_MS = 1000;
const AGAIN_MS = 10_000;
/** The interval at which this node tries to take a webhook from another node. */
const OTHERS_MS = 2000;

interface Running {
  readonly leave: AbortController;
  readonly ended: Promise<void>;
}

/** Sends to every webhook of every owner, each at its own pace, whichever process adds and removes them. */
export function startWebhooks(parts: DeliveryParts): RunningChores {
  const { log } = parts.listener;
  const { store } = parts.context;
  const { secrets } = webhooksOf(parts.context);
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Map<string, Running>();

  const send = async (owner: string, id: string, leave: AbortSignal): Promise<void> => {
    const until = AbortSignal.any([signal, leave]);
    try {
      const isOurs = await holdWebhook(store, id, until, (held, epoch) =>
        deliverWebhook({ ...parts, epoch }, owner, id, held),
      );
      if (!isOurs) await pause(OTHERS_MS, until);
    } catch (err) {
      log.error({ webhook_id: id, err }, "a webhook cannot be served and will be tried again");
      await pause(AGAIN_MS, until);
    }
    running.delete(id);
  };

  const look = async (): Promise<void> => {
    const found = await findWebhooks(store, null);
    const out = await restingOf(store, new Set(found.map(({ owner }) => owner)));
    // A node without the secret leaves the webhook to a node that has it.
    const isOurs = (id: string) => !store.nodes || secrets.read(id) !== null;
    const wanted = found.filter(
      ({ owner, webhook }) => !webhook.parked && !out.has(owner) && isOurs(webhook.id),
    );
    const ids = new Set(wanted.map(({ webhook }) => webhook.id));
    for (const [id, { leave }] of running) if (!ids.has(id)) leave.abort();
    for (const { owner, webhook } of wanted) {
      if (running.has(webhook.id) || signal.aborted) continue;
      const leave = new AbortController();
      running.set(webhook.id, { leave, ended: send(owner, webhook.id, leave.signal) });
    }
  };

  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await look().catch((err: unknown) =>
        log.error({ err }, "webhooks cannot be read and will be tried again"),
      );
      await pause(LOOK_MS, signal);
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

/** Finds the owners whose webhooks rest. */
async function restingOf(store: StreamStore, owners: Iterable<string>): Promise<Set<string>> {
  const out = new Set<string>();
  for (const owner of owners) if (!(await mayHaveWebhooks(store, owner))) out.add(owner);
  return out;
}
