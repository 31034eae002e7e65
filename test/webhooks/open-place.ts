import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import type { RunningChores } from "../../src/server/chores/chores.ts";
import { pause } from "../../src/server/chores/chores.ts";
import type { Resolve } from "../../src/server/webhooks/find-addresses.ts";
import { resolveFew } from "../../src/server/webhooks/find-addresses.ts";
import type { ServerContext } from "../../src/server/webhooks/server-context.ts";
import { startWebhooks } from "../../src/server/webhooks/start-webhooks.ts";
import { openSecrets } from "../../src/server/webhooks/webhook-secrets.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";

export interface WebhookPlace {
  readonly home: string;
  readonly service: BelayService;
  readonly context: ServerContext;
  /** The log as text. */
  readonly logged: string[];
  /** Sends until it is closed, or until the returned chores are stopped. */
  send(): RunningChores;
  /** With its clock, sleeping takes no time and moves the clock. */
  readonly clock: { now: number; slept: number[] };
  close(): Promise<void>;
}

export interface PlaceOptions {
  /** Sleeping takes no time, and time passes only by sleeping. */
  readonly fake?: true;
  readonly resolve?: Resolve;
  /** A store of another kind. */
  readonly store?: StreamStore;
  /** The folder with the secrets. */
  readonly home?: string;
}

/** A data folder and the sending part of a server over it. */
export async function openPlace(options: PlaceOptions = {}) {
  const { fake, resolve = resolveFew(2) } = options;
  const home = options.home ?? mkdtempSync(join(tmpdir(), "belay-webhooks-"));
  const store = options.store ?? (await openSqliteStore({ folder: home, isAlive }));
  const clock: WebhookPlace["clock"] = { now: Date.parse("2026-01-08T18:00:00Z"), slept: [] };
  const context: ServerContext = {
    ...createContext(store),
    ...(fake && { now: () => clock.now }),
    webhooks: { secrets: openSecrets(home), resolve },
  };
  const logged: string[] = [];
  const note = (fields: object, text: string) => void logged.push(JSON.stringify([fields, text]));
  const log = { debug: note, info: note, error: note };
  const running: RunningChores[] = [];
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    clock.slept.push(ms);
    clock.now += ms;
    // Lets other tasks run in between.
    await pause(1, signal);
  };
  const place: WebhookPlace = {
    home,
    context,
    service: createService(context),
    logged,
    clock,
    send() {
      const sending = startWebhooks({
        context,
        listener: { log, observe: () => {} },
        sleep: fake ? sleep : pause,
        random: () => 1,
      });
      running.push(sending);
      return sending;
    },
    async close() {
      for (const sending of running) await sending.stop();
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  opened.push(place);
  return place;
}

const opened: WebhookPlace[] = [];

export async function closePlaces(): Promise<void> {
  for (const place of opened.splice(0)) await place.close();
}

export function as(owner: string): Caller {
  return { owner, actor: `user:${owner}`, interface: "library", trace_id: null };
}

/** A session with this end. */
export async function endSession(
  { service }: Pick<WebhookPlace, "service">,
  session_id: string,
  outcome: "completed" | "failed" = "completed",
  owner = "ann",
): Promise<void> {
  await service.call("create", { agent_name: "elsewhere", session_id }, as(owner));
  await service.call("finalize", { id: session_id, outcome }, as(owner));
}
