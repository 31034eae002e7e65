import { existsSync } from "node:fs";
import { join } from "node:path";
import { visibleLine } from "../../contract/visible-text.ts";
import { withFolder } from "../../files/open-folder.ts";
import { replaceFile } from "../../files/replace-file.ts";

/** One line of a timeline: time, event, step and result. */
export type TimelineLine = readonly [
  timestamp: string | null,
  type: string,
  step: string | null,
  result: string | null,
];

const NAME = "recovery.timeline";

/** Writes `.tmp/recovery.timeline` of a workspace. If nothing is new, the existing one stays. */
export function writeTimeline(cwd: string, lines: readonly TimelineLine[]): string {
  return withFolder({ root: cwd, names: [".tmp"] }, (folder) => {
    const path = join(folder.path, NAME);
    if (lines.length > 0 || !existsSync(path)) {
      replaceFile(folder.entry(NAME), lines.map((line) => `${toText(line)}\n`).join(""));
    }
    return path;
  });
}

function toText(line: TimelineLine): string {
  return line.map((text) => visibleLine(text ?? "-")).join("\t");
}
