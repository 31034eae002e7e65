import { createHash } from "node:crypto";
import { z } from "zod";
import type { Process, RollbackStep } from "../../contract/action/intent.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Effects } from "../../contract/vocabulary.ts";
import { EFFECTS } from "../../contract/vocabulary.ts";
import { failureIn, readTime } from "./copilot-words.ts";
import type { LogRecord } from "./read-event-log.ts";
import { textOf } from "./read-event-log.ts";
import type { ProcessEntry, StateFile } from "./read-state-file.ts";

/** A step of the workspace as an action. */
export interface PastAction {
  readonly action_id: string;
  readonly step: string;
  readonly began_at: number | null;
  readonly ended_at: number | null;
  /** Null if the outcome is unknown. */
  readonly status: "completed" | "failed" | "interrupted" | null;
  readonly result: string;
  readonly effects: Effects;
  readonly idempotent: boolean;
  readonly idempotency_key: string | null;
  readonly detachable: boolean;
  readonly orphanable: boolean;
  readonly rollback: readonly RollbackStep[];
  readonly temporary: readonly string[];
  readonly process: Process | null;
  /** True if only the list of completed steps contains it. */
  readonly listed: boolean;
}

type Draft = { -readonly [K in keyof PastAction]: PastAction[K] } & {
  /** The reported fields, the line of the log first. */
  said: Readonly<Record<string, unknown>>;
  /** True if a line of the log shows its start or end. */
  logged: boolean;
};

/**
 * The steps in records and state, in the order of their start. If the state was damaged or lost, it is unknown what
 * still runs, so no open step counts as harmless. `listed` has the ids of steps that only the list contained at an
 * earlier restore: the log cannot start one of these later.
 */
export function gatherActions(
  records: readonly LogRecord[],
  state: StateFile | null,
  isStateWhole: boolean,
  listed: ReadonlySet<string>,
): readonly PastAction[] {
  const steps = new Steps(listed);
  for (const record of records) steps.hear(record);
  steps.complete(state?.steps_completed ?? []);
  for (const [step, entry] of Object.entries(state?.process_map ?? {})) {
    steps.attach(step.toWellFormed(), entry);
  }
  return steps.settle(isStateWhole);
}

const MAX_FAILURES = 3;

class Steps {
  readonly #all: Draft[] = [];
  readonly #by = new Map<string, Draft[]>();
  readonly #numbers = new Map<string, number>();
  readonly #taken: ReadonlySet<string>;
  /** The used ids, by the prefix that the ids of one step share. */
  readonly #listed: ReadonlyMap<string, string[]>;

  constructor(listed: ReadonlySet<string>) {
    this.#taken = listed;
    this.#listed = Map.groupBy(listed, (id) => id.slice(0, id.lastIndexOf("-") + 1));
  }

  hear({ type, step, timestamp, fields }: LogRecord): void {
    if (step === null || !type.startsWith("action.")) return;
    const at = readTime(timestamp);
    if (type === "action.started") {
      // A step that starts again ends its earlier run.
      this.#close(step, at, "interrupted", "started again");
      this.#begin(step, at, fields).logged = true;
      return;
    }
    const failed = type === "action.failed" ? "failed" : failureIn(fields);
    const last = this.#last(step);
    if (!last || last.status !== null) this.#begin(step, at, fields).logged = true;
    this.#close(step, at, failed ?? "completed", textOf(fields.result) ?? failed ?? "success");
  }

