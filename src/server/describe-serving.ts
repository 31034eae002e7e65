import { statSync } from "node:fs";
import type { NodeView } from "../store/node-registry.ts";
import type { Fact } from "../store/store-care.ts";
import type { StreamStore } from "../store/stream-store.ts";
import { loadServer } from "./serve-alone.ts";
import { readServerAddress, tokenFile } from "./server-files.ts";
import { findWebhooks } from "./webhooks/find-webhooks.ts";
import { secretsFile } from "./webhooks/webhook-secrets.ts";

/** The lines of `doctor` about the server and its data. */
export async function describeServing(store: StreamStore, home: string): Promise<Fact[]> {
  return [
    await describeServer(store, home),
    ...describeToken(home),
    ...(await describeWebhooks(store, home)),
  ];
}

async function describeServer(store: StreamStore, home: string): Promise<Fact> {
  if (store.nodes) return describeNodes(await store.nodes.list());
  const lease = (await loadServer(store))?.lease;
  const address = readServerAddress(home);
  if (lease?.live) {
    const value = `${address?.url ?? "starting"} (pid ${lease.holder.pid})`;
    return fact("server", value);
  }
  if (!address) return fact("server", "not running (belay serve)");
  const value = `ended unexpectedly (pid ${address.pid})`;
  return fact(
    "server",
    value,
    "run: belay serve (it also recovers interrupted sessions), or: belay recover",
  );
}

function describeNodes(nodes: readonly NodeView[]): Fact {
  const live = nodes.filter((node) => node.live);
  const names = live.map(describeNode).join(", ");
  const value = live.length === 0 ? "none is running (belay serve)" : `${live.length}: ${names}`;
  const gone = nodes.filter((node) => !node.live).map(({ name }) => name);
  const fix = `${gone.join(", ")} stopped without shutting down: restart it, or let other nodes take over its work`;
  return fact("nodes", value, gone.length > 0 ? fix : null);
}

function describeNode({ name, room }: NodeView): string {
  return room < 0 ? `${name} (shutting down)` : `${name} (room for ${room})`;
}

function describeToken(home: string): Fact[] {
  const file = tokenFile(home);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return [];
  const isPrivate = (mode & 0o077) === 0;
  const fix = isPrivate
    ? null
    : `others may have read it: rm ${file}, then find it with belay token list and revoke it`;
  return [fact("server token", isPrivate ? "only you can read it" : "others can read it", fix)];
}

/** Empty if there are no webhooks. */
async function describeWebhooks(store: StreamStore, home: string): Promise<Fact[]> {
  const webhooks = (await findWebhooks(store, null)).map(({ webhook }) => webhook);
  const file = secretsFile(home);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  const parked = webhooks.filter((webhook) => webhook.parked);
  const failing = webhooks.filter((webhook) => webhook.failing && !webhook.parked);
  const value = `${webhooks.length}, ${failing.length} failing, ${parked.length} parked`;
  const [first] = parked;
  const fix = first
    ? `${first.parked?.why}: fix the cause, then run: belay webhooks test ${first.id}`
    : null;
  return [
    ...(webhooks.length > 0 ? [fact("webhooks", value, fix)] : []),
    ...((mode & 0o077) === 0
      ? []
      : [
          fact(
            "webhook secrets",
            "others can read them",
            `chmod 600 ${file}, then remove the webhooks and add them again`,
          ),
        ]),
  ];
}

function fact(name: string, value: string, fix: string | null = null): Fact {
  return { name, value, ok: fix === null, fix };
}
