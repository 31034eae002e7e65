import { listSpool } from "../../service/spool.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { logFailure } from "./failure-log.ts";
import type { HookAnswer, HookDeps } from "./hook-deps.ts";
import { NOTHING } from "./hook-plan.ts";
import { parsePayload } from "./payload.ts";
import { answerPreDelegate } from "./pre-delegate.ts";

/** Answers one hook, whatever it is handed and whatever goes wrong: within its time, and never with a failure. */
export async function runHook(
  name: string,
  stdin: Promise<string> | string,
  deps: HookDeps,
  deadline: Deadline = startDeadline(0),
): Promise<HookAnswer> {
  try {
    const text = await deadline.race(stdin);
    const stdout =
      name === "pre-delegate"
        ? await preDelegate(text, deps, deadline)
        : await watch(name, text, deps, deadline);
    return { stdout, exitCode: 0 };
  } catch (error) {
    logFailure(deps, name, error);
    return { stdout: name === "pre-delegate" ? ERROR : "", exitCode: 0 };
  }
}

const ERROR = '{"should_resume":false,"reason":"error"}\n';

async function preDelegate(text: string, deps: HookDeps, deadline: Deadline): Promise<string> {
  // What waits there may be what the answer depends on.
  if (listSpool(deps).length > 0) {
    const { performPlan } = await import("./watch.ts");
    await performPlan("spool", NOTHING, deps, deadline);
  }
  return `${JSON.stringify(await deadline.race(answerPreDelegate(text, deps, deadline)))}\n`;
}

async function watch(
  name: string,
  text: string,
  deps: HookDeps,
  deadline: Deadline,
): Promise<string> {
  const payload = parsePayload(text);
  const { performPlan, planHook } = await import("./watch.ts");
  return performPlan(name, planHook(name, payload, deps), deps, deadline);
}
