import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { record } from "../measurements.ts";

const bin = join(import.meta.dirname, "..", "..", "bin", "belay.mjs");

/** P7: the whole process of a hook that finds a session, against a script that does nothing. */
export async function measureHook(lab: Lab): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "belay-bench-"));
  const empty = join(home, "empty.mjs");
  writeFileSync(empty, "");
  const env = { ...process.env, BELAY_HOME: home };
  const run = (args: readonly string[], input: string): number => {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, args, { env, input, cwd: home });
    if (status !== 0) throw new Error(`${args.join(" ")} exited ${status}`);
    return performance.now() - start;
  };
  const payload = JSON.stringify({ agent_name: "writer", agent_id: "session-1" });
  const [limit, own] = lab.contenders;
  try {
    run([bin, "create", "--agent", "writer", "--id", "session-1"], "");
    run([bin, "hook", "pre-delegate"], payload);
    for (let round = 0; round < lab.scale.processRounds; round++) {
      record(lab.measurements, limit?.name ?? "", "hook_ms", run([empty], payload));
      record(
        lab.measurements,
        own?.name ?? "",
        "hook_ms",
        run([bin, "hook", "pre-delegate"], payload),
      );
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
