import { spawn } from "node:child_process";
import type { SessionCommand } from "../../contract/commands.ts";
import type { RollbackStep } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";

const OUTPUT_CHARS = 4000;

export interface RolledBack extends RollbackStep {
  readonly result: "planned" | "success" | "failed" | "not run";
  readonly output: string | null;
}

export interface Rollback {
  readonly steps: readonly RollbackStep[];
  readonly cwd: string;
  /** All that the commands are given; they inherit nothing beside it. */
  readonly env: Readonly<Record<string, string>>;
  newId(): string;
  write(commands: (now: SessionHead) => readonly SessionCommand[]): Promise<unknown>;
  /** What the order to roll back comes to, and what is on record once all is done. */
  readonly ordered: (now: SessionHead) => readonly SessionCommand[];
  readonly done: (now: SessionHead) => readonly SessionCommand[];
}

/**
 * Runs the steps one after the other, each an action of its own; what comes after a failure is not run. The end of one
 * and the beginning of the next are one change, and so are the order and the first: whenever it breaks off, a step is
 * open, and recovery asks about it and all that was to follow.
 */
export async function runRollback(rollback: Rollback): Promise<RolledBack[]> {
  const { steps, cwd, env, newId, write } = rollback;
  const told: RolledBack[] = [];
  let before = rollback.ordered;
  for (const [nth, step] of steps.entries()) {
    const action_id = newId();
    const settled = before;
    await write((now) => [...settled(now), intentOf(action_id, step, steps.slice(nth))]);
    const { code, output } = await runShell(step.command, cwd, env);
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
    process: null,
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

function runShell(
  command: string,
  cwd: string,
  env: Rollback["env"],
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const hear = (text: string): void => {
      output = (output + text).slice(-OUTPUT_CHARS);
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    child.once("error", (error) => resolve({ code: null, output: error.message }));
    child.once("close", (code) => resolve({ code, output }));
  });
}
