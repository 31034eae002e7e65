import { handOnAndBack } from "./hand-on.ts";
import { installAgent } from "./install-agent.ts";
import { type InstalledAgent, makePlace } from "./make-place.ts";
import { startModelServer } from "./model/model-server.ts";
import { REAL_AGENTS, type RealAgent } from "./real-agents.ts";
import { STEPS, type Step } from "./steps.ts";
import { Trial } from "./trial.ts";
import { within } from "./until.ts";

const STEP_LIMIT_MS = 240_000;

/** Runs published agents through all steps. True if every step passed. */
export async function runCampaign(names: readonly string[]): Promise<boolean> {
  const chosen = (names.length > 0 ? names : Object.keys(REAL_AGENTS)).map((name) => {
    const agent = REAL_AGENTS[name];
    if (agent) return { name, agent };
    throw new Error(`there is no agent ${name}: choose of ${Object.keys(REAL_AGENTS).join(", ")}`);
  });
  let isGood = true;
  for (const { name, agent } of chosen) isGood = (await tryAgent(name, agent)) && isGood;
  return isGood;
}

/** Sessions that go from one agent to another and back, for every two of three. */
export async function runHandoffs(): Promise<boolean> {
  const agents: InstalledAgent[] = [];
  for (const [name, agent] of Object.entries(REAL_AGENTS)) {
    if (!HANDED_ON.includes(name)) continue;
    const program = await installAgent(name, agent, (line) => say(`  ${line}`));
    agents.push({ name, agent, program });
  }
  const model = await startModelServer(note);
  const place = makePlace("handoff", agents, model.url);
  let isGood = true;
  try {
    for (const from of HANDED_ON) {
      for (const to of HANDED_ON.filter((other) => other !== from)) {
        isGood = (await tryHandoff(new Trial(from, place, model), to)) && isGood;
      }
    }
    return isGood;
  } finally {
    await new Trial("", place, model).leave();
  }
}

const HANDED_ON = ["claude", "codex", "gemini"];

function tryHandoff(trial: Trial, to: string): Promise<boolean> {
  const claim = `${trial.agent} to ${to} and back, with what each knew`;
  return takeSteps(trial, [{ claim, run: () => handOnAndBack(trial, to) }]);
}

async function tryAgent(name: string, agent: RealAgent): Promise<boolean> {
  say(`${name}: ${agent.package} ${agent.version}`);
  const program = await installAgent(name, agent, (line) => say(`  ${line}`));
  const model = await startModelServer(note);
  const trial = new Trial(name, makePlace(name, [{ name, agent, program }], model.url), model);
  const stop = (): void => void trial.leave().finally(() => process.exit(130));
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    await trial.installHooks();
    return await takeSteps(trial);
  } finally {
    await trial.leave();
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
  }
}

/** A step needs the earlier ones, so it stops at the first failure. */
async function takeSteps(trial: Trial, steps: readonly Step[] = STEPS): Promise<boolean> {
  for (const { claim, run } of steps) {
    const begun = performance.now();
    const time = (): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
    try {
      const seen = await within(claim, STEP_LIMIT_MS, run(trial));
      say(`  ✓ ${claim.padEnd(54)} ${time().padStart(7)}  ${seen}`);
    } catch (error) {
      if (trial.isOver) return false;
      say(`  ✗ ${claim.padEnd(54)} ${time().padStart(7)}`);
      say(`    ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      await printLog(trial);
      return false;
    }
  }
  return true;
}

/** Belay's log shows best what went wrong. */
async function printLog(trial: Trial): Promise<void> {
  await trial.open().catch(() => undefined);
  const events = await trial.log().catch(() => []);
  for (const { seq, type, data } of events.slice(-30)) {
    say(`    ${String(seq).padStart(4)} ${type} ${JSON.stringify(data).slice(0, 240)}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function note(line: string): void {
  if (process.env.BELAY_AGENTS_VERBOSE) say(`    ${line}`);
}
