import { seededRandom } from "../../crash/seeded-random.ts";
import type { Control } from "../controls.ts";
import { problemsOf } from "../judge.ts";
import type { Scenario } from "../scenario.ts";
import { everyScenario, mixedScenario } from "../scenario.ts";
import type { Tally } from "../tally.ts";
import { emptyTally } from "../tally.ts";
import type { Death, Life } from "./life.ts";
import { liveThrough } from "./life.ts";

export interface Share {
  readonly seed: number;
  /** The number of this lane among those that share the work. */
  readonly lane: number;
  readonly lanes: number;
  readonly milliseconds: number;
  /** Uses only every n-th scenario in the first round. */
  readonly stride: number;
}

/**
 * First interrupted rollbacks, and one death at every beat of every scenario. Then, until the time is up, these and
 * mixed scenarios with a first death somewhere, a second at every later beat, and sometimes a third.
 */
export async function sweep(
  { seed, lane, lanes, milliseconds, stride }: Share,
  onProgress: (tally: Tally) => void,
): Promise<Tally> {
  const until = performance.now() + milliseconds;
  const random = seededRandom(seed + lane * 7919);
  const tally = emptyTally();
  const scenarios = everyScenario();
  if (lane === 0) await breakRollbacks(scenarios, tally);
  const mine = scenarios.filter((_, nth) => nth % (lanes * stride) === lane * stride);
  for (const scenario of mine) {
    await everyDeath(scenario, [], tally);
    onProgress(tally);
  }
  while (performance.now() < until) {
    const scenario =
      random(4) === 0 ? mixedScenario("session-1", random) : scenarios[random(scenarios.length)];
    if (!scenario) continue;
    const { beats } = await liveThrough(scenario, []);
    const first = {
      at: 1 + random(beats),
      ...pauseFor(scenario, random),
      wake: 1 + random(40),
    };
    const followed = await liveThrough(scenario, [first]);
    const second = { at: 1 + random(Math.max(1, followed.beats)) };
    await everyDeath(scenario, random(3) === 0 ? [first, second] : [first], tally, until);
    onProgress(tally);
  }
  return tally;
}

/** A death at every beat after a first one that leaves something to undo. */
async function breakRollbacks(scenarios: readonly Scenario[], tally: Tally): Promise<void> {
  for (const scenario of scenarios.filter(({ answer }) => answer === "rollback")) {
    const { beats } = await liveThrough(scenario, []);
    for (let at = 1; at <= beats; at += 1) {
      if ((await liveThrough(scenario, [{ at }])).listed === 0) continue;
      await everyDeath(scenario, [{ at }], tally);
      break;
    }
  }
}

/** After the given deaths, one more at each later beat, until it runs through. */
async function everyDeath(
  scenario: Scenario,
  before: readonly Death[],
  tally: Tally,
  until = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let at = 1; performance.now() < until; at += 1) {
    const kinds = before.length === 0 ? pausesFor(scenario) : [{}];
    for (const kind of kinds) {
      const deaths = [...before, { at, ...kind, wake: 6 + ((at * 7) % 16) }];
      const life = await liveThrough(scenario, deaths);
      count(tally, scenario, deaths, life);
      if (life.deaths < deaths.length) return;
    }
  }
}

const PAUSES = [
  {},
  { pause: "until recovered" },
  { pause: "until answered" },
  { pause: "until the end" },
  { pause: "while others work" },
] as const satisfies readonly Omit<Death, "at">[];

/** Only a lease can tell a sleeper that it was replaced. */
function pausesFor({ mode }: Scenario): readonly Omit<Death, "at">[] {
  return mode === "held" ? PAUSES : PAUSES.slice(0, 1);
}

function pauseFor(scenario: Scenario, random: (bound: number) => number): Omit<Death, "at"> {
  const pauses = pausesFor(scenario);
  return pauses[random(pauses.length)] ?? {};
}

function count(tally: Tally, scenario: Scenario, deaths: readonly Death[], life: Life): void {
  tally.scenarios += 1;
  tally.deaths += life.deaths;
  tally.acknowledged += life.acknowledged;
  tally.lost += life.lost.length;
  tally.duplicated += life.duplicated.length;
  tally.other += life.other.length;
  tally.listed += life.listed;
  const problems = problemsOf(life);
  if (problems.length === 0 || tally.violations.length >= 20) return;
  tally.violations.push(`${problems.join("; ")}\n    ${JSON.stringify({ scenario, deaths })}`);
}

/** How often a broken setup is caught, with one death at every beat of some scenarios, until it is enough. */
export async function sweepControl(control: Control, enough: number): Promise<number> {
  let caught = 0;
  const all = everyScenario();
  // Neighbours are similar, so they are not used one after the other.
  const scenarios = all.map((_, nth) => all[(nth * 23) % all.length]).filter((one) => one);
  for (const scenario of scenarios) {
    for (let at = 1; scenario && caught < enough; at += 1) {
      let isOver = false;
      for (const kind of pausesFor(scenario)) {
        const wake = 6 + ((at * 7) % 16);
        const life = await liveThrough(scenario, [{ at, ...kind, wake }], control);
        if (life[control.shows].length > 0) caught += 1;
        isOver ||= life.deaths === 0;
      }
      if (isOver) break;
    }
  }
  return caught;
}
