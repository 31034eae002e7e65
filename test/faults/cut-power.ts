import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Acknowledgement } from "../crash/acknowledgements.ts";
import { seededRandom } from "../crash/seeded-random.ts";
import { type Cut, PowerCut, readFolder } from "./power-cut.ts";
import { type Note, readRecording } from "./read-recording.ts";
import { type Recorded, recording, startRecorded } from "./recorder.ts";

/** Programs that ran to their end on one data folder, and everything that they changed. */
export interface RecordedRun {
  /** The folder with the data folder and the promises. */
  readonly root: string;
  readonly notes: readonly Note[];
  /** The disk before the first note. As a control, the syncs of files with some names can be ignored. */
  start(isIgnored?: (name: string) => boolean): PowerCut;
}

/** The data folder, and the file with the promises. */
const HOME = "home";
const SAID = "said";

/** Records what happens below the folder while `work` runs. */
export async function record(place: Recorded, work: () => Promise<void>): Promise<RecordedRun> {
  const before = readFolder(place.root);
  await work();
  const start: RecordedRun["start"] = (isIgnored) => new PowerCut(before, isIgnored);
  return { root: place.root, notes: readRecording(place.notes), start };
}

/** Runs two recorded programs at the same time, each as many rounds of work. */
export async function writeTogether(
  place: Recorded,
  env: Readonly<Record<string, string>>,
  rounds: number,
): Promise<void> {
  const [home, said] = [join(place.root, HOME), join(place.root, SAID)];
  const ends = ["ann", "bob"].map(async (name) => {
    const recorded = { ...recording(place), ...env };
    const child = await startRecorded("recorded", [home, said, name, `${rounds}`], recorded);
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`${name} ended with ${code}`);
  });
  await Promise.all(ends);
}

/** The files whose recorded contents are not those that they have; empty if the recorder missed nothing. */
export function findMissed({ root, notes, start }: RecordedRun): string[] {
  const disk = start();
  for (const note of notes) disk.follow(note);
  const missed: string[] = [];
  disk.visit((path, bytes) => {
    if (!readFileSync(join(root, path)).equals(bytes)) missed.push(path);
  });
  return missed;
}

/** The disks of power cuts at places that are spread over a run: each kind of disk for each place. */
export function chooseCuts({ notes }: RecordedRun, places: number, seed: number): CutTrial[] {
  const random = seededRandom(seed);
  const ats = Array.from({ length: places }, () => random(notes.length + 1));
  return ats
    .sort((one, other) => one - other)
    .flatMap((at) => KINDS.map((kind) => ({ ...kind, at })));
}

interface CutTrial extends Cut {
  /** The number of notes before the cut. */
  readonly at: number;
}

const KINDS: readonly Cut[] = [
  { contents: "none", names: "ordered" },
  { contents: "prefix", names: "ordered" },
  { contents: "pages", names: "ordered" },
  { contents: "pages", names: "strict" },
];

type FindLosses = (
  home: string,
  promises: readonly Acknowledgement[],
) => Promise<readonly string[]>;

/**
 * Builds each disk in a folder that does not exist, and looks for the promises that the programs had made by then. Returns
 * the trials with losses.
 */
export async function cutPower(
  run: RecordedRun,
  trials: readonly CutTrial[],
  folder: string,
  findLosses: FindLosses,
  isIgnored?: (name: string) => boolean,
) {
  const disk = run.start(isIgnored);
  const lost: (CutTrial & { readonly problems: readonly string[] })[] = [];
  let promised = "";
  let said: number | undefined;
  let at = 0;
  for (const [n, trial] of trials.entries()) {
    for (const note of run.notes.slice(at, trial.at)) {
      disk.follow(note);
      if (note.kind === "file" && note.name === SAID) said = note.inode;
      if (note.kind === "write" && note.inode === said) promised += note.bytes.toString();
    }
    at = trial.at;
    disk.build(trial, seededRandom(at + n), folder);
    const lines = promised.split("\n").filter(Boolean);
    const promises = lines.map((line) => Acknowledgement.parse(JSON.parse(line)));
    const problems = await findLosses(join(folder, HOME), promises);
    if (problems.length > 0) lost.push({ ...trial, problems });
    rmSync(folder, { recursive: true, force: true });
  }
  return lost;
}
