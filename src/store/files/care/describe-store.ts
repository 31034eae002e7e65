import { existsSync, statfsSync, statSync } from "node:fs";
import type { Fact } from "../../store-care.ts";
import type { FilesFolder } from "../disk/files-folder.ts";
import type { StreamIndex } from "../read/stream-index.ts";

/** The lines of `doctor` about this store. */
export function describeStore(files: FilesFolder, index: StreamIndex): Fact[] {
  const { bavail, bsize } = statfsSync(files.folder);
  const free = bavail * bsize;
  const mode = statSync(files.folder).mode & 0o777;
  const open = mode & 0o077 ? `other users can access it: chmod 700 ${files.folder}` : null;
  return [
    fact("data folder", files.folder),
    fact("store", "files: one folder per stream, one line per event"),
    fact("durability", "power: acknowledged changes survive a power cut"),
    fact("streams", countStreams(index)),
    fact("commits", inMegabytes(sizeOf(files.commits))),
    fact("index", inMegabytes(sizeOf(files.index))),
    fact("free space", inMegabytes(free), free < LOW_SPACE ? "free some space on this disk" : null),
    fact(`permissions of ${files.folder}`, mode.toString(8).padStart(4, "0"), open),
  ];
}

const LOW_SPACE = 256 * 1024 * 1024;

function countStreams({ streams }: StreamIndex): string {
  const counts = new Map<string, number>();
  for (const { kind } of streams.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, n]) => `${kind}: ${n}`).join(", ") || "none";
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function fact(name: string, value: string, fix: string | null = null): Fact {
  return { name, value, ok: fix === null, fix };
}
