import { rmSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointFiles } from "../../contract/branch/checkpoint-files.ts";
import { withFolder } from "../../files/open-folder.ts";
import { removeFile } from "../../files/remove-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { readRef, refused, type WorkTree } from "./find-work-tree.ts";
import { listFiles, split } from "./list-files.ts";
import { GitFailure } from "./run-git.ts";
import type { ShadowRepository } from "./shadow-repository.ts";

/** The present files as a git tree. No ref points to it yet. */
type RecordedTree = Pick<CheckpointFiles, "tree" | "count" | "bytes">;

export async function recordTree(shadow: ShadowRepository): Promise<RecordedTree> {
  const { paths, bytes } = await listFiles(shadow);
  try {
    return { tree: await writeTree(shadow, paths), count: paths.length, bytes };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    // Git may have removed objects that Belay's index still names. Reading all files again writes them again.
    rmSync(join(shadow.folder, "index"), { force: true });
    return { tree: await writeTree(shadow, paths), count: paths.length, bytes };
  }
}

async function writeTree({ git, folder }: ShadowRepository, paths: readonly string[]) {
  rmSync(join(folder, "index.lock"), { force: true });
  const wanted = new Set(paths);
  const known = split(await git(["ls-files", "-z", "--cached"]));
  const gone = known.filter((path) => !wanted.has(path));
  const update = (how: readonly string[], input: readonly string[]) =>
    git(["update-index", ...how, "-z", "--stdin"], { input: join0(input) });
  if (gone.length > 0) await update(["--force-remove"], gone);
  await update(["--add", "--remove", "--replace"], paths);
  return (await git(["write-tree"])).toString().trim();
}

function join0(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join("");
}

/** Commits a tree under a ref of Belay, so that git keeps it. */
export async function commitTree(
  { tree, git }: ShadowRepository,
  recorded: RecordedTree,
  id: string,
): Promise<CheckpointFiles> {
  const make = (parents: readonly string[]) =>
    git(["commit-tree", recorded.tree, ...parents], { input: `Checkpoint ${id}\n` });
  const head = readRef(tree, "HEAD");
  // A partial or damaged repository may not have the commit.
  const made = await make(head === null ? [] : ["-p", head]).catch(() => make([]));
  const commit = made.toString().trim();
  const names = refOf(id, commit).split("/");
  const name = names.pop() ?? "";
  withFolder({ root: tree.common, names }, (folder) =>
    replaceFile(folder.entry(name), `${commit}\n`, { mode: 0o644 }),
  );
  return { root: tree.root, commit, ...recorded };
}

/** The tree of a commit. */
export async function treeOf({ git, tree }: ShadowRepository, commit: string): Promise<string> {
  try {
    return (await git(["rev-parse", "--verify", "--quiet", `${commit}^{tree}`])).toString().trim();
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw refused(`${tree.root} has no commit ${commit} any more.`, tree.root);
  }
}

/** Each commit has its own ref, so a ref is never replaced. */
export function refOf(id: string, commit: string): string {
  return `refs/belay/checkpoints/${id.replace(/[^A-Za-z0-9-]/g, "_")}-${commit.slice(0, 12)}`;
}

/** Removes the ref of a checkpoint that was not saved. */
export function forgetCommit({ common }: WorkTree, id: string, commit: string): void {
  removeFile(join(common, refOf(id, commit)));
}
