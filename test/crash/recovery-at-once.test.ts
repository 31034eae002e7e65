import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { MARKER_VARIABLE } from "../../src/process/process-tree.ts";
import { newId } from "../../src/service/new-id.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { bundleWorker, CACHE } from "./bundle-worker.ts";
import { runBelay, startWorker } from "./run-worker.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const caller = { owner: "local", actor: "test", interface: "library", trace_id: null } as const;

it("four recoveries at once over fifty interrupted sessions recover each once", async () => {
  const home = temporaryFolder();
  const ids = Array.from({ length: 50 }, (_, nth) => `stale-${String(nth).padStart(2, "0")}`);
  const store = await openSqliteStore({ folder: home, isAlive });
  // Declared long ago, without any sign of life since.
  const service = createService({ store, now: () => Date.now() - 3_600_000, newId });
  for (const [nth, id] of ids.entries()) {
    await service.call("create", { agent_name: "a", session_id: id }, caller);
    const effects = nth % 2 === 0 ? "local" : "remote";
    await service.call("begin_action", { id, type: "work", effects }, caller);
  }
  await store.close();
  const runs = await Promise.all(
    Array.from({ length: 4 }, () => runBelay(home, ["recover", "--json"])),
  );
  const recovered = runs.flatMap(({ code, stdout }) => {
    expect(code).toBe(0);
    return sessionsIn(stdout).filter(({ changed }) => changed);
  });
  expect(recovered.map(({ session_id }) => session_id).toSorted()).toEqual(ids);
  const after = await openSqliteStore({ folder: home, isAlive });
  const reader = createService({ store: after, now: Date.now, newId });
  for (const id of ids) {
    const { events } = await reader.call("log", { id }, caller);
    expect(events.filter(({ type }) => type === "session.recovered")).toHaveLength(1);
  }
  // Questions outlive every process, and stay the same.
  const { approvals } = await reader.call("list_approvals", {}, caller);
  expect(approvals).toHaveLength(25);
  await after.close();
  const again = await runBelay(home, ["recover", "--json"]);
  expect(sessionsIn(again.stdout)).toEqual([]);
});

it("recovery ends the processes of twenty killed agents, and no others", async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, "work"));
  const args = [await bundleWorker("demo-agent")];
  const env = { BELAY_DEMO_FOLDER: join(home, "memory"), NODE_COMPILE_CACHE: CACHE };
  const agent = { command: process.execPath, args, env, permissions: { "*": "allow" } };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents: { agent } }));
  process.env.AGENT_MAX_CONCURRENT_SESSIONS = "20";
  const bystander = spawn("sh", ["-c", "sleep 1000 & wait"], { stdio: "ignore", detached: true });
  const crowd = await startWorker("agent-crowd", [home, "20"]);
  await until(() => linesIn(join(home, "running.txt")) >= 20, 120_000);
  await until(() => processesOf(home).length >= 80, 60_000);
  const before = processesOf(home).length;
  crowd.kill("SIGKILL");
  await once(crowd, "exit");
  const killedAt = performance.now();
  const { code, stdout } = await runBelay(home, ["recover", "--json"]);
  const left = processesOf(home);
  const seconds = (performance.now() - killedAt) / 1000;
  say(
    `20 agents with ${before} processes: ${left.length} left ${seconds.toFixed(1)} s after the kill`,
  );
  expect(code).toBe(0);
  expect(left).toEqual([]);
  expect(seconds).toBeLessThan(30);
  expect(sessionsIn(stdout)).toHaveLength(20);
  for (const { approval_id } of sessionsIn(stdout)) expect(approval_id).toEqual(expect.any(String));
  expect(bystander.exitCode).toBeNull();
  expect(bystander.signalCode).toBeNull();
  process.kill(-(bystander.pid ?? 0), "SIGKILL");
  delete process.env.AGENT_MAX_CONCURRENT_SESSIONS;
});

interface Recovered {
  readonly session_id: string;
  readonly changed: boolean;
  readonly approval_id: string | null;
}

function sessionsIn(stdout: string): Recovered[] {
  return JSON.parse(stdout).sessions;
}

async function until(isSo: () => boolean, ms: number): Promise<void> {
  for (let waited = 0; !isSo(); waited += 50) {
    if (waited > ms) throw new Error("it did not come to that");
    await sleep(50);
  }
}

function linesIn(path: string): number {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

/** All processes that agents of this data folder have started. */
function processesOf(home: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      const variables = Number.isInteger(pid) ? environmentOf(pid) : [];
      return (
        variables.includes(`BELAY_HOME=${home}`) &&
        variables.some((variable) => variable.startsWith(MARKER_VARIABLE))
      );
    });
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
