import { renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BelayError } from "../../contract/errors.ts";
import { errorCode, FileRefusal } from "../../files/file-refusal.ts";
import { syncFolder } from "../../files/sync-folder.ts";
import { refused } from "./find-work-tree.ts";
import type { RestoreJournal } from "./restore-journal.ts";
import {
  atPath,
  foldersAbove,
  isSameEntry,
  isSameFile,
  moveBack,
  placeFile,
  readEntry,
  removeFolderAt,
  statOf,
} from "./tree-file.ts";

/**
 * Moves every old file aside, checks that it is the recorded one, and links the new files into place. Never overwrites a
 * file: if somebody changed or created one meanwhile, the restore is refused.
 */
export function applyChanges(journal: RestoreJournal): void {
  const { root, changes, aside, is_sha256 } = journal;
  for (const [nth, { path, from }] of changes.entries()) {
    if (!from) continue;
    const old = oldFile(journal, nth);
    atPath(root, path, false, (entry) => moveOver(entry, old, path, root));
    if (!isSameEntry(readEntry(old, is_sha256), from)) throw changedMeanwhile(root, path);
  }
  for (const folder of innermostFirst(changes.flatMap(({ path }) => foldersAbove(path)))) {
    removeFolderAt(root, folder);
  }
  for (const { path, to } of changes) {
    if (!to) continue;
    try {
      atPath(root, path, true, (entry) => placeFile(join(aside, "new", path), entry));
    } catch (error) {
      throw isInTheWay(error) ? somethingThere(root, path) : error;
    }
  }
  for (const folder of new Set(changes.map(({ path }) => dirname(path)))) {
    if (statOf(join(root, folder))?.isDirectory()) syncFolder(join(root, folder));
  }
}

/** Undoes a restore at any stage. A file that someone changed meanwhile is kept under another name. */
export function undoChanges(journal: RestoreJournal): string[] {
  const { root, changes, aside, is_sha256 } = journal;
  const kept: string[] = [];
  for (const { path, to } of changes.toReversed()) {
    if (!to) continue;
    const placed = join(aside, "new", path);
    atPath(root, path, false, (entry) => {
      if (!isSameFile(placed, entry)) return;
      if (isSameEntry(readEntry(entry, is_sha256), to)) rmSync(entry);
      else kept.push(keepBeside(entry, path, journal));
    });
  }
  const made = changes.flatMap(({ path, to }) => (to ? foldersAbove(path) : []));
  const before = new Set(journal.folders);
  for (const folder of innermostFirst(made)) {
    if (!before.has(folder)) removeFolderAt(root, folder);
  }
  for (const [nth, { path }] of changes.entries()) {
    const old = oldFile(journal, nth);
    if (!statOf(old)) continue;
    atPath(root, path, true, (entry) => {
      if (statOf(entry) && !isSameFile(old, entry)) kept.push(keepBeside(entry, path, journal));
      moveBack(old, entry);
    });
  }
  return kept;
}

function oldFile({ aside }: RestoreJournal, nth: number): string {
  return join(aside, "old", String(nth));
}

function moveOver(entry: string, old: string, path: string, root: string): void {
  try {
    renameSync(entry, old);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") throw changedMeanwhile(root, path);
    if (code !== "EXDEV") throw error;
    throw refused(`${path} is on another disk than the rest of ${root}.`, root);
  }
}

function keepBeside(entry: string, path: string, { undo }: RestoreJournal): string {
  const suffix = `.kept-${undo.slice(0, 8)}`;
  renameSync(entry, `${entry}${suffix}`);
  return `${path}${suffix}`;
}

function innermostFirst(folders: readonly string[]): string[] {
  return [...new Set(folders)].sort((a, b) => b.split("/").length - a.split("/").length);
}

function isInTheWay(error: unknown): boolean {
  return error instanceof FileRefusal || ["EEXIST", "ENOTDIR"].includes(errorCode(error) ?? "");
}

function changedMeanwhile(root: string, path: string): BelayError {
  const message = `${path} was changed while files were restored. Nothing was restored. Try again.`;
  return refused(message, root);
}

export function somethingThere(root: string, path: string): BelayError {
  const message = `${path} exists and is not recorded, because git ignores it. Restoring would replace it. Move it away first.`;
  return refused(message, root);
}
