import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { BelayError, refuse } from "../contract/errors.ts";
import { workspaceFolder } from "../service/mirror-folder.ts";

const Words = z.string().nullish();

/** What the file knows of a process. It may say more; a pid alone never proves which process it is. */
const ProcessEntry = z.looseObject({
  pid: z.number().int().positive().nullish(),
  cmd: z.union([z.string(), z.array(z.string())]).nullish(),
  started_at: z.union([z.string(), z.number()]).nullish(),
  stdout_path: Words,
  stderr_path: Words,
});
export type ProcessEntry = z.infer<typeof ProcessEntry>;

/** `.copilot/session_state.json`. What is left out is nothing; what has another type makes the file suspect. */
const StateFile = z.looseObject({
  current_task_id: Words,
  steps_completed: z.array(z.string()).default([]),
  next_immediate_step: Words,
  last_sync: Words,
  trace_id: Words,
  process_map: z.record(z.string(), ProcessEntry).default({}),
  events_cursor: z.number().int().nonnegative().default(0),
  notes: Words,
});
export type StateFile = z.infer<typeof StateFile>;

export type StateRead =
  | { readonly found: "whole"; readonly state: StateFile }
  | { readonly found: "missing" }
  | { readonly found: "corrupt"; readonly why: string };

export function readStateFile(path: string): StateRead {
  const text = readIfThere(path);
  if (text === null) return { found: "missing" };
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return { found: "corrupt", why: text.trim() === "" ? "empty" : "not JSON" };
  }
  const result = StateFile.safeParse(value);
  if (result.success) return { found: "whole", state: result.data };
  const [issue] = result.error.issues;
  return { found: "corrupt", why: `${issue?.path.join(".") || "the whole"}: ${issue?.message}` };
}

/** Moves a suspect file out of the way, for a person to look at. Answers where it is now. */
export function quarantine(cwd: string, path: string, now: number): string {
  const folder = workspaceFolder(cwd, ".tmp", "corrupt");
  const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, "");
  for (let nth = 0; ; nth += 1) {
    const place = join(folder, `${basename(path)}.${stamp}${nth === 0 ? "" : `.${nth}`}`);
    if (existsSync(place)) continue;
    renameSync(path, place);
    return place;
  }
}

function readIfThere(path: string): string | null {
  try {
    // A pipe would keep us waiting for a writer.
    const file = openSync(path, "r");
    try {
      if (fstatSync(file).isFile()) return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw unreadable(path, error);
  }
  throw unreadable(path);
}

function unreadable(path: string, cause?: unknown): BelayError {
  return new BelayError(refuse("invalid_input", `cannot read ${path}`, { file: path }), cause);
}
