import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { BelayError, refuse } from "../contract/errors.ts";
import { isMissing } from "../files/file-refusal.ts";
import type { ReportDamage } from "./conversation.ts";
import { Pace } from "./pace.ts";

/**
 * The files below a folder that a reader can read, or the one named file. Links below it are not followed, because they
 * may lead to other files of this user. An unreadable folder is reported and hides no others.
 */
export async function findFiles(
  path: string,
  files: RegExp,
  report: ReportDamage,
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const root = realPath(path);
  if (lstatSync(root).isFile()) return [root];
  const found: string[] = [];
  const folders = [root];
  const pace = new Pace();
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (found.length >= most) break;
    if (pace.isDue) await pace.rest();
    for (const entry of entriesOf(folder, report)) {
      const inside = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!ELSEWHERE.has(entry.name)) folders.push(inside);
      } else if (entry.isFile() && files.test(inside)) found.push(inside);
    }
  }
  return found.sort();
}

/** Large folders in which no tool stores conversations. */
const ELSEWHERE = new Set(["node_modules", ".git"]);

/** True if there is anything to import. A missing path has nothing. */
export async function hasFiles(path: string, files: RegExp): Promise<boolean> {
  if (!existsSync(path)) return false;
  return (await findFiles(path, files, () => {}, 1)).length > 0;
}

function entriesOf(folder: string, report: ReportDamage) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    report({ file: folder, line: null, why });
    return [];
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    const message = `File or folder not found: ${path}. Check the path.`;
    throw new BelayError(refuse("invalid_input", message, { path }), cause);
  }
}
