import { mkdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";

/** A folder inside a project's `.claude`, made if it is not there. Throws where a link would lead out of the project. */
export function projectFolder(cwd: string, name: string): string {
  const root = realpathSync(cwd);
  const claude = join(root, ".claude");
  mkdirSync(claude, { recursive: true });
  refuseOutside(root, claude);
  const folder = join(claude, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseOutside(root, folder);
  return folder;
}

function refuseOutside(root: string, folder: string): void {
  const inside = root.endsWith(sep) ? root : root + sep;
  if (!realpathSync(folder).startsWith(inside)) throw new Error(`${folder} leads out of ${root}`);
}
