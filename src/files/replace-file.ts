import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { openFile } from "./open-file.ts";
import { syncFolder } from "./sync-folder.ts";

interface ReplaceOptions {
  /**
   * 0600 by default. `kept` is for files that are not only Belay's: mode and owner of the old file, or the umask's
   * default.
   */
  readonly mode?: number | "kept";
  /** Called right before the replacement. False leaves everything unchanged. */
  readonly isWanted?: () => boolean;
}

/**
 * Replaces a file atomically: readers see the old or the new one, and the new one survives a power cut. A link with
 * that name is replaced, not followed. The text may depend on the new file. Returns false if `isWanted` did.
 */
export function replaceFile(
  path: string,
  text: string | ((file: number) => string),
  { mode = 0o600, isWanted = () => true }: ReplaceOptions = {},
): boolean {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  const file = openFile(temporary, O_RDWR | O_CREAT | O_EXCL, mode === "kept" ? 0o666 : 0o600);
  try {
    try {
      writeFileSync(file, typeof text === "string" ? text : text(file));
      if (mode === "kept") copyRights(file, path);
      else fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (isWanted()) renameSync(temporary, path);
    else return drop(temporary);
  } catch (error) {
    drop(temporary);
    throw error;
  }
  syncFolder(folder);
  return true;
}

function drop(temporary: string): false {
  rmSync(temporary, { force: true });
  return false;
}

function copyRights(file: number, path: string): void {
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (!old?.isFile()) return;
  try {
    fchownSync(file, old.uid, old.gid);
  } catch {
    // Only root may change the owner, and only root needs to.
  }
  fchmodSync(file, old.mode & 0o7777);
}
