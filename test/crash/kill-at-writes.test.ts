import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readAcknowledgements } from "./acknowledgements.ts";
import { atOnce } from "./at-once.ts";
import { copyData } from "./copy-data.ts";
import { findLosses } from "./find-losses.ts";
import { type NearlyFullLog, prepareNearlyFullLog } from "./nearly-full-log.ts";
import { traceWorker } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
let nearlyFull: NearlyFullLog;

beforeAll(async () => {
  nearlyFull = await prepareNearlyFullLog(root);
});

describe("a process that is killed with SIGKILL", () => {
  it("loses nothing acknowledged, at whichever write it dies", async () => {
    const points = await spread("busy", {
      pwrite64: sampleSize({ full: 196, sample: 10 }),
      fsync: sampleSize({ full: 60, sample: 3 }),
      anchor: sampleSize({ full: 40, sample: 2 }),
    });
    await expectNothingLost("from the first opening to the last closing", points, 0.78);
  });

  it("loses nothing acknowledged during a checkpoint of the write-ahead log", async () => {
    const points = await spread("checkpointing", {
      pwrite64: sampleSize({ full: 54, sample: 4 }),
      fsync: sampleSize({ full: 20, sample: 2 }),
      anchor: sampleSize({ full: 4, sample: 1 }),
    });
    await expectNothingLost("around a checkpoint", points, 0.87);
  });

  it("control: a writer that acknowledges too early is seen to lose events", async () => {
    const points = (await spread("busy", { pwrite64: 8, fsync: 0, anchor: 0 })).slice(2);
    const ends = await atOnce(2, points, (point) => killAt({ ...point, mode: "hasty" }));
    const losses = ends.filter(({ problems }) => problems.some((text) => text.includes("lost")));
    say(`control: ${losses.length} of ${ends.length} kills of a hasty writer show a loss`);
    expect(losses.length).toBeGreaterThan(0);
  });
});

interface Point {
  readonly worker: "busy" | "checkpointing";
  readonly call: Call;
  readonly when: number;
  readonly mode?: "hasty";
}
type Call = "pwrite64" | "fsync" | "anchor";

interface Death {
  readonly killed: boolean;
  readonly acknowledged: number;
  readonly settled: number;
  readonly problems: readonly string[];
}

async function expectNothingLost(where: string, points: readonly Point[], share: number) {
  const began = performance.now();
  const deaths = await atOnce(2, points, killAt);
  const killed = deaths.filter((death) => death.killed);
  const sum = (of: (death: Death) => number) =>
    killed.reduce((total, death) => total + of(death), 0);
  say(
    `${killed.length} real SIGKILLs ${where}: ${sum((death) => death.acknowledged)} acknowledged events ` +
      `looked for, ${sum((death) => death.problems.length)} lost; ` +
      `${sum((death) => Number(death.settled > 0))} died between commit and anchor ` +
      `(${Math.round((performance.now() - began) / 1000)} s)`,
  );
  expect(
    deaths.flatMap(({ problems }, at) => problems.map((what) => ({ what, ...points[at] }))),
  ).toEqual([]);
  expect(killed.length).toBeGreaterThanOrEqual(Math.floor(points.length * share));
}

/** Kills a worker as it enters the n-th call of its kind, and checks what is left. */
async function killAt({ worker, call, when, mode }: Point): Promise<Death> {
  const { home, said, before } = prepare(worker);
  const args = [home, said, ...(mode ? [mode] : [])];
  const { signal, code, stderr } = await traceWorker(
    [
      "-o",
      "/dev/null",
      ...filter(call, home),
      "-e",
      `inject=${nameOf(call)}:signal=SIGKILL:when=${when}`,
    ],
    worker,
    args,
  );
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`the worker failed by itself: ${stderr}`);
  const acknowledgements = [...before, ...readAcknowledgements(said)];
  const recovery = await findLosses(home, acknowledgements);
  rmSync(join(home, ".."), { recursive: true });
  return { killed: signal === "SIGKILL", acknowledged: acknowledgements.length, ...recovery };
}

/** This many points of each kind, spread evenly over an undisturbed run, plus the first and last of each file. */
async function spread(worker: Point["worker"], wanted: Record<Call, number>): Promise<Point[]> {
  const { home, said } = prepare(worker);
  const trace = join(home, "..", "trace");
  await traceWorker(["-y", "-o", trace, "-e", "trace=pwrite64,fsync,write"], worker, [home, said]);
  const files: Record<Call, string[]> = { pwrite64: [], fsync: [], anchor: [] };
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    const [, name, path = ""] = /(pwrite64|fsync|write)\(\d+<([^>]*)>/.exec(line) ?? [];
    if (!path.startsWith(home)) continue;
    if (name === "pwrite64" || name === "fsync") files[name].push(path);
    else if (path.endsWith("anchor.log")) files.anchor.push(path);
  }
  const calls = ["pwrite64", "fsync", "anchor"] as const;
  return calls.flatMap((call) => {
    const of = files[call];
    const count = Math.min(wanted[call], of.length);
    const evenly = Array.from({ length: count }, (_, n) => Math.floor((n * of.length) / count));
    const ends = [...new Set(of)].flatMap((file) => [of.indexOf(file), of.lastIndexOf(file)]);
    const chosen = new Set(count === 0 ? [] : [...evenly, ...ends]);
    return [...chosen].sort((a, b) => a - b).map((at) => ({ worker, call, when: at + 1 }));
  });
}

function filter(call: Call, home: string): string[] {
  const trace = ["-e", `trace=${nameOf(call)}`];
  return call === "anchor" ? ["-P", join(home, "anchor.log"), ...trace] : trace;
}

function nameOf(call: Call): string {
  return call === "anchor" ? "write" : call;
}

let prepared = 0;

function prepare(worker: Point["worker"]) {
  prepared += 1;
  const folder = join(root, `run-${prepared}`);
  const home = join(folder, "home");
  mkdirSync(folder);
  if (worker === "busy") return { home, said: join(folder, "said"), before: [] };
  copyData(nearlyFull.folder, home);
  return { home, said: join(folder, "said"), before: nearlyFull.acknowledgements };
}
