import { join } from "node:path";
import { readFile } from "./read-file.ts";
import { removeFile } from "./remove-file.ts";
import { replaceFile } from "./replace-file.ts";

const NAME = "redaction.json";

/** True if secrets are replaced before they are stored in this data folder. A damaged file counts as true. */
export function readRedactionMark(home: string): boolean {
  return readFile(join(home, NAME)) !== null;
}

export function writeRedactionMark(home: string, isOn: boolean): void {
  const path = join(home, NAME);
  if (isOn) replaceFile(path, `${JSON.stringify({ redact: "store" })}\n`);
  else removeFile(path);
}
