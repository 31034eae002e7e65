import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answers, askEverything, type Subjects } from "./ask-everything.ts";
import { atOnce } from "./at-once.ts";
import { type Trial, tryDamage } from "./damage-trial.ts";
import { findSubjects } from "./find-subjects.ts";
import { openService } from "./open-service.ts";
import { type PreparedData, prepareData } from "./prepared-data.ts";
import { readUnchecked } from "./read-unchecked.ts";
import { runBelay } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { seededRandom } from "./seeded-random.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const SEED = 20_260_301;
/** One altered byte may affect many answers: the first few are enough. */
const SHOWN = 12;
let data: PreparedData;
let expected: { readonly answers: Answers; readonly subjects: Subjects };

beforeAll(async () => {
  data = await prepareData(root);
  const service = await openService(data.checkpointed);
  const subjects = await findSubjects(service);
  expected = { subjects, answers: await askEverything(service, subjects) };
  await service.store.close();
});

describe("a bit that flips", () => {
  it.each([1, 2, 3])(
    "in the database is never served as valid, and missing data is found (%i of 3)",
    async (part) => {
      await flip("belay.db", data.checkpointed, sampleSize({ full: 100, sample: 10 }), SEED + part);
    },
  );

  it("in the write-ahead log is never served as valid, and missing data is found", async () => {
    await flip("belay.db-wal", data.logged, sampleSize({ full: 40, sample: 6 }), SEED);
  });

  it("in the anchor changes no answer", async () => {
    await flip("anchor.log", data.checkpointed, sampleSize({ full: 20, sample: 4 }), SEED);
  });

  it("control: a reader without checks serves altered content", () => {
    const whole = readUnchecked(data.checkpointed);
    const random = seededRandom(SEED);
    const copy = join(root, "unchecked");
    const served = Array.from({ length: 60 }, () => {
      return readUnchecked(data.checkpointed, copy, (folder) =>
        flipOne(folder, "belay.db", random),
      );
    });
    const altered = served.filter((text) => text !== null && text !== whole).length;
    say(`control: a reader without checks served altered content after ${altered} of 60 flips`);
    expect(altered).toBeGreaterThan(0);
  });
});

async function flip(file: string, folder: string, count: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const trials = await atOnce(2, Array.from({ length: count }), async (_, n) => {
    const copy = join(root, `${file}-${n}`);
    let place = "";
    const trial = await tryDamage(
      folder,
      copy,
      expected,
      (home) => {
        place = flipOne(home, file, random);
      },
      file === "belay.db-wal",
    );
    const isVisible = [trial.altered, trial.wrong, trial.refused, trial.missing].flat().length > 0;
    const exit = isVisible ? (await runBelay(copy, ["verify"])).code : null;
    rmSync(copy, { recursive: true });
    return { ...trial, place, exit, isVisible };
  });
  report(`${count} bits flipped in ${file} (simulated, seed ${seed})`, trials);

  const of = (kind: "altered" | "wrong") =>
    trials.flatMap((trial) => trial[kind].map((what) => `${trial.place} ${what}`));
  expect(of("altered").slice(0, SHOWN)).toEqual([]);
  expect(of("wrong").slice(0, SHOWN)).toEqual([]);
  const unnoticed = trials.filter((trial) => trial.isVisible && !(trial.found && trial.exit === 5));
  expect(unnoticed.slice(0, SHOWN)).toEqual([]);
}

type Seen = Trial & { readonly isVisible: boolean };

function report(what: string, trials: readonly Seen[]): void {
  const count = (is: (trial: Seen) => boolean) => trials.filter(is).length;
  const sessions = expected.subjects.sessions.length;
  say(
    `${what}: ${count((trial) => trial.isVisible)} visible, ${count((trial) => trial.altered.length > 0)} served altered, ` +
      `${count((trial) => trial.refused.length > 0)} refused as damaged, ${count((trial) => trial.missing.length > 0)} with something missing, ` +
      `${count((trial) => trial.isVisible && trial.found)} of the visible found by verify, ` +
      `${count((trial) => !trial.isVisible && trial.found)} of the others too`,
  );
  say(
    `  of ${sessions} sessions: one unreadable in ${count((trial) => trial.unreadable === 1)} trials, several in ` +
      `${count((trial) => trial.unreadable > 1 && trial.unreadable < sessions)}, all in ${count((trial) => trial.unreadable === sessions)}`,
  );
}

/** Flips one random bit of the file, and returns its place. */
function flipOne(home: string, file: string, random: (bound: number) => number): string {
  const path = join(home, file);
  const bytes = readFileSync(path);
  const [at, bit] = [random(statSync(path).size), random(8)];
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
  return `bit ${bit} of byte ${at}:`;
}
