import type { Process, RollbackStep } from "../../contract/action/intent.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import { identifyProcess } from "../../process/process-identity.ts";
import type { Confinement } from "./drive-context.ts";
import type { GatedProcess, StepLog } from "./start-gated.ts";
import { startGated } from "./start-gated.ts";

export interface RolledBack extends RollbackStep {
  readonly result: "planned" | "success" | "failed" | "not run";
  readonly output: string | null;
}

interface Rollback {
  readonly steps: readonly RollbackStep[];
  /** Its environment is complete: the commands inherit nothing else. */
  readonly place: Confinement;
  /** The log that stores their output permanently. */
  readonly kept: StepLog;
  now(): number;
  newId(): string;
  write(commands: (now: SessionHead) => readonly SessionCommand[]): Promise<unknown>;
  /** The commands that record the order to roll back, and its completion. */
  readonly ordered: (now: SessionHead) => readonly SessionCommand[];
  readonly done: (now: SessionHead) => readonly SessionCommand[];
}

/**
 * Runs the steps in order, each as an action of its own, and stops after a failure. The end of one step and the start
 * of the next are one change, and so are the order and the first step. So whenever it is interrupted, one step is open,
 * and recovery asks about it and the remaining ones.
 */
export async function runRollback(rollback: Rollback): Promise<RolledBack[]> {
  const { steps, place, kept, now, newId, write } = rollback;
  const told: RolledBack[] = [];
  let before = rollback.ordered;
  for (const [nth, step] of steps.entries()) {
    const action_id = newId();
    const settled = before;
    const started = startGated(step.command, { place, kept, now: now(), nth: nth + 1 });
    const intent = intentOf(action_id, step, steps.slice(nth), processOf(started));
    try {
      await write((head) => [...settled(head), intent]);
    } catch (error) {
      // A step that is not recorded must not run.
      started.child.stdin?.end();
      throw error;
    }
    started.open();
    const { code, output } = await started.ended();
    before = () => [resultOf(action_id, step, code, output)];
    told.push({ ...step, result: code === 0 ? "success" : "failed", output });
    if (code !== 0) break;
  }
  const last = before;
  await write((now) => [...last(now), ...rollback.done(now)]);
  const left = steps.slice(told.length);
  return [...told, ...left.map((step) => ({ ...step, result: "not run" as const, output: null }))];
}

function intentOf(
  action_id: string,
  { title, command }: RollbackStep,
  rest: readonly RollbackStep[],
  itself: Process | null,
): SessionCommand {
  return {
    type: "begin_action",
    action_id,
    turn_id: null,
    action_type: "rollback",
    effects: "unknown",
    idempotent: false,
    idempotency_key: null,
    detachable: false,
    orphanable: false,
    rollback: [...rest],
    process: itself,
    vouched: true,
    details: { title, command },
  };
}

function resultOf(
  action_id: string,
  { title }: RollbackStep,
  code: number | null,
  output: string,
): SessionCommand {
  return {
    type: "complete_action",
    action_id,
    status: code === 0 ? "completed" : "failed",
    result: code === 0 ? "success" : "failed",
    details: { title, output, code },
  };
}

/** Recorded so that a recovery after a crash can check if the step still runs. */
function processOf({ child, log }: GatedProcess): Process | null {
  if (child.pid === undefined) return null;
  const { pid, start_time, boot_id } = identifyProcess(child.pid);
  return { pid, start_time, boot_id, cmd: null, stdout_path: log, stderr_path: null };
}
