import { isatty } from "node:tty";
import { type Logger, pino } from "pino";
import { composeAgents } from "./compose-agents.ts";
import { composeImports, createContext, settleFiles } from "./compose-context.ts";
import { recordsFolder } from "./compose-local.ts";
import { createService } from "./compose-service.ts";
import { openStore } from "./compose-store.ts";
import { escapeHidden } from "./contract/visible-text.ts";
import type { AgentRunner } from "./drive/run/agent-runner.ts";
import { type LiveAccess, liveAccess } from "./drive/run/live-access.ts";
import { LogOutput } from "./process/log-output.ts";
import type { ServerContext } from "./server/webhooks/server-context.ts";
import { filesLimit } from "./service/access/files-limit.ts";
import type { BelayService } from "./service/belay-service.ts";
import type { ImportAccess } from "./service/import-access.ts";
import { resumePolicy } from "./service/resume-policy.ts";
import type { StreamStore } from "./store/stream-store.ts";

/** All that tests may observe or replace. Nothing else differs from what users get. */
interface OpenSeams {
  readonly log?: Logger;
  wrap?(store: StreamStore): StreamStore;
}

/** The store that a server serves, with the service over it and the agents that it runs. */
export interface ServedApp {
  readonly home: string;
  /** The user who runs the server. */
  readonly owner: string;
  readonly cwd: string;
  readonly log: Logger;
  readonly output: LogOutput;
  readonly store: StreamStore;
  readonly service: BelayService;
  readonly runner: AgentRunner<ServerContext>;
  readonly live: LiveAccess;
  readonly imports: ImportAccess;
  /** The sessions to suspend when the server shuts down; others need no record. */
  readonly served: ReadonlySet<string>;
  failedMirrors(): number;
  close(): Promise<void>;
}

/** Opens the store of a data folder, the service over it, and its agents, for a server. */
export async function openServed(
  home: string,
  owner: string,
  { level = null, ...seams }: OpenSeams & { readonly level?: string | null } = {},
): Promise<ServedApp> {
  resumePolicy();
  filesLimit();
  const output = new LogOutput(2);
  const quiet = isatty(2) ? "warn" : "info";
  const log =
    seams.log ?? pino({ level: level ?? quiet, hooks: { streamWrite: escapeHidden } }, output);
  const opened = await openStore({ home, onNotice: (text) => log.warn(text) });
  const store = seams.wrap?.(opened) ?? opened;
  const served = new Set<string>();
  let failedMirrors = 0;
  const base = createContext(
    store,
    (text) => {
      failedMirrors += 1;
      log.warn(text);
    },
    recordsFolder(home, store),
  );
  const imports = composeImports(owner);
  const runner = composeAgents(
    home,
    {
      ...base,
      imports,
      async onChanged(changed) {
        if (changed.head.status === "active") served.add(changed.stream.id);
        else served.delete(changed.stream.id);
        await base.onChanged?.(changed);
      },
    },
    "api",
  );
  await settleFiles(home, store);
  return {
    home,
    owner,
    cwd: process.cwd(),
    log,
    output,
    store,
    service: createService(runner.context),
    runner,
    live: liveAccess(runner),
    imports,
    served,
    failedMirrors: () => failedMirrors,
    async close() {
      await runner.close();
      await store.close();
    },
  };
}
