import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  readSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { errorCode, isMissing } from "../../files/file-refusal.ts";
import { openFile } from "../../files/open-file.ts";
import { type Folder, openFolder } from "../../files/open-folder.ts";
import { removeEmptyFolder } from "../../files/remove-file.ts";
import type { TreeEntry } from "./compare-trees.ts";

/**
 * Calls `work` with a path to one file of a work tree that follows no link on the way. Returns null if the folder is
 * missing and `create` is false.
 */
export function atPath<T>(
  root: string,
  path: string,
  create: boolean,
  work: (entry: string) => T,
): T | null {
  const names = path.split("/");
  const name = names.pop() ?? "";
  const folder = openFolder({ root, names }, { create: false }) ?? (create && make(root, names));
  if (!folder) return null;
  try {
    return work(folder.entry(name));
  } finally {
    folder.close();
  }
}

/** Creates folders with the default mode, as other programs do. */
function make(root: string, names: readonly string[]): Folder | null {
  for (let depth = 1; depth <= names.length; depth += 1) {
    atPath(root, names.slice(0, depth).join("/"), false, (entry) => {
      try {
        mkdirSync(entry);
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
      }
    });
  }
  return openFolder({ root, names }, { create: false });
}

export function removeFolderAt(root: string, path: string): void {
  atPath(root, path, false, removeEmptyFolder);
}

/** The folders above a path, the innermost first. */
export function foldersAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = dirname(path); at !== "."; at = dirname(at)) above.push(at);
  return above;
}

/** The mode and object id that git would give a file. Null if it is missing or not a file or link. */
export function readEntry(path: string, isSha256: boolean): TreeEntry | null {
  const stat = statOf(path);
  if (stat?.isSymbolicLink()) {
    const target = readlinkSync(path, "buffer");
    return { mode: "120000", oid: start(target.length, isSha256).update(target).digest("hex") };
  }
  if (!stat?.isFile()) return null;
  const file = openFile(path, constants.O_RDONLY);
  try {
    const { size, mode } = fstatSync(file);
    const hash = start(size, isSha256);
    const part = Buffer.alloc(1024 * 1024);
    for (let read = readSync(file, part); read > 0; read = readSync(file, part)) {
      hash.update(part.subarray(0, read));
    }
    return { mode: mode & 0o100 ? "100755" : "100644", oid: hash.digest("hex") };
  } finally {
    closeSync(file);
  }
}

function start(size: number, isSha256: boolean) {
  return createHash(isSha256 ? "sha256" : "sha1").update(`blob ${size}\0`);
}

export function isSameEntry(one: TreeEntry | null, other: TreeEntry | null): boolean {
  return one?.mode === other?.mode && one?.oid === other?.oid;
}

export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    // A folder of the path may be a file now.
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Links a file to a second name. Throws EEXIST if that name exists, so nothing is overwritten. */
export function placeFile(from: string, to: string): void {
  if (statOf(from)?.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else linkSync(from, to);
}

/** Moves a file to a name that does not exist. */
export function moveBack(from: string, to: string): void {
  const stat = statOf(from);
  if (!stat) return;
  if (stat.isDirectory()) {
    renameSync(from, to);
    return;
  }
  if (!isSameFile(from, to)) placeFile(from, to);
  unlinkSync(from);
}

/** True for one file with two names, or for two links with the same target. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statOf(one), statOf(other)];
  if (a?.isSymbolicLink() && b?.isSymbolicLink()) return readlinkSync(one) === readlinkSync(other);
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
