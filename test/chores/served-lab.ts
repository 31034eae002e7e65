import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acpStarter } from "../../src/agent/acp/acp-connection.ts";
import { composeCatalog } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { Input, OperationName } from "../../src/contract/operations.ts";
import type { RecoverySurroundings } from "../../src/drive/recovery/drive-context.ts";
import { PLAIN_RECOVERY } from "../../src/drive/recovery/drive-context.ts";
import type { AgentRunner } from "../../src/drive/run/agent-runner.ts";
import { createAgentRunner } from "../../src/drive/run/agent-runner.ts";
import type { RunLimits } from "../../src/drive/run/run-context.ts";
import { RUN_LIMITS } from "../../src/drive/run/run-context.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { afterEachTest } from "../clean-up.ts";
import { writeAgent } from "../run/run-lab.ts";
import { caller } from "./chores-lab.ts";

const leftovers: (() => Promise<void> | void)[] = [];
afterEachTest(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear();
});

export type ServedLab = Awaited<ReturnType<typeof openServedLab>>;

/** A server without its interfaces: it remembers which sessions were changed through it. */
export async function openServedLab(
  limits: Partial<RunLimits> = {},
  given?: string,
  recovery: Partial<RecoverySurroundings> = {},
) {
  const home = given ?? mkdtempSync(join(tmpdir(), "belay-served-"));
  if (given === undefined) {
    leftovers.push(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, "work"));
    writeAgent(home, {});
  }
  const real = await openSqliteStore({ folder: home, isAlive });
  const counted = new Map<string, number>();
  const count = (name: string) => counted.set(name, (counted.get(name) ?? 0) + 1);
  const store: StreamStore = {
    ...real,
    transact: (transaction) => {
      count("transact");
      return real.transact(transaction);
    },
    read: (reads, bytes) => {
      count("read");
      return real.read(reads, bytes);
    },
  };
  const served = new Set<string>();
  const base = {
    ...createContext(store),
    recovery: { ...PLAIN_RECOVERY, ...recovery },
    onChanged: async ({ stream }: { stream: { id: string } }) => void served.add(stream.id),
  };
  const runner: AgentRunner = createAgentRunner(base, {
    starter: acpStarter,
    catalog: composeCatalog(home),
    limits: { ...RUN_LIMITS, ...limits },
    driver: "server",
  });
  leftovers.push(async () => {
    await runner.close();
    await store.close();
  });
  const service = createService(runner.context);
  return {
    home,
    store,
    runner,
    served,
    /** How often each method of the store was called. */
    counted,
    shutDown: () => runner.suspendAll(caller("local"), "shutdown", served),
    call: <K extends OperationName>(name: K, input: Input<K>, owner = "local") =>
      service.call(name, input, { ...caller(owner), project: project(home) }),
    eventsOf: async (id: string, owner = "local") =>
      (await service.call("log", { id, limit: 1000 }, caller(owner))).events,
  };
}

function project(home: string) {
  return { cwd: join(home, "work"), repo: null, branch: null };
}
