import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { createFile } from "./open-file.ts";
import { syncFolder } from "./sync-folder.ts";

export interface ReplaceOptions {
  /** Default 0600. */
  readonly mode?: number;
  /** Kept where the system allows it. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Asked right before the new file takes its place. False leaves everything as it is. */
  readonly isWanted?: () => boolean;
}

/**
 * Puts a new file in place of another: readers see the old one or the new one, and the new one outlives a power cut. A
 * link under that name is replaced, not followed. False: `isWanted` said no.
 */
export function replaceFile(
  path: string,
  text: string | Uint8Array,
  { mode = 0o600, owner, isWanted = () => true }: ReplaceOptions = {},
): boolean {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
  const file = createFile(temporary);
  try {
    try {
      writeFileSync(file, text);
      if (owner) keepOwner(file, owner);
      fchmodSync(file, mode);
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

function keepOwner(file: number, { uid, gid }: { uid: number; gid: number }): void {
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Only root may give files away, and only root needs to.
  }
}
