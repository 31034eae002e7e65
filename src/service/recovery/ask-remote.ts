import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { AskRemote } from "./gather-evidence.ts";

const Settings = z.strictObject({
  /** By action type: a command that is given the action's key as BELAY_KEY and says `done` or `not_done`. */
  status: z.record(z.string(), z.string()).default({}),
  /** What becomes of a harmless action whose process still runs. */
  alive: z.enum(["wait", "rerun"]).default("wait"),
});
export type RecoverySettings = z.infer<typeof Settings>;

const PATIENCE_MS = 10_000;

/** The user's own `recovery.json`; without one, nobody is asked. */
export function readRecoverySettings(home: string): RecoverySettings {
  const path = join(home, "recovery.json");
  const text = readText(path);
  if (text === null) return Settings.parse({});
  try {
    return Settings.parse(JSON.parse(text));
  } catch (cause) {
    const message = `${path} cannot be used: ${cause instanceof Error ? cause.message : cause}`;
    throw new BelayError(refuse("invalid_input", message, { file: path }), cause);
  }
}

/** Asks whoever can know; no answer, a wrong one or none in time means that it is not known. */
export function askRemoteWith({ status }: RecoverySettings): AskRemote {
  return async (type, key) => {
    const command = Object.hasOwn(status, type) ? status[type] : undefined;
    if (command === undefined) return null;
    const said = await run(command, { ...process.env, BELAY_KEY: key, BELAY_ACTION: type });
    return said === "done" || said === "not_done" ? said : null;
  };
}

function run(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], { env, stdio: ["ignore", "pipe", "ignore"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(0, 100);
    });
    child.once("error", () => resolve(""));
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? said.trim() : "");
    });
  });
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
