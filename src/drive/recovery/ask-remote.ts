import { join } from "node:path";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { readFile } from "../../files/read-file.ts";
import { findJsonError } from "../agents/find-json-error.ts";
import type { AskRemote } from "./gather-evidence.ts";

const Settings = z.strictObject({
  /** By action type: a command that gets the action's key as BELAY_KEY and prints `done` or `not_done`. */
  status: z.record(z.string(), z.string()).default({}),
  /** The treatment of a harmless action whose process still runs. */
  alive: z.enum(["wait", "rerun"]).default("wait"),
  /** True if a server continues an interrupted turn automatically. */
  continue: z.boolean().default(true),
});
type RecoverySettings = z.infer<typeof Settings>;

const PATIENCE_MS = 10_000;

/** Reads the user's own `recovery.json`; without one, there are no status queries. */
export function readRecoverySettings(home: string): RecoverySettings {
  const path = join(home, "recovery.json");
  const text = readText(path);
  if (text === null) return Settings.parse({});
  const result = Settings.safeParse(parseJson(path, text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(path, issue ? describeIssue(issue) : "its structure is invalid");
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { line, column } = findJsonError(text);
    throw invalid(path, `not JSON at line ${line}, column ${column}`, cause);
  }
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.join(".");
  if (issue.code === "unrecognized_keys") return `unknown setting "${issue.keys.join('", "')}"`;
  if (field === "alive") return 'alive must be "wait" or "rerun"';
  if (field === "status") return "status must be an object";
  return field === "" ? "it must be an object" : `${field} must be a command, as text`;
}

function invalid(path: string, why: string, cause?: unknown): BelayError {
  const message = `Invalid recovery settings in ${path}: ${why}. Correct the file, or remove it to use the defaults.`;
  return new BelayError(refuse("invalid_input", message, { file: path }), cause);
}

/** Runs the status query. A missing, invalid or late answer means unknown. */
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
    // Loaded here, because every command loads this file and few ask.
    const { spawn } = process.getBuiltinModule("node:child_process");
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
    return readFile(path, { followLinks: true })?.toString("utf8") ?? null;
  } catch (cause) {
    throw invalid(path, "it cannot be read", cause);
  }
}
