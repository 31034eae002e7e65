import { randomBytes } from "node:crypto";
import { closeSync, constants, fsyncSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FileRefusal } from "../../files/file-refusal.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { openFile } from "../../files/open-file.ts";
import { applyChanges, somethingThere, undoChanges } from "./apply-changes.ts";
import type { TreeChange } from "./compare-trees.ts";
import { refused } from "./find-work-tree.ts";
import {
  type RestoreJournal,
  readJournal,
  removeJournal,
  writeJournal,
} from "./restore-journal.ts";
import { ASIDE, type ShadowRepository } from "./shadow-repository.ts";
import { atPath, foldersAbove, statOf } from "./tree-file.ts";

interface Restore {
  /** The folder of the journal. */
  readonly place: string;
  readonly target: string;
  readonly changes: readonly TreeChange[];
  readonly owner: string;
  readonly undo: string;
  isOnRecord(journal: RestoreJournal): Promise<boolean>;
}

/**
 * Restores the files of a tree, then calls `record`. If either fails, all files are as before. If the process dies, the next
 * one reads the journal and finishes or undoes the restore.
 */
export async function restoreFiles<T>(
  shadow: ShadowRepository,
  restore: Restore,
  record: () => Promise<T>,
): Promise<T> {
  const { place, target, changes, owner, undo, isOnRecord } = restore;
  const { root } = shadow.tree;
  expectNothingInTheWay(root, changes);
  const journal: RestoreJournal = {
    root,
    is_sha256: shadow.isSha256,
    aside: asidePlace(shadow),
    owner,
    undo,
    changes: [...changes],
    folders: [...new Set(changes.flatMap(({ path }) => foldersAbove(path)))].filter((folder) =>
      statOf(join(root, folder))?.isDirectory(),
    ),
  };
  writeJournal(place, journal);
  let recorded: T;
  try {
    await writeAside(shadow, journal, target);
    applyChanges(journal);
    recorded = await record();
  } catch (error) {
    // `record` may have failed after it was written, so the log decides.
    await settleRestore(place, isOnRecord);
    throw error;
  }
  finish(place, journal);
  return recorded;
}

/** Finishes or undoes an interrupted restore. Returns the files that someone changed meanwhile. */
export async function settleRestore(
  place: string,
  isOnRecord: (journal: RestoreJournal) => Promise<boolean>,
): Promise<{ readonly outcome: "finished" | "undone"; readonly kept: readonly string[] } | null> {
  const journal = readJournal(place);
  if (!journal) return null;
  if (await isOnRecord(journal)) {
    finish(place, journal);
    return { outcome: "finished", kept: [] };
  }
  if (!statOf(journal.root)?.isDirectory()) {
    const message = `A restore of files in ${journal.root} was interrupted, and that folder is missing now. Put the folder back first.`;
    throw refused(message, journal.root);
  }
  const kept = undoChanges(journal);
  finish(place, journal);
  return { outcome: "undone", kept };
}

function finish(place: string, { aside }: RestoreJournal): void {
  rmSync(aside, { recursive: true, force: true });
  removeJournal(place);
}

/** A folder on the same disk as the work tree, so that files can be renamed into it. */
function asidePlace({ tree: { root, git } }: ShadowRepository): string {
  const isSameDisk = lstatSync(git).dev === lstatSync(root).dev;
  return join(isSameDisk ? git : root, `${ASIDE}${randomBytes(8).toString("hex")}`);
}

async function writeAside(
  { git }: ShadowRepository,
  { aside, changes }: RestoreJournal,
  target: string,
): Promise<void> {
  makeFolder(join(aside, "old"));
  const files = join(aside, "new");
  mkdirSync(files);
  const env = { GIT_INDEX_FILE: join(aside, "index"), GIT_WORK_TREE: files };
  await git(["read-tree", target], { env });
  const wanted = changes.flatMap(({ path, to }) => (to ? [path] : []));
  const input = wanted.map((path) => `${path}\0`).join("");
  await git(["checkout-index", "-z", "--stdin"], { env, cwd: files, input });
  for (const { path, to } of changes) {
    if (to && to.mode !== "120000") syncFile(join(files, path));
  }
}

function syncFile(path: string): void {
  const file = openFile(path, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Ignored files are not recorded, so a restore must not overwrite them. */
function expectNothingInTheWay(root: string, changes: readonly TreeChange[]): void {
  const moved = new Set(changes.flatMap(({ path, from }) => (from ? [path] : [])));
  for (const { path, from, to } of changes) {
    // A file that is now in the place of a folder is moved aside first.
    if (!to || from || foldersAbove(path).some((folder) => moved.has(folder))) continue;
    if (isInTheWay(root, path)) throw somethingThere(root, path);
  }
}

function isInTheWay(root: string, path: string): boolean {
  try {
    const there = atPath(root, path, false, statOf);
    return there !== null && there !== undefined && !there.isDirectory();
  } catch (error) {
    if (error instanceof FileRefusal) return true;
    throw error;
  }
}
