import { createHash } from "node:crypto";
import { join } from "node:path";
import { readFile } from "../../../files/read-file.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { newerFormat, olderFormat } from "./files-error.ts";
import { COMMITS, MARK } from "./has-files.ts";

/** The paths of a store in files. */
export interface FilesFolder {
  readonly folder: string;
  /** Marks the folder as a store in files, and names the version of its format. */
  readonly mark: string;
  /** One line per commit, in order, each with the hash of everything before it. A commit counts once its line is complete. */
  readonly commits: string;
  readonly leases: string;
  /** A summary of the commits up to a place. It may be removed at any time. */
  readonly index: string;
  readonly lock: string;
  /** The end of the last commit. */
  readonly anchor: string;
  /** Data that no commit names and that may have been acknowledged. */
  readonly quarantine: string;
  /** One folder per kind, and in it one folder per stream. */
  readonly streams: string;
}

/** The files of one stream. */
export interface StreamFolder {
  readonly folder: string;
  /** One line per event. */
  readonly log: string;
  /** One line per append: the head, index rows, names and list entry that it left. */
  readonly state: string;
  readonly blobs: string;
}

export function filesFolder(folder: string): FilesFolder {
  return {
    folder,
    mark: join(folder, MARK),
    commits: join(folder, COMMITS),
    leases: join(folder, "leases.ndjson"),
    index: join(folder, "index.json"),
    lock: join(folder, "files.lock.db"),
    anchor: join(folder, "anchor.txt"),
    quarantine: join(folder, "quarantine"),
    streams: join(folder, "streams"),
  };
}

export function streamFolder({ streams }: FilesFolder, kind: string, id: string): StreamFolder {
  const folder = join(streams, kind, nameOf(id));
  return {
    folder,
    log: join(folder, "log.ndjson"),
    state: join(folder, "state.ndjson"),
    blobs: join(folder, "blobs"),
  };
}

/** Most ids are names already. Others could lead elsewhere, or be equal where case does not count. */
export function nameOf(id: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(id)) return id;
  return `~${createHash("sha256").update(id).digest("hex")}`;
}

/** Throws for a folder of another version. */
export function checkFormat({ folder, mark }: FilesFolder): void {
  const text = readFile(mark, { most: 4096 })?.toString("utf8") ?? "";
  if (text === FORMAT) return;
  throw text === UNCHAINED ? olderFormat(folder) : newerFormat(folder);
}

export function markFolder({ mark }: FilesFolder): void {
  replaceFile(mark, FORMAT);
}

const FORMAT = `${JSON.stringify({ belay_files: 2 })}\n`;
/** Commits were not chained, and there was no anchor. */
const UNCHAINED = `${JSON.stringify({ belay_files: 1 })}\n`;
