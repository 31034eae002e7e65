import { z } from "zod";
import type { Ending } from "./run-worker.ts";

/** The results of the stubborn worker, one line for each attempt. */
const Met = z.object({ did: z.string(), code: z.string().nullable(), reads: z.boolean() });
export type Met = z.infer<typeof Met>;

export function readMet({ code, signal, stdout, stderr }: Ending): Met[] {
  if (code !== 0) throw new Error(`the worker ended with ${code ?? signal}: ${stderr}`);
  const lines = stdout.split("\n").filter(Boolean);
  return lines.map((line) => Met.parse(JSON.parse(line)));
}

export function refusals(met: readonly Met[]): string[] {
  return met.flatMap(({ code }) => code ?? []);
}
