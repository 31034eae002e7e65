import { spawn } from "node:child_process";
import type { SessionCommand } from "../../contract/commands.ts";
import type { RollbackStep } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { changeSession } from "../change-session.ts";
import type { Caller, ServiceContext } from "../context.ts";

const OUTPUT_CHARS = 4000;

export interface RolledBack extends RollbackStep {
  readonly result: "planned" | "success" | "failed" | "not run";
  readonly output: string | null;
}

/** Runs the steps one after the other, each an action of its own; what comes after a failure is not run. */
export async function runRollback(
  context: ServiceContext,
  caller: Caller,
  head: SessionHead,
  steps: readonly RollbackStep[],
): Promise<RolledBack[]> {
  const done: RolledBack[] = [];
  const write = (command: SessionCommand) =>
    changeSession(context, caller, { id: head.session_id, commands: () => [command] });
  let failed = false;
  for (const step of steps) {
    if (failed) {
      done.push({ ...step, result: "not run", output: null });
      continue;
    }
    const action_id = context.newId();
    await write(intentOf(action_id, step));
    const { code, output } = await runShell(step.command, head.project?.cwd ?? process.cwd());
    failed = code !== 0;
    const result = failed ? "failed" : "success";
    await write({
      type: "complete_action",
      action_id,
      status: failed ? "failed" : "completed",
      result,
      details: { title: step.title, output, code },
    });
    done.push({ ...step, result, output });
  }
  return done;
}

function intentOf(action_id: string, { title, command }: RollbackStep): SessionCommand {
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
    rollback: [],
    process: null,
    details: { title, command },
  };
}

function runShell(
  command: string,
  cwd: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], { cwd, stdio: ["ignore", "pipe", "pipe"] });
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
