import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { projectFolder } from "./project-folder.ts";
import type { SpooledSighting } from "./spooled-sighting.ts";
import { readSpooled } from "./spooled-sighting.ts";

/** Where a spool may lie: with the data or, while that folder cannot be used, in the project. */
export interface SpoolPlaces {
  readonly home: string;
  readonly cwd: string;
}

export interface SpoolFile {
  readonly path: string;
  readonly name: string;
}

const MOST_FILES = 1000;
const MOST_BYTES = 64 * 1024 * 1024;
const LARGEST_FILE = 8 * 1024 * 1024;
/** A process that has not renamed its file after this long is gone. */
const ABANDONED_MS = 60_000;
/** No checkout of a repository gives a file these rights, so none can plant one. */
const RIGHTS = 0o400;

/** Keeps what could not be written, in a file of its own that is there whole or not at all. Throws where no place takes it. */
export function putInSpool(places: SpoolPlaces, entry: SpooledSighting, id: string): void {
  const name = `${String(entry.sighting.at).padStart(15, "0")}-${id}`;
  try {
    write(homeFolder(places.home), name, entry);
  } catch {
    write(projectFolder(places.cwd, PROJECT_FOLDER), name, entry);
  }
}

/** What waits to be delivered, oldest first. */
export function listSpool({ home, cwd }: SpoolPlaces): SpoolFile[] {
  const folders = [join(home, "spool"), join(cwd, ".claude", PROJECT_FOLDER)];
  return folders
    .flatMap((folder) => namesIn(folder).map((name) => ({ name, path: join(folder, name) })))
    .filter(({ name }) => name.endsWith(".json"))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Null for a file that is not one of ours, or not whole. */
export function readSpoolFile({ path }: SpoolFile): SpooledSighting | null {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    const isOurs = stat.isFile() && (stat.mode & 0o777) === RIGHTS && isOwn(stat.uid);
    if (!isOurs || stat.size > LARGEST_FILE) return null;
    return readSpooled(readFileSync(file, "utf8"));
  } finally {
    closeSync(file);
  }
}

export function dropSpoolFile({ path }: SpoolFile): void {
  rmSync(path, { force: true });
}

/** Out of the way of the others, for a person to look at. */
export function setAside({ path }: SpoolFile): void {
  try {
    renameSync(path, `${path}.rejected`);
  } catch {
    rmSync(path, { force: true });
  }
}

const PROJECT_FOLDER = "belay-spool";

function write(folder: string, name: string, entry: SpooledSighting): void {
  const text = JSON.stringify(entry);
  refuseFull(folder, text.length);
  const temporary = join(folder, `${name}.tmp`);
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeWhole(file, text);
    fchmodSync(file, RIGHTS);
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(temporary, join(folder, `${name}.json`));
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

function refuseFull(folder: string, more: number): void {
  const files = namesIn(folder).map((name) => join(folder, name));
  let bytes = more;
  for (const path of files) {
    const stat = statSync(path, { throwIfNoEntry: false });
    bytes += stat?.size ?? 0;
    if (stat && path.endsWith(".tmp") && Date.now() - stat.mtimeMs > ABANDONED_MS) {
      rmSync(path, { force: true });
    }
  }
  if (files.length < MOST_FILES && bytes <= MOST_BYTES) return;
  throw new Error(`the spool in ${folder} is full`);
}

function homeFolder(home: string): string {
  const folder = join(home, "spool");
  makeFolder(folder);
  return folder;
}

function namesIn(folder: string): string[] {
  // Most often there is none, and asking first is cheaper than an error.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOwn(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
