import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { belay } from "../belay.ts";
import { requestRate } from "../http-load.ts";
import type { Lab } from "../lab.ts";
import { record } from "../measurements.ts";
import { seededSessions } from "../seeded-sessions.ts";
import { authorization, processorMs, serveBelay } from "../served.ts";

const SESSIONS = 100_000;
const LONGEST_MS = 60_000;

/** P11: the cost of an idle server with a lot of data, including its chores. */
export async function measureIdleServer(lab: Lab): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "belay-bench-"));
  const store = await belay.open(home);
  await store.seedSessions(seededSessions({ count: SESSIONS, agents: 23 }));
  await store.close();
  const served = await serveBelay(home);
  try {
    // Sends some requests first, so that it is not in its initial state.
    const path = "/sessions?limit=50&active_only=true";
    await requestRate(`${served.url}${path}`, authorization(home), { clients: 4, ms: 2000 });
    await untilSettled(served.pid);
    record(lab.measurements, belay.name, "server_busy_rss_mb", residentMegabytes(served.pid));
    const before = processorMs(served.pid);
    const began = performance.now();
    await sleep(lab.scale.idleMs);
    const share = (processorMs(served.pid) - before) / (performance.now() - began);
    record(lab.measurements, belay.name, "server_idle_cpu", share);
    record(lab.measurements, belay.name, "server_rss_mb", residentMegabytes(served.pid));
  } finally {
    await served.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The first pass over everything takes a while. */
async function untilSettled(pid: number): Promise<void> {
  let used = Number.NaN;
  for (let waited = 0; processorMs(pid) !== used && waited < LONGEST_MS; waited += 3000) {
    used = processorMs(pid);
    await sleep(3000);
  }
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
