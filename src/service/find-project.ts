import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Project } from "../contract/events.ts";
import { readFile } from "../files/read-file.ts";

/** The working folder with its git repository and branch, read without running git. */
export function findProject(cwd: string): Project {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const git = gitFolder(folder);
    if (git) return { cwd, repo: folder, branch: readBranch(git) };
    if (folder === dirname(folder)) return { cwd, repo: null, branch: null };
  }
}

/** In a worktree, `.git` is a file with the path of the git folder. */
function gitFolder(folder: string): string | null {
  const path = join(folder, ".git");
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  if (stat.isDirectory()) return path;
  return readText(path)?.match(/^gitdir: (.+)$/m)?.[1] ?? null;
}

function readBranch(git: string): string | null {
  return readText(join(git, "HEAD"))?.match(/^ref: refs\/heads\/(.+)$/m)?.[1] ?? null;
}

function readText(path: string): string | null {
  try {
    return readFile(path, { followLinks: true })?.toString("utf8") ?? null;
  } catch {
    return null;
  }
}
