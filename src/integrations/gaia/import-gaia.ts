import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import type { SessionCommand } from "../../contract/commands.ts";
import { describeIssue } from "../../contract/describe-issue.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import { SessionId } from "../../contract/ids.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { FINAL_PHASES, PHASES } from "../../contract/vocabulary.ts";
import { readFile } from "../../files/read-file.ts";
import type { PastStep } from "../../service/import-session.ts";
import { importSession } from "../../service/import-session.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";

interface ImportReport {
  readonly imported: readonly string[];
  readonly known: readonly string[];
  readonly damaged: readonly { readonly file: string; readonly why: string }[];
}

const Time = z.string().refine((text) => !Number.isNaN(readInstant(text)), "not a timestamp");

/** `state.json` of a session as GAIA-OPS writes it. */
const GaiaState = z.object({
  agent_id: SessionId,
  agent_name: z.string().min(1),
  purpose: z.string().nullish(),
  created_at: Time,
  last_updated: Time,
  phase: z.enum(PHASES),
  metadata: z.record(z.string(), z.unknown()).default({}),
  resume_ready: z.boolean().default(true),
  history: z
    .array(z.object({ from_phase: z.enum(PHASES), to_phase: z.enum(PHASES), timestamp: Time }))
    .default([]),
  error_count: z.number().int().min(0).max(1000).default(0),
  last_error: z.string().nullish(),
});
type GaiaState = z.infer<typeof GaiaState>;

/** Imports every session below a folder. Unreadable files are named and left unchanged. */
export async function importGaia(
  context: ServiceContext,
  caller: Caller,
  folder: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ImportReport> {
  const files = findStates(folder);
  const imported: string[] = [];
  const known: string[] = [];
  const damaged: { file: string; why: string }[] = [];
  for (const [at, file] of files.entries()) {
    try {
      const state = readState(file);
      const isNew = await importSession(
        context,
        caller,
        state.agent_id,
        stepsOf(state, context, caller),
      );
      (isNew ? imported : known).push(state.agent_id);
    } catch (error) {
      if (error instanceof BelayError && error.code.startsWith("storage_")) throw error;
      damaged.push({ file, why: error instanceof Error ? error.message : String(error) });
    }
    onProgress(at + 1, files.length);
  }
  return { imported, known, damaged };
}

function findStates(folder: string): string[] {
  try {
    return readdirSync(resolve(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name === "state.json")
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (cause) {
    throw new BelayError(
      refuse("invalid_input", `Cannot read the folder ${folder}.`, { folder }),
      cause,
    );
  }
}

function readState(file: string): GaiaState {
  const result = GaiaState.safeParse(JSON.parse(readFile(file)?.toString("utf8") ?? ""));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(issue ? describeIssue(issue) : "its structure is invalid");
}

/** The session's events as commands, each at its own time. */
function stepsOf(state: GaiaState, context: ServiceContext, caller: Caller): PastStep[] {
  const entity_id = context.newId();
  const last = readInstant(state.last_updated);
  const create: SessionCommand = {
    type: "create",
    session_id: state.agent_id,
    entity_id,
    owner: caller.owner,
    agent_name: state.agent_name,
    interface: caller.interface,
    purpose: state.purpose ?? null,
    title: null,
    project: caller.project ?? null,
    task_id: typeof state.metadata.task_id === "string" ? state.metadata.task_id : entity_id,
    metadata: state.metadata,
    supports_resume: false,
    observed: false,
  };
  const errors = Array.from(
    { length: state.error_count },
    (): SessionCommand => ({
      type: "record_error",
      error: state.last_error ?? "unknown",
    }),
  );
  const phases = state.history.map(
    ({ to_phase, timestamp }): PastStep => ({
      at: readInstant(timestamp),
      commands: [{ type: "set_phase", phase: to_phase, summary: null }],
    }),
  );
  const isFinal = (phase: string): boolean => FINAL_PHASES.some((final) => final === phase);
  const finished = phases.length > 0 && isFinal(state.history.at(-1)?.to_phase ?? "");
  const before = finished ? phases.slice(0, -1) : phases;
  const end = finished ? phases.slice(-1) : [];
  const current = state.history.at(-1)?.to_phase ?? "initializing";
  return [
    { at: readInstant(state.created_at), commands: [create] },
    ...before,
    {
      at: last,
      commands: [
        ...errors,
        ...(state.resume_ready ? [] : [{ type: "set_resume_ready", resume_ready: false } as const]),
        ...(current === state.phase
          ? []
          : [{ type: "set_phase", phase: state.phase, summary: null } as const]),
      ],
    },
    ...end,
  ];
}
