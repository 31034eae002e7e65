import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createService } from "../../src/compose-service.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { belay } from "../belay.ts";
import { elapsedMs, type Lab } from "../lab.ts";
import { type Metric, record } from "../measurements.ts";
import { seededSessions } from "../seeded-sessions.ts";

const repository = join(import.meta.dirname, "..", "..");
const caller: Caller = { owner: "local", actor: "bench", interface: "library", trace_id: null };
const HOUR = 3_600_000;

/** P8: the claims of the first session tool, measured here. */
export async function measureClaims(lab: Lab): Promise<void> {
  for (let round = 0; round < lab.scale.claimRounds; round++) {
    await inFolder((folder) => cleanUp(folder, keep(lab)));
  }
  await inFolder((folder) => listAndCheck(folder, keep(lab), lab.scale.claimRounds));
}

type Keep = (metric: Metric, value: number) => void;

function keep(lab: Lab): Keep {
  return (metric, value) => record(lab.measurements, belay.name, metric, value);
}

async function cleanUp(folder: string, note: Keep): Promise<void> {
  const contender = await belay.open(folder);
  await contender.seedSessions(seededSessions({ count: 1000, agents: 10 }));
  const empty = await contender.diskBytes();
  await contender.close();
  const store = await openSqliteStore({ folder, isAlive: () => true });
  const later = Date.now() + 48 * HOUR;
  const service = createService({ store, now: () => later, newId });
  note("cleanup_ms", await elapsedMs(() => service.call("cleanup", { hours: 24 }, caller)));
  note("session_bytes", empty / 1000);
  await store.close();
}

async function listAndCheck(folder: string, note: Keep, rounds: number): Promise<void> {
  const [home, installed] = [join(folder, "home"), join(folder, "installed")];
  mkdirSync(home, { mode: 0o700 });
  const contender = await belay.open(home);
  await contender.seedSessions(seededSessions({ count: 10_000, agents: 10 }));
  await contender.close();
  const bin = install(installed);
  const env = { ...process.env, BELAY_HOME: home };
  const list = () => {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, [bin, "list"], { env });
    if (status !== 0) throw new Error(`list exited ${status}`);
    return performance.now() - start;
  };
  // The first command stores compiled code.
  list();
  for (let round = 0; round < rounds; round++) {
    note("list_process_ms", list());
    const store = await openSqliteStore({ folder: home, isAlive: () => true });
    const service = createService({ store, now: Date.now, newId });
    const check = () => service.call("should_resume", { id: "session-00000010" }, caller);
    await check();
    note("resume_check_ms", await elapsedMs(check));
    await store.close();
  }
}

/** Copies the program as the package has it: in a checkout it would look for newer sources first. */
function install(folder: string): string {
  for (const part of ["bin", "dist/node", "package.json"]) {
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  }
  return join(folder, "bin", "belay.mjs");
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "belay-bench-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
