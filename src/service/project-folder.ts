import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** A folder inside a project's `.claude`, made if it is not there. Throws where a link would lead out of the project. */
export function projectFolder(cwd: string, name: string): string {
  const root = realpathSync(cwd);
  const claude = join(root, ".claude");
  makeFolder(claude);
  refuseOutside(root, claude);
  const folder = join(claude, name);
  makeFolder(folder);
  refuseOutside(root, folder);
  return folder;
}

function refuseOutside(root: string, folder: string): void {
  const inside = root.endsWith(sep) ? root : root + sep;
  if (!realpathSync(folder).startsWith(inside)) throw new Error(`${folder} leads out of ${root}`);
}
