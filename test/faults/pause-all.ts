import { join } from "node:path";
import { expect, type TestContext, vi } from "vitest";
import { sampleSize } from "../crash/sample-size.ts";
import { say } from "../crash/say.ts";
import { apart, type Pause, pauseWriter } from "./pause-writer.ts";
import { recorderProblem } from "./recorder.ts";

/** Where the stopped writer runs. */
export const WAYS = [
  { isApart: false, where: "beside the others" },
  { isApart: true, where: "in a pid namespace of its own" },
];

export const LENGTHS_MS = sampleSize({ full: 1, sample: 0 })
  ? [1000, 5000, 15_000, 60_000, 300_000]
  : [1000];
export const pauses = { timeout: sampleSize({ full: 20, sample: 3 }) * 60_000 };

export function skipUnlessPossible(context: TestContext, isApart: boolean): void {
  if (recorderProblem !== null) context.skip(recorderProblem);
  if (isApart && !apart) context.skip("pid namespaces are not permitted here");
}

/** All these pauses at the same time, each on a new store in this folder. Returns the codes of all refusals. */
export async function pauseAll(
  folder: string,
  env: Readonly<Record<string, string>>,
  trials: readonly Omit<Pause, "folder" | "env">[],
): Promise<string[]> {
  for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
  const ends = trials.map((trial, n) =>
    pauseWriter({ ...trial, folder: join(folder, `${n}`), env }),
  );
  // One that fails must not leave the programs of others behind.
  await Promise.allSettled(ends);
  const all = await Promise.all(ends);
  expect(all.flatMap(({ problems }) => problems)).toEqual([]);
  const codes = all.flatMap(({ refusals }) => refusals.map(({ code }) => code));
  say(`${all.length} pauses of a writer: ${codes.length} writes were refused meanwhile`);
  return codes;
}
