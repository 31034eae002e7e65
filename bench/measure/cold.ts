import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { record } from "../measurements.ts";
import { seededSessions } from "../seeded-sessions.ts";
import { turnTexts } from "../turns.ts";

const SESSIONS = 50_000;
const METRICS = [
  "list_cold_ms",
  "list_first_ms",
  "resume_first_ms",
  "append_first_ms",
  "append_young_rate",
  "concurrent_young_rate",
] as const;
const script = join(import.meta.dirname, "..", "cold-calls.ts");

/**
 * P6, cold: lists of sessions that a process has not read yet, its first list, resume and append, and its first
 * hundreds of appends; each round in a new process.
 */
export async function measureCold(lab: Lab): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "belay-bench-"));
  try {
    const folders = lab.contenders.map(({ name }, index) => ({
      name,
      folder: join(root, `${index}`),
    }));
    for (const [index, contender] of lab.contenders.entries()) {
      const folder = join(root, `${index}`);
      mkdirSync(folder);
      const store = await contender.open(folder);
      await store.seedSessions(seededSessions({ count: SESSIONS, agents: 23 }));
      await store.createSession("resumed", "writer");
      await store.seedTurns("resumed", turnTexts(50));
      await store.close();
    }
    for (let round = 0; round < lab.scale.coldRounds; round++) {
      for (const { name, folder } of folders) {
        const args = [script, name, folder, `${SESSIONS}`, "resumed"];
        const times: Record<string, number> = JSON.parse(
          execFileSync(process.execPath, args, { encoding: "utf8" }),
        );
        for (const metric of METRICS) {
          record(lab.measurements, name, metric, times[metric] ?? Number.NaN);
        }
      }
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
