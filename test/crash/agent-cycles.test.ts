import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { acpStarter } from "../../src/agent/acp/acp-connection.ts";
import { createContext } from "../../src/compose-context.ts";
import { createAgentCatalog } from "../../src/drive/agents/agent-catalog.ts";
import { createAgentRunner } from "../../src/drive/run/agent-runner.ts";
import { RUN_LIMITS } from "../../src/drive/run/run-context.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { bundleWorker, CACHE } from "./bundle-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const CYCLES = sampleSize({ full: 100, sample: 40 });
const caller: Caller = { owner: "local", actor: "test", interface: "library", trace_id: null };

it("an agent that is ended when idle and started again many times leaves nothing behind", async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, "work"));
  const args = [await bundleWorker("demo-agent")];
  const env = { BELAY_DEMO_FOLDER: join(home, "memory"), NODE_COMPILE_CACHE: CACHE };
  const agents = { agent: { command: process.execPath, args, env } };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents }));
  const store = await openSqliteStore({ folder: home, isAlive });
  const limits = { ...RUN_LIMITS, idle: 1, reap_every: 10 };
  const catalog = createAgentCatalog({ home, env: process.env, presets: {} });
  const parts = { starter: acpStarter, catalog, limits, driver: "test" };
  const runner = createAgentRunner(createContext(store), parts);
  const cycle = async (): Promise<void> => {
    const place = { id: "cycling" };
    for await (const event of runner.run(caller, { ...place, message: "/say again" })) {
      if (event.type === "error") throw new Error(event.message);
    }
    for (let waited = 0; children().length > 0; waited += 5) {
      if (waited > 20_000) throw new Error("the agent was not ended");
      await sleep(5);
    }
  };
  const first = await runner.converse(caller, { agent: "agent", session_id: "cycling", cwd: home });
  first.close();
  // Loaded code stays in memory.
  for (let nth = 0; nth < 10; nth += 1) await cycle();
  const before = measure();
  for (let nth = 0; nth < CYCLES; nth += 1) await cycle();
  const after = measure();
  say(
    `${CYCLES} starts and ends: file handles ${before.handles} -> ${after.handles}, memory ${before.megabytes} -> ${after.megabytes} MB`,
  );
  expect(after.handles).toBeLessThanOrEqual(before.handles + 1);
  expect(after.children).toBe(0);
  expect(after.megabytes).toBeLessThan(before.megabytes + (8 * CYCLES) / 100);
  const log = await loadStream(store, { kind: "session", owner: "local", key: "cycling" });
  expect(log?.head).toMatchObject({ status: "active", counts: { turns: CYCLES + 10 } });
  await runner.close();
  await store.close();
}, 300_000);

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function measure() {
  collectGarbage();
  return {
    handles: readdirSync("/proc/self/fd").length,
    children: children().length,
    megabytes: Math.round(process.memoryUsage().heapUsed / 1024 ** 2),
  };
}

function children(): string[] {
  return readdirSync("/proc/self/task").flatMap((task) => {
    const text = readFileSync(`/proc/self/task/${task}/children`, "utf8");
    return text.split(" ").filter(Boolean);
  });
}
