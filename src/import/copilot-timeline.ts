import { join } from "node:path";
import { withFolder } from "../files/open-folder.ts";
import { replaceFile } from "../files/replace-file.ts";
import type { LogRecord } from "./copilot-event-log.ts";
import { textOf } from "./copilot-event-log.ts";

/** Writes `.tmp/recovery.timeline`: what happened since the cursor, a line each. Null: nothing did. */
export function writeTimeline(
  cwd: string,
  records: readonly LogRecord[],
  cursor: number,
): string | null {
  const since = records.filter((record) => record.end > cursor);
  if (since.length === 0) return null;
  return withFolder({ root: cwd, names: [".tmp"] }, (folder) => {
    replaceFile(folder.entry(NAME), since.map((record) => `${lineOf(record)}\n`).join(""));
    return join(folder.path, NAME);
  });
}

const NAME = "recovery.timeline";

function lineOf({ timestamp, type, step, fields }: LogRecord): string {
  const result = textOf(fields.status) ?? textOf(fields.result);
  return [timestamp, type, step, result]
    .map((text) => (text ?? "-").replaceAll(/\p{Cc}+/gu, " "))
    .join("\t");
}
