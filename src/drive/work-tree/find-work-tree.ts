import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BelayError, refuse } from "../../contract/errors.ts";
import { errorCode } from "../../files/file-refusal.ts";
import { readFile } from "../../files/read-file.ts";

/** A git work tree, found without running git. Links are followed. */
export interface WorkTree {
  readonly root: string;
  /** The folder with the index of this work tree. */
  readonly git: string;
  /** The folder with objects and refs. A linked work tree shares it with others. */
  readonly common: string;
}

/** The work tree that a folder belongs to. Throws if Belay does not record it. */
export function findWorkTree(cwd: string): WorkTree {
  const folder = realFolder(cwd);
  for (let root = folder; ; root = dirname(root)) {
    const git = gitFolder(root);
    if (git !== null) return expectOwn(expectKnown({ root, git, common: commonFolder(git) }));
    if (root === dirname(root)) {
      throw refused(`${cwd} is not in a git work tree.`, cwd);
    }
  }
}

export function refused(message: string, folder: string): BelayError {
  return new BelayError(refuse("work_tree_refused", message, { folder }));
}

function realFolder(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw refused(`The folder ${cwd} does not exist.`, cwd);
  }
}

/** In a linked work tree and in a submodule, `.git` is a file with the path of the git folder. */
function gitFolder(root: string): string | null {
  const path = join(root, ".git");
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  if (stat.isDirectory()) return realpathSync(path);
  const named = readText(path)?.match(/^gitdir: (.+)$/m)?.[1];
  const git = named === undefined ? null : resolve(root, named);
  if (git === null || !existsSync(git)) {
    throw refused(`${path} does not lead to a git folder.`, root);
  }
  return realpathSync(git);
}

function commonFolder(git: string): string {
  const named = readText(join(git, "commondir"))?.trim();
  return named === undefined ? git : realpathSync(resolve(git, named));
}

function expectKnown(tree: WorkTree): WorkTree {
  if (!existsSync(join(tree.common, "objects"))) {
    throw refused(`${tree.common} is not a git folder.`, tree.root);
  }
  if (existsSync(join(tree.common, "reftable"))) {
    const message = `${tree.root} stores its refs as a reftable. Belay records files only in repositories whose refs are files.`;
    throw refused(message, tree.root);
  }
  return tree;
}

/** Another user could change their own files at any moment. */
function expectOwn(tree: WorkTree): WorkTree {
  const user = process.geteuid?.();
  const { root, git, common } = tree;
  const places = [root, join(root, ".git"), git, common, join(common, "objects")];
  const foreign = places.find((path) => user !== undefined && lstatSync(path).uid !== user);
  if (foreign === undefined) return tree;
  const message = `${foreign} belongs to another user of this computer. Files are recorded and restored in your own repositories only.`;
  throw refused(message, root);
}

/** The name of a git operation that is in progress, or null. */
export function findUnfinished({ git }: WorkTree): string | null {
  const marks: readonly (readonly [string, string])[] = [
    ["rebase-merge", "rebase"],
    ["rebase-apply", "rebase"],
    ["MERGE_HEAD", "merge"],
    ["CHERRY_PICK_HEAD", "cherry-pick"],
    ["REVERT_HEAD", "revert"],
    ["sequencer", "cherry-pick or revert"],
    ["BISECT_LOG", "bisect"],
    ["index.lock", "git command"],
  ];
  return marks.find(([name]) => existsSync(join(git, name)))?.[1] ?? null;
}

/** The commit of a ref, read from the files of git; null if there is none. */
export function readRef(tree: WorkTree, name: string): string | null {
  for (let at = name, steps = 0; steps < 5; steps += 1) {
    const folder = at === "HEAD" ? tree.git : tree.common;
    const text = readText(join(folder, at))?.trim() ?? packedRef(tree, at);
    if (text === null) return null;
    const next = /^ref: (refs\/[^\0]+)$/.exec(text)?.[1];
    if (next === undefined) return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text) ? text : null;
    if (next.split("/").includes("..")) return null;
    at = next;
  }
  return null;
}

function packedRef({ common }: WorkTree, name: string): string | null {
  const lines = readText(join(common, "packed-refs"))?.split("\n") ?? [];
  return lines.find((line) => line.endsWith(` ${name}`))?.split(" ")[0] ?? null;
}

const MOST = 64 * 1024 * 1024;

function readText(path: string): string | null {
  try {
    return readFile(path, { most: MOST })?.toString("utf8") ?? null;
  } catch {
    return null;
  }
}
