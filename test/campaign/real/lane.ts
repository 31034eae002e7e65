import { rmSync } from "node:fs";
import { z } from "zod";
import { SessionRecovery } from "../../../src/contract/recovery.ts";
import { seededRandom } from "../../crash/seeded-random.ts";
import type { Bundles } from "../bundle-campaign.ts";
import type { ControlName } from "../controls.ts";
import { problemsOf } from "../judge.ts";
import type { Tally } from "../tally.ts";
import { emptyTally } from "../tally.ts";
import { judgePlace, lengthsOf, makePlace } from "./place.ts";
import type { Ended, Kill } from "./run-process.ts";
import { runProcess } from "./run-process.ts";

export interface Lane {
  readonly bundles: Bundles;
  readonly seed: number;
  /** The path prefix of the data folders. */
  readonly folder: string;
  readonly name: string;
  /** Checked before each new data folder. */
  isTimeUp(): boolean;
  readonly control?: ControlName;
  /** In each data folder. */
  readonly sessions?: number;
}

const SESSIONS = 8;

const Swept = z.object({ sessions: z.array(SessionRecovery) });
const MOST_ROUNDS = 400;

/** One data folder after the other: its programs are killed, recovered, answered and restarted until all are done. */
export async function runLane(lane: Lane, onProgress: (tally: Tally) => void): Promise<Tally> {
  const random = seededRandom(lane.seed);
  const tally = emptyTally();
  for (let nth = 1; !lane.isTimeUp(); nth += 1) {
    await runPlace(lane, `${lane.name}-${nth}`, random, tally);
    onProgress(tally);
  }
  return tally;
}

async function runPlace(
  lane: Lane,
  name: string,
  random: (bound: number) => number,
  tally: Tally,
): Promise<void> {
  const { place, scenarios } = makePlace(lane.folder, name, lane.sessions ?? SESSIONS, random);
  const problems = await killUntilDone(lane, place, random, tally);
  const verdicts = problems.length > 0 ? [] : await judgePlace(place, scenarios);
  tally.scenarios += scenarios.length;
  for (const verdict of verdicts) {
    tally.lost += verdict.lost.length;
    tally.duplicated += verdict.duplicated.length;
    tally.listed += verdict.listed;
    tally.acknowledged += verdict.acknowledged;
    problems.push(...problemsOf(verdict));
    tally.other += verdict.other.length;
  }
  if (verdicts.length === 0) tally.other += problems.length;
  if (problems.length === 0 || lane.control) return rmSync(place, { recursive: true, force: true });
  tally.violations.push(`${problems.slice(0, 5).join("; ")}\n    what is left of it: ${place}`);
}

/** Empty if all programs finished; otherwise the problem. */
async function killUntilDone(
  { bundles, control }: Lane,
  place: string,
  random: (bound: number) => number,
  tally: Tally,
): Promise<string[]> {
  const variables = { BELAY_HOME: `${place}/home`, NODE_COMPILE_CACHE: `${bundles.folder}/cache` };
  const kill = (span: number, writes: number): Kill =>
    random(2) === 0
      ? { kind: "after", milliseconds: random(span) }
      : {
          kind: "at call",
          call: random(4) === 0 ? "fsync" : "pwrite64",
          nth: 1 + random(writes),
        };
  const work = async (role: string, span: number, isMortal: boolean): Promise<Ended> => {
    const how = isMortal ? random(5) : -1;
    const dieAt = how >= 2 ? 1 + random(span) : 0;
    const args = [bundles.worker, role, place, `${dieAt}`, control ?? ""];
    return runProcess(args, variables, how === 0 || how === 1 ? kill(90, 90) : undefined);
  };
  const recover = (isMortal: boolean): Promise<Ended> =>
    control === "recovery repeats what is unknown"
      ? work("recover", 40, isMortal)
      : runProcess(
          [bundles.belay, "recover", "--json"],
          variables,
          isMortal ? kill(250, 14) : undefined,
        );

  /** Repeats until one run is not killed. */
  const insist = async (run: (isMortal: boolean) => Promise<Ended>, odds: number) => {
    for (;;) {
      const ended = await run(random(odds) === 0);
      if (!ended.killed) return ended;
      tally.deaths += 1;
    }
  };

  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const program = await work("program", 140, true);
    if (program.code === 0) return [];
    if (!program.killed) return [`the program failed: ${program.stderr.slice(0, 800)}`];
    tally.deaths += 1;
    const recovered = await insist(recover, 3);
    if (recovered.code !== 0) return [`recovery failed: ${recovered.stderr.slice(0, 800)}`];
    const { sessions } = Swept.parse(JSON.parse(recovered.stdout.replace(/^up\n/, "")));
    if (random(6) === 0 && !control) {
      const before = await lengthsOf(place);
      await recover(false);
      if ((await lengthsOf(place)) !== before)
        return ["recovery changes something the second time"];
    }
    const question = sessions.find(({ approval_id }) => approval_id !== null)?.approval_id;
    if (question && random(4) === 0) {
      const say = [bundles.belay, "answer", question, "continue", "--json"];
      const said = await insist(
        (m) => runProcess(say, variables, m ? kill(250, 10) : undefined),
        3,
      );
      // A killed process may have succeeded.
      if (
        said.code !== 0 &&
        !said.stderr.includes("approval_closed") &&
        !said.stdout.includes("approval_closed")
      ) {
        return [`the answer failed: ${said.stderr.slice(0, 800)}`];
      }
    }
    const person = await insist((isMortal) => answerAfterRecovery(isMortal), 4);
    if (person.code !== 0) return [`the person failed: ${person.stderr.slice(0, 800)}`];
  }
  return ["it does not come to an end"];

  /** A killed person may leave a rollback half done, so recovery comes first again. */
  async function answerAfterRecovery(isMortal: boolean): Promise<Ended> {
    const ended = await work("person", 60, isMortal);
    if (ended.killed) await recover(false);
    return ended;
  }
}
