import { isSessionId } from "../../../contract/id-pattern.ts";
import { redactSighting } from "../redact-sighting.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import type { HookAnswer, HookDeps } from "./hook-deps.ts";
import { type HookPlan, NOTHING } from "./hook-plan.ts";
import { logFailure } from "./log-failure.ts";
import { parsePayload } from "./payload.ts";
import { planHook, planWithin } from "./plan-hook.ts";

/** Answers one hook, whatever its payload and whatever fails: within its time, and never with a failure. */
export async function runHook(
  name: string,
  stdin: Promise<string> | string,
  deps: HookDeps,
  deadline: Deadline = startDeadline(0),
): Promise<HookAnswer> {
  try {
    const isQuestion = name === "pre-delegate";
    // Code is loaded while another thread reads.
    const [text] = await Promise.all([
      deadline.race(stdin),
      isQuestion ? import("./answer-pre-delegate.ts") : import("./leave-in-spool.ts"),
    ]);
    const stdout = isQuestion
      ? await preDelegate(text, deps, deadline)
      : await watch(name, text, deps, deadline);
    return { stdout, exitCode: 0 };
  } catch (error) {
    await logFailure(deps, name, error);
    return { stdout: name === "pre-delegate" ? ERROR : "", exitCode: 0 };
  }
}

const ERROR = '{"should_resume":false,"reason":"error"}\n';

async function preDelegate(text: string, deps: HookDeps, deadline: Deadline): Promise<string> {
  const { answerPreDelegate } = await import("./answer-pre-delegate.ts");
  return `${JSON.stringify(await deadline.race(answerPreDelegate(text, deps, deadline)))}\n`;
}

/** The session whose driver started the agent that calls this hook; a server's own environment does not say. */
function drivenSession({ env, server }: HookDeps): string | null {
  const { BELAY_SESSION_ID: id } = env;
  return !server && id !== undefined && isSessionId(id) ? id : null;
}

async function watch(
  name: string,
  text: string,
  deps: HookDeps,
  deadline: Deadline,
): Promise<string> {
  const payload = parsePayload(text);
  const whole = planHook(name, payload, deps);
  const driven = drivenSession(deps);
  const plan = await redactPlan(driven === null ? whole : planWithin(whole, driven), deps);
  const { leaveInSpool } = await import("./leave-in-spool.ts");
  const outcome = await leaveInSpool(plan, deps);
  if (outcome === "left") return "";
  const { performPlan } = await import("./watch.ts");
  return performPlan(name, outcome === "overtaken" ? NOTHING : plan, deps, deadline);
}

/** Before anything is written: a sighting that cannot be recorded now waits in a file. */
async function redactPlan(plan: HookPlan, { redaction }: HookDeps): Promise<HookPlan> {
  if (!redaction || !plan.sighting) return plan;
  return { ...plan, sighting: redactSighting(await redaction(), plan.sighting) };
}
