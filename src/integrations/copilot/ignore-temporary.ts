import { ignoreInGit } from "../../files/ignore-in-git.ts";
import { withFolder } from "../../files/open-folder.ts";

/** Tells git to ignore the files that Belay writes into a workspace's `.tmp`. */
export function ignoreTemporary(cwd: string): void {
  withFolder({ root: cwd, names: [".tmp"] }, (folder) => ignoreInGit(folder, WRITTEN));
}

const WRITTEN = ["agent_recovery.lock*", "recovery.timeline", "corrupt/", "logs/", ".gitignore"];
