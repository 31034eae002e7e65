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
  /** Default 0600. `kept` is for files that are not only Belay's: mode and owner of the old file, or what the umask says. */
  readonly mode?: number | "kept";
  /** Asked right before the new file takes its place. False leaves everything as it is. */
  readonly isWanted?: () => boolean;
}

/**
 * Puts a new file in place of another: readers see the old one or the new one, and the new one outlives a power cut. A
 * link under that name is replaced, not followed. The text may depend on the new file. False: `isWanted` said no.
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
      if (mode === "kept") keepRights(file, path);
      else fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!isWanted()) return false;
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(folder);
  return true;
}

function keepRights(file: number, path: string): void {
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (!old?.isFile()) return;
  try {
    fchownSync(file, old.uid, old.gid);
  } catch {
    // Only root may give files away, and only root needs to.
  }
  fchmodSync(file, old.mode & 0o7777);
}
