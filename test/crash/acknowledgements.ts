import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";

/** A promise to a worker: this text is in that session's log, at `version` unless that was not known yet. */
export const Acknowledgement = z.object({
  session: z.string(),
  version: z.number().int().nullable(),
  text: z.string(),
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** Records promises outside the store, each with one write that survives a kill. */
export function openAcknowledgements(path: string): (acknowledged: Acknowledgement) => void {
  const file = openSync(path, "a");
  return (acknowledged) => void writeSync(file, `${JSON.stringify(acknowledged)}\n`);
}

export function readAcknowledgements(path: string): Acknowledgement[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => Acknowledgement.parse(JSON.parse(line)));
}