  /**
   * The list is written after the log, so it may contain an end whose line was lost. A step that only the list contains
   * is placed after its predecessor in the list, not at the end, so that it does not hide a later failure.
   */
  complete(listed: readonly string[]): void {
    const done = new Map(
      [...this.#by].map(([step, drafts]) => [
        step,
        drafts.filter(({ status }) => status === "completed"),
      ]),
    );
    let place = 0;
    for (const name of listed) {
      const step = name.toWellFormed();
      const before = this.#beginListed(step, place);
      const known = before ? undefined : done.get(step)?.shift();
      const open = this.#last(step)?.status === null ? this.#last(step) : undefined;
      const draft = before ?? known ?? open ?? this.#begin(step, null, {}, place);
      if (!known) Object.assign(draft, { status: "completed", result: "success" });
      draft.listed = !draft.logged;
      place = this.#all.indexOf(draft) + 1;
    }
  }

  /** A process is recorded before its step's line in the log, so it may be the only trace of a step. */
  attach(step: string, entry: ProcessEntry): void {
    const began = readTime(textOf(entry.started_at));
    const last = this.#last(step);
    const isNew = !last || isLater(began, last);
    if (!isNew && last.status !== null && last.status !== "failed") return;
    const draft = isNew ? this.#begin(step, began, {}) : last;
    draft.said = { ...entry, ...draft.said };
    draft.process = processOf(entry) ?? draft.process;
    const failed = failureIn(entry);
    if (failed && draft.status === null) this.#close(step, null, failed, "its process failed");
  }

  settle(isStateKnown: boolean): readonly PastAction[] {
    const open = this.#all.filter((draft) => draft.status === null || this.#isUnsettled(draft));
    const isOpen = new Set(open);
    const kept = new Set(open.slice(-LIMITS.OPEN_ACTIONS));
    return this.#all.map((draft): PastAction => {
      const { said, logged, ...action } = { ...draft, ...intentOf(draft.said) };
      if (!isOpen.has(draft)) return action;
      if (!kept.has(draft)) return { ...action, status: "interrupted", result: "outcome unknown" };
      const lost = !isStateKnown && action.process === null;
      const effects =
        lost || this.#failures(draft.step) >= MAX_FAILURES ? "unknown" : action.effects;
      return { ...action, status: null, effects };
    });
  }

  /** A failure is open unless the agent continued after it: recovery decides the next step. */
  #isUnsettled(draft: Draft): boolean {
    if (draft.status !== "failed") return false;
    const after = this.#all.slice(this.#all.indexOf(draft) + 1);
    return !after.some((later) => later.logged || isLater(later.began_at, draft));
  }

  #failures(step: string): number {
    const newest = (this.#by.get(step) ?? []).toReversed();
    const end = newest.findIndex(({ status }) => status !== "failed");
    return end < 0 ? newest.length : end;
  }

  #last(step: string): Draft | undefined {
    return this.#by.get(step)?.at(-1);
  }

  #begin(
    step: string,
    at: number | null,
    said: Readonly<Record<string, unknown>>,
    place = this.#all.length,
  ): Draft {
    const draft = draftOf(this.#nextId(step), step, at, said);
    const before = this.#by.get(step);
    if (before) before.push(draft);
    else this.#by.set(step, [draft]);
    this.#all.splice(place, 0, draft);
    return draft;
  }

  /** A step that only the list contained before, which ended before anything that the log says about it now. */
  #beginListed(step: string, place: number): Draft | undefined {
    const id = this.#listed.get(prefixOf(step))?.shift();
    if (id === undefined) return undefined;
    const draft = draftOf(id, step, null, {});
    this.#by.set(step, [draft, ...(this.#by.get(step) ?? [])]);
    this.#all.splice(place, 0, draft);
    return draft;
  }

  #nextId(step: string): string {
    const prefix = prefixOf(step);
    let nth = (this.#numbers.get(step) ?? 0) + 1;
    while (this.#taken.has(`${prefix}${nth}`)) nth += 1;
    this.#numbers.set(step, nth);
    return `${prefix}${nth}`;
  }

  #close(
    step: string,
    at: number | null,
    status: NonNullable<PastAction["status"]>,
    result: string,
  ): void {
    const last = this.#last(step);
    if (!last || last.status !== null) return;
    Object.assign(last, { ended_at: at, status, result });
  }
}

/** The ids of a step share a prefix and are numbered, so that the same files lead to the same ids. */
function prefixOf(step: string): string {
  return `s-${createHash("sha256").update(step).digest("hex").slice(0, 16)}-`;
}

function draftOf(
  action_id: string,
  step: string,
  began_at: number | null,
  said: Readonly<Record<string, unknown>>,
): Draft {
  return {
    ...{ action_id, step, said, began_at, ended_at: null, status: null, result: "" },
    ...{ logged: false, listed: false },
    ...intentOf(said),
    process: processOf(said),
  };
}

/** True if it started after the last end, on a clock that did not run backwards in between. */
function isLater(began: number | null, { began_at, ended_at }: Draft): boolean {
  if (began === null || began_at === null || ended_at === null) return false;
  return began_at <= ended_at && began > ended_at;
}

const Said = z.object({
  effects: z.enum(EFFECTS).catch("unknown"),
  idempotent: z.boolean().catch(false),
  idempotency_key: z.string().min(1).max(LIMITS.NAME).nullable().catch(null),
  detachable: z.boolean().catch(false),
  orphanable: z.boolean().catch(false),
  rollback: z
    .array(
      z.union([
        z.object({ title: z.string(), command: z.string() }),
        z.string().transform((command) => ({ title: command, command })),
      ]),
    )
    .catch([]),
  temporary: z
    .array(z.string().min(1).max(LIMITS.TEMPORARY.path))
    .max(LIMITS.TEMPORARY.files)
    .catch([]),
});

function intentOf(said: Readonly<Record<string, unknown>>) {
  return Said.parse(said);
}

const Started = z.object({
  pid: z.number().int().positive(),
  cmd: z
    .union([z.string(), z.array(z.string()).transform((words) => words.join(" "))])
    .nullable()
    .catch(null),
  stdout_path: z.string().nullable().catch(null),
  stderr_path: z.string().nullable().catch(null),
});

/**
 * Start time and boot are ignored even if a file has them: otherwise the author of the file could name any process as
 * one of the session's.
 */
function processOf(said: Readonly<Record<string, unknown>>): Process | null {
  const { success, data } = Started.safeParse(said);
  return success ? { ...data, start_time: null, boot_id: null } : null;
}
