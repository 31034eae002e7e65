import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../src/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { Lab } from "../lab.ts";
import { record } from "../measurements.ts";
import { serveBelay } from "../served.ts";

const bin = join(import.meta.dirname, "..", "..", "bin", "belay.mjs");
/** The program that `belay hooks install` names. */
const hook = join(import.meta.dirname, "..", "..", "bin", "belay-hook.cjs");

/** P7: the whole process of a hook that finds a session, and of one that records a prompt, against an empty script. */
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
  const prompt = (prompt_id: string) =>
    JSON.stringify({
      hook_event_name: "UserPromptSubmit",
      session_id: "7d4b3c1e-0000-4000-8000-000000000001",
      transcript_path: "/nowhere",
      cwd: home,
      prompt_id,
      prompt: "Go on.",
    });
  const [limit, own] = lab.contenders;
  try {
    run([bin, "create", "--agent", "writer", "--id", "session-1"], "");
    run([hook, "hook", "pre-delegate"], payload);
    run([hook, "hook", "claude-code"], prompt("first"));
    for (let round = 0; round < lab.scale.processRounds; round++) {
      const [least, found, recorded] = [
        run([empty], payload),
        run([hook, "hook", "pre-delegate"], payload),
        run([hook, "hook", "claude-code"], prompt(`prompt-${round}`)),
      ];
      record(lab.measurements, limit?.name ?? "", "hook_ms", least);
      record(lab.measurements, limit?.name ?? "", "hook_prompt_ms", least);
      record(lab.measurements, own?.name ?? "", "hook_ms", found);
      record(lab.measurements, own?.name ?? "", "hook_prompt_ms", recorded);
    }
    const store = await openSqliteStore({ folder: home, isAlive });
    for (let round = 0; round < lab.scale.processRounds; round++) {
      const [least, recorded] = [
        run([empty], payload),
        run([hook, "hook", "claude-code"], prompt(`open-${round}`)),
      ];
      record(lab.measurements, limit?.name ?? "", "hook_open_ms", least);
      record(lab.measurements, own?.name ?? "", "hook_open_ms", recorded);
    }
    await store.close();
    const server = await serveBelay(home);
    for (let round = 0; round < lab.scale.processRounds; round++) {
      const [least, left] = [
        run([empty], payload),
        run([hook, "hook", "claude-code"], prompt(`left-${round}`)),
      ];
      record(lab.measurements, limit?.name ?? "", "hook_served_ms", least);
      record(lab.measurements, own?.name ?? "", "hook_served_ms", left);
    }
    await server.stop();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
