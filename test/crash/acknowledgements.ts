import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";

/** What a worker was promised: this text stands in that session's log, at `version` unless that was not known yet. */
export const Acknowledgement = z.object({
  session: z.string(),
  version: z.number().int().nullable(),
  text: z.string(),
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** Puts promises down outside the store, each with one write that a killed process leaves behind. */
export function openAcknowledgements(path: string): (acknowledged: Acknowledgement) => void {
  const file = openSync(path, "a");
  return (acknowledged) => void writeSync(file, `${JSON.stringify(acknowledged)}\n`);
}

export function readAcknowledgements(path: string): Acknowledgement[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => Acknowledgement.parse(JSON.parse(line)));
}
