import { hash } from "node:crypto";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckpointFiles, FilesDifference } from "../../contract/branch/checkpoint-files.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import { acquireLock, findHolder } from "../../files/lock.ts";
import { makeFolder } from "../../files/make-folder.ts";
import type { WorkTreeAccess } from "../../service/checkpoint/work-tree-access.ts";
import { compareTrees, describeChanges } from "./compare-trees.ts";
import { findUnfinished, findWorkTree, readRef, refused, type WorkTree } from "./find-work-tree.ts";
import { commitTree, forgetCommit, recordTree, refOf, treeOf } from "./record-files.ts";
import { restoreFiles, settleRestore } from "./restore-files.ts";
import type { RestoreJournal } from "./restore-journal.ts";
import { findGit, GitFailure } from "./run-git.ts";
import { openShadow, type ShadowRepository } from "./shadow-repository.ts";

interface WorkTreesDeps {
  /** The data folder. */
  readonly home: string;
  /** True if the user has trusted the work tree with this root. */
  isTrusted(root: string): boolean;
  /** True if the log has a checkpoint with this id. */
  isSaved(owner: string, checkpoint_id: string): Promise<boolean>;
  onNotice(text: string): void;
}

/** Records and restores files of git work trees. Each work tree has one operation at a time. */
export function createWorkTrees(deps: WorkTreesDeps): WorkTreeAccess {
  const isOnRecord = (of: RestoreJournal) => deps.isSaved(of.owner, of.undo);
  const open = <T>(cwd: string, work: (shadow: ShadowRepository, place: string) => Promise<T>) =>
    inWorkTree(deps, cwd, work);
  return {
    record: (cwd, id) =>
      open(cwd, async (shadow) => {
        const files = await commitTree(shadow, await recordTree(shadow), id);
        return { files, forget: () => forgetCommit(shadow.tree, id, files.commit) };
      }),
    compare: (files, id) =>
      open(files.root, async (shadow) => {
        expectKept(shadow, files, id);
        const { tree } = await recordTree(shadow);
        return (await differ(shadow, files, tree)).difference;
      }),
    restore: ({ files, checkpoint_id, owner, undo, expected }, record) =>
      open(files.root, async (shadow, place) => {
        expectKept(shadow, files, checkpoint_id);
        expectSettled(shadow.tree);
        const before = await commitTree(shadow, await recordTree(shadow), undo);
        try {
          const { tree } = before;
          if (expected !== undefined && expected !== tree) throw changedSince(files, tree);
          const { changes, difference } = await differ(shadow, files, tree);
          const recorded = await restoreFiles(
            shadow,
            { place, target: files.tree, changes, owner, undo, isOnRecord },
            () => record(before),
          );
          return { difference: { ...difference, restored: true, undo }, recorded };
        } catch (error) {
          if (!(await deps.isSaved(owner, undo))) forgetCommit(shadow.tree, undo, before.commit);
          throw error;
        }
      }),
  };
}

/** Finishes or undoes the restores of processes that died. */
export async function settleRestores(deps: WorkTreesDeps): Promise<void> {
  const folder = join(deps.home, FOLDER);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const place = join(folder, name);
    if (!existsSync(join(place, "restore.json")) || findHolder(join(place, LOCK))) continue;
    const lock = acquireLock(join(place, LOCK));
    if (!("release" in lock)) continue;
    try {
      await settle(deps, place);
    } catch (error) {
      deps.onNotice(error instanceof Error ? error.message : String(error));
    } finally {
      lock.release();
    }
  }
}

const FOLDER = "work-trees";
const LOCK = "lock";

async function inWorkTree<T>(
  deps: WorkTreesDeps,
  cwd: string,
  work: (shadow: ShadowRepository, place: string) => Promise<T>,
): Promise<T> {
  if (findGit(process.env.PATH ?? "") === null) {
    throw refused("git is not installed, and Belay needs it to record files.", cwd);
  }
  const tree = findWorkTree(cwd);
  const { root } = tree;
  if (!deps.isTrusted(root)) {
    throw refused(`${root} is not trusted. Trust it with: belay checkpoint trust`, root);
  }
  const place = join(deps.home, FOLDER, hash("sha256", root, "hex").slice(0, 32));
  makeFolder(place);
  const lock = await waitForLock(join(place, LOCK), root);
  try {
    await settle(deps, place);
    return await work(await openShadow(tree, join(realpathSync(place), "git")), place);
  } catch (error) {
    if (error instanceof GitFailure) throw refused(`${error.message}.`, root);
    throw error;
  } finally {
    lock.release();
  }
}

async function settle({ isSaved, onNotice }: WorkTreesDeps, place: string): Promise<void> {
  const settled = await settleRestore(place, ({ owner, undo }) => isSaved(owner, undo));
  for (const path of settled?.kept ?? []) {
    onNotice(
      `A restore of files was interrupted and undone. A file that was changed meanwhile is kept as ${path}.`,
    );
  }
}

const PATIENCE_MS = 20_000;

async function waitForLock(path: string, root: string) {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(20)) {
    const lock = acquireLock(path);
    if ("release" in lock) return lock;
    if (Date.now() > until) {
      throw refused(`Another process records or restores the files of ${root}. Try again.`, root);
    }
  }
}

/** Restores only a commit that Belay made for this checkpoint. */
function expectKept({ tree }: ShadowRepository, files: CheckpointFiles, id: string): void {
  const ref = refOf(id, files.commit);
  if (tree.root === files.root && readRef(tree, ref) === files.commit) return;
  const message = `The files of this checkpoint are no longer in ${files.root}: ${ref} is missing there.`;
  throw refused(message, files.root);
}

function expectSettled(tree: WorkTree): void {
  const unfinished = findUnfinished(tree);
  if (unfinished === null) return;
  const message = `A ${unfinished} is in progress in ${tree.root}. Finish or abort it, then restore.`;
  throw refused(message, tree.root);
}

function changedSince({ root }: CheckpointFiles, present: string): BelayError {
  const message = `Files in ${root} have changed since they were compared. Look at the difference again.`;
  return new BelayError(refuse("version_conflict", message, { present }));
}

async function differ(shadow: ShadowRepository, { root, commit }: CheckpointFiles, from: string) {
  const to = await treeOf(shadow, commit);
  const changes = await compareTrees(shadow, from, to);
  const shown = await describeChanges(shadow, { from, to, changes });
  const nothing = { restored: false, undo: null };
  const difference: FilesDifference = { root, commit, present: from, ...shown, ...nothing };
  return { changes, difference };
}
