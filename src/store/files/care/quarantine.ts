import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readdirSync,
  renameSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../../files/make-folder.ts";
import { createFile, openFile } from "../../../files/open-file.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import type { FilesFolder } from "../disk/files-folder.ts";
import { readFrom, writeAll } from "../disk/line-file.ts";
import type { StreamIndex } from "../read/stream-index.ts";
import { findUncommitted } from "./find-uncommitted.ts";

/**
 * Moves everything that no commit names to a folder of its own, because it may have been acknowledged. Returns the
 * number of files and folders. Only for the holder of the lock.
 */
export function quarantine(files: FilesFolder, index: StreamIndex, now: number): number {
  const found = [...findUncommitted(files, index)];
  if (found.length === 0) return 0;
  const place = newPlace(files, now);
  for (const { path, after } of found) {
    const to = join(place, path.slice(files.folder.length));
    makeFolder(dirname(to));
    if (after === null) renameSync(path, to);
    else moveTail(path, after, to);
    syncFolder(dirname(to));
    syncFolder(dirname(path));
  }
  syncFolder(files.quarantine);
  syncFolder(files.folder);
  return found.length;
}

/** The folders that were moved away, oldest first. */
export function listQuarantine({ quarantine: folder }: FilesFolder): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort();
}

function newPlace({ quarantine: folder }: FilesFolder, now: number): string {
  const time = new Date(now).toISOString().replaceAll(":", "-");
  for (let nth = 1; ; nth += 1) {
    const place = join(folder, nth === 1 ? time : `${time}-${nth}`);
    if (existsSync(place)) continue;
    makeFolder(place);
    return place;
  }
}

function moveTail(path: string, after: number, to: string): void {
  const [source, target] = [openFile(path, constants.O_RDWR), createFile(to)];
  try {
    const { size } = fstatSync(source);
    for (let at = after; at < size; at += PIECE) {
      const piece = readFrom(source, path, at, Math.min(at + PIECE, size), null);
      writeAll(target, piece, at - after);
    }
    fsyncSync(target);
    ftruncateSync(source, after);
    fsyncSync(source);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

const PIECE = 1024 * 1024;
