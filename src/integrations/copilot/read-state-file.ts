import { existsSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { withFolder } from "../../files/open-folder.ts";
import { readFile } from "../../files/read-file.ts";
import { ignoreTemporary } from "./ignore-temporary.ts";

const Words = z.string().nullish();

/** A process in the file. It may have more fields; a pid alone never proves which process it is. */
const ProcessEntry = z.looseObject({
  pid: z.number().int().positive().nullish(),
  cmd: z.union([z.string(), z.array(z.string())]).nullish(),
  started_at: z.union([z.string(), z.number()]).nullish(),
  stdout_path: Words,
  stderr_path: Words,
});
export type ProcessEntry = z.infer<typeof ProcessEntry>;

/** `.copilot/session_state.json`. A missing field is allowed; a field of a wrong type makes the file suspect. */
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

/** The same without invalid fields, entries and list items. */
const Salvaged = z.looseObject({
  current_task_id: Words.catch(null),
  steps_completed: z
    .array(z.string().nullable().catch(null))
    .catch([])
    .transform((steps) => steps.filter((step) => step !== null)),
  next_immediate_step: Words.catch(null),
  last_sync: Words.catch(null),
  trace_id: Words.catch(null),
  // An entry shows that its step was started, however little of it can be read.
  process_map: z
    .record(
      z.string(),
      z
        .looseObject({
          pid: ProcessEntry.shape.pid.catch(null),
          cmd: ProcessEntry.shape.cmd.catch(null),
          started_at: ProcessEntry.shape.started_at.catch(null),
          stdout_path: Words.catch(null),
          stderr_path: Words.catch(null),
        })
        .catch({ pid: null, cmd: null, started_at: null, stdout_path: null, stderr_path: null }),
    )
    .catch({}),
  events_cursor: StateFile.shape.events_cursor.catch(0),
  notes: Words.catch(null),
});

type StateRead =
  | { readonly found: "whole"; readonly state: StateFile }
  | { readonly found: "missing" }
  /** `state` has the valid parts; null if the file is not a JSON object. */
  | {
      readonly found: "corrupt";
      readonly state: StateFile | null;
      readonly why: readonly string[];
    };

export function readStateFile(path: string): StateRead {
  const text = readIfThere(path);
  if (text === null) return { found: "missing" };
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    const why = text.trim() === "" ? "empty" : "not JSON";
    return { found: "corrupt", state: null, why: [why] };
  }
  const result = StateFile.safeParse(value);
  if (result.success) return { found: "whole", state: result.data };
  const { issues } = result.error;
  const why = issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`);
  return { found: "corrupt", state: Salvaged.safeParse(value).data ?? null, why };
}

/** Moves a suspect file aside for a person to look at. Returns its new path. */
export function quarantine(cwd: string, path: string, now: number): string {
  ignoreTemporary(cwd);
  return withFolder({ root: cwd, names: [".tmp", "corrupt"] }, (folder) => {
    const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, "");
    for (let nth = 0; ; nth += 1) {
      const name = `${basename(path)}.${stamp}${nth === 0 ? "" : `.${nth}`}`;
      if (existsSync(folder.entry(name))) continue;
      renameSync(path, folder.entry(name));
      return join(folder.path, name);
    }
  });
}

function readIfThere(path: string): string | null {
  try {
    return readFile(path)?.toString("utf8") ?? null;
  } catch (cause) {
    const why = cause instanceof Error ? `: ${cause.message}` : "";
    throw new BelayError(
      refuse("invalid_input", `Cannot read ${path}${why}. Check the file and its permissions.`, {
        file: path,
      }),
      cause,
    );
  }
}
