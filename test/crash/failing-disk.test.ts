import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAcknowledgements } from "./acknowledgements.ts";
import { atOnce } from "./at-once.ts";
import { readMet, refusals } from "./failing-disk.ts";
import { findLosses } from "./find-losses.ts";
import { traceWorker } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const TURNS = 10;
/** A new data folder and these turns need at least this many. */
const FSYNCS = 20;

describe("a disk that fails", () => {
  it("once, at any fsync: a typed refusal, nothing acknowledged lost, the next write succeeds", async () => {
    const step = sampleSize({ full: 1, sample: 4 });
    const numbers = Array.from({ length: FSYNCS }, (_, n) => n + 1).filter((n) => n % step === 0);
    const faults = numbers.map((n) => `fsync:error=EIO:when=${n}`);
    const runs = await atOnce(2, faults, (fault) => runWith(fault));
    expectHonest(runs, "storage_failed");
    expectToGoOn(runs);
    summarise("EIO at one fsync", runs);
  });

  it("three times in a row: the same", async () => {
    const faults = [14, 15, 16, 17].map((n) => `fsync:error=EIO:when=${n}..${n + 2}`);
    const runs = await atOnce(2, faults, (fault) => runWith(fault));
    expectHonest(runs, "storage_failed");
    expectToGoOn(runs);
    summarise("EIO at three fsyncs", runs);
  });

  it("for good: every write is refused, and reads go on", async () => {
    const runs = await atOnce(2, [17, 20], (n) => runWith(`fsync:error=EIO:when=${n}+`));
    expectHonest(runs, "storage_failed");
    expect(runs.every(({ met }) => met.at(-1)?.code === "storage_failed")).toBe(true);
    summarise("EIO at every later fsync", runs);
  });

  it("at a write: the same as at an fsync", async () => {
    const faults = [60, 75, 90, 105].map((n) => `pwrite64:error=EIO:when=${n}`);
    const runs = await atOnce(2, faults, (fault) => runWith(fault));
    expectHonest(runs, "storage_failed");
    expectToGoOn(runs);
    summarise("EIO at one write", runs);
  });

  it("control: a worker that counts refusals as success is seen to lose events", async () => {
    const runs = await atOnce(2, [17, 18, 19], (n) => runWith(`fsync:error=EIO:when=${n}`, "deaf"));
    const losses = runs.filter(({ problems }) => problems.some((text) => text.includes("lost")));
    say(`control: ${losses.length} of ${runs.length} runs of a deaf worker show a loss`);
    expect(losses.length).toBeGreaterThan(0);
  });
});

type Run = Awaited<ReturnType<typeof runWith>>;

async function runWith(fault: string, mode = "honest") {
  const folder = join(root, `${mode} ${fault.replaceAll(/[^\w.+=]/g, " ")}`);
  const home = join(folder, "home");
  const said = join(folder, "said");
  const trace = join(folder, "trace");
  mkdirSync(folder);
  const [call = ""] = fault.split(":");
  const strace = ["-o", trace, "-e", `trace=${call}`, "-e", `inject=${fault}`];
  const ending = await traceWorker(strace, "stubborn", [home, said, `${TURNS}`, mode]);
  const met = readMet(ending);
  const injected = readFileSync(trace, "utf8").split("(INJECTED)").length - 1;
  const acknowledgements = readAcknowledgements(said);
  const { problems } = await findLosses(home, acknowledgements);
  return { fault, met, injected, problems, acknowledged: acknowledgements.length };
}

function expectHonest(runs: readonly Run[], code: string): void {
  expect(runs.filter(({ injected }) => injected === 0)).toEqual([]);
  expect(runs.flatMap(({ fault, problems }) => problems.map((what) => ({ fault, what })))).toEqual(
    [],
  );
  const wrong = runs.flatMap(({ fault, met }) =>
    met
      .filter((one) => !one.reads || (one.code !== null && one.code !== code))
      .map((one) => ({ fault, ...one })),
  );
  expect(wrong).toEqual([]);
  expect(runs.flatMap(({ met }) => refusals(met)).length).toBeGreaterThan(0);
}

/** Each fault costs at most one refusal: the next write succeeds. */
function expectToGoOn(runs: readonly Run[]): void {
  const stuck = runs.filter(({ met, injected }) => refusals(met).length > injected);
  expect(stuck).toEqual([]);
}

function summarise(what: string, runs: readonly Run[]): void {
  const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0);
  say(
    `${what}: ${runs.length} runs, ${sum((run) => run.injected)} faults, ` +
      `${sum(({ met }) => refusals(met).length)} refusals, ` +
      `${sum((run) => run.acknowledged)} acknowledged, ${sum((run) => run.problems.length)} lost`,
  );
}
