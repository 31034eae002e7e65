import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../make-folder.ts";

/** Puts a text in place of a file, at once and for good, for its owner's eyes only. A link stays, its target changes. */
export function replaceFile(path: string, text: string): void {
  makeFolder(dirname(path));
  const target = followLink(path);
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      // Whatever the umask.
      fchmodSync(file, 0o600);
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(target));
}

function followLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
