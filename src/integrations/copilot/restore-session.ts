import { z } from "zod";
import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import { CLOSED } from "../../contract/operations/operation.ts";
import { visibleLine } from "../../contract/visible-text.ts";
import { changeSession } from "../../service/change-session.ts";
import { findProject } from "../../service/find-project.ts";
import type { PastStep } from "../../service/import-session.ts";
import { importSession } from "../../service/import-session.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { readRows } from "../../store/read-streams.ts";
import type { PastAction } from "./gather-actions.ts";
import { RESTORED } from "./mirror-copilot-events.ts";
import type { StateFile } from "./read-state-file.ts";

/** The session in the files of a workspace. */
export interface PastSession {
  readonly session_id: string;
  readonly cwd: string;
  readonly trace_id: string | null;
  readonly state: StateFile | null;
  readonly actions: readonly PastAction[];
  readonly began_at: number | null;
}

/** Creates the session, or adds what is new in its files. `why` is set if it accepts nothing more. */
export async function restoreSession(
  context: ServiceContext,
  caller: Caller,
  past: PastSession,
): Promise<{ readonly changed: boolean; readonly why: string | null }> {
  const { session_id: id, trace_id } = past;
  const by = { ...caller, actor: RESTORED, trace_id };
  if (await importSession(context, by, id, stepsOf(past, context, caller))) {
    return { changed: true, why: null };
  }
  let added = 0;
  try {
    await changeSession(context, by, {
      id,
      annotates: true,
      reads: [{ stream: 0, query: { kind: "action" } }],
      commands: (head, { rows: [rows = []] }) => {
        const known = new Set(rows.map(({ data }) => String(data.action_id)));
        const commands = whatIsNew(past, head, known);
        added = commands.length;
        return commands;
      },
    });
  } catch (error) {
    if (!(error instanceof BelayError) || !LEFT_ALONE.has(error.code)) throw error;
    return { changed: false, why: error.message };
  }
  return { changed: added > 0, why: null };
}

/** The steps of the session that only the list of completed steps contained. */
export async function readListed(
  { store }: ServiceContext,
  id: string | undefined,
): Promise<ReadonlySet<string>> {
  const rows = id === undefined ? [] : await readRows(store, id, { kind: "action" });
  return new Set(
    rows.flatMap(({ data: { action_id, details } }) =>
      Listed.safeParse(details).success ? [String(action_id)] : [],
    ),
  );
}

const Listed = z.object({ listed: z.literal(true) });

/** True if the files contain anything new. */
export async function hasNews(
  { store }: ServiceContext,
  id: string,
  head: SessionHead,
  past: PastSession,
): Promise<boolean> {
  const rows = await readRows(store, id, { kind: "action" });
  const known = new Set(rows.map(({ data }) => String(data.action_id)));
  return whatIsNew(past, head, known).length > 0;
}

const LEFT_ALONE: ReadonlySet<string> = new Set(["recovery_pending", ...CLOSED]);

/** An ended action stays ended, whatever the files say later. */
function whatIsNew(
  past: PastSession,
  head: SessionHead | null,
  known: ReadonlySet<string>,
): SessionCommand[] {
  const open = new Set(head?.actions.map(({ id }) => id));
  const commands = past.actions.flatMap((action): SessionCommand[] => {
    if (!known.has(action.action_id)) return [begin(action), ...complete(action)];
    return open.has(action.action_id) ? complete(action) : [];
  });
  if (commands.length === 0) return [];
  return [{ type: "annotate", metadata: { next_immediate_step: plannedIn(past) } }, ...commands];
}

/** The session's events at their own times, none later than now, because clocks may have been wrong. */
function stepsOf(past: PastSession, context: ServiceContext, caller: Caller): PastStep[] {
  const now = context.now();
  let last = Math.min(past.began_at ?? past.actions[0]?.began_at ?? now, now);
  const at = (time: number | null): number => {
    last = Math.min(time ?? last, now);
    return last;
  };
  return [
    { at: last, commands: [create(past, context.newId(), caller)] },
    ...past.actions.flatMap((action): PastStep[] => [
      { at: at(action.began_at), commands: [begin(action)] },
      ...(action.status === null ? [] : [{ at: at(action.ended_at), commands: complete(action) }]),
    ]),
  ];
}

/**
 * The agent's planned next step. A step that has started since, and may be done, is no longer planned: its last attempt
 * is open or failed, or the log shows it completed more often than the state file knows.
 */
function plannedIn({ state, actions }: PastSession): string | null {
  const step = state?.next_immediate_step ?? null;
  const attempts = actions.filter((action) => action.step === step);
  const completed = attempts.filter(({ status }) => status === "completed");
  const listed = state?.steps_completed.filter((name) => name === step) ?? [];
  const isOver = attempts.at(-1) === completed.at(-1) && completed.length <= listed.length;
  return isOver ? step : null;
}

function create(past: PastSession, entity_id: string, caller: Caller): SessionCommand {
  const { session_id, cwd, state } = past;
  const { current_task_id, notes } = state ?? {};
  const metadata = { source: "copilot", notes, next_immediate_step: plannedIn(past) };
  return {
    type: "create",
    session_id,
    entity_id,
    owner: caller.owner,
    agent_name: "copilot",
    interface: caller.interface,
    purpose: null,
    title: null,
    project: findProject(cwd),
    task_id: current_task_id && isShort(current_task_id) ? current_task_id : entity_id,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value != null)),
    supports_resume: false,
    observed: false,
  };
}

function begin(action: PastAction): SessionCommand {
  const { action_id, step, effects, idempotent, idempotency_key, process } = action;
  const { detachable, orphanable, listed } = action;
  return {
    type: "begin_action",
    ...{ action_id, effects, idempotent, idempotency_key, detachable, orphanable, process },
    turn_id: null,
    action_type: typeOf(step),
    rollback: [...action.rollback],
    ...(action.temporary.length > 0 && { temporary: [...action.temporary] }),
    details: { step, ...(listed && { listed }) },
  };
}

function complete({ action_id, status, result }: PastAction): SessionCommand[] {
  if (status === null) return [];
  return [{ type: "complete_action", action_id, status, result, details: {} }];
}

/** Short enough for an index in any script; the whole name is in the details. */
function typeOf(step: string): string {
  const line = visibleLine(step);
  return (line === "" ? "step" : line.slice(0, LIMITS.INDEXED / 3)).toWellFormed();
}

function isShort(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text) && Buffer.byteLength(JSON.stringify(text)) <= LIMITS.TASK_ID;
}
