import { hash } from "node:crypto";
import { existsSync, lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { mayBelongToMember } from "../../drive/agents/find-member.ts";
import { type EncryptionMark, readEncryptionMark } from "../../files/encryption-mark.ts";
import { isSealed, sealFor } from "../../files/file-seal.ts";
import { ignoreInGit } from "../../files/ignore-in-git.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { readMemberMark } from "../../files/member-mark.ts";
import type { Folder, FolderPlace } from "../../files/open-folder.ts";
import { openFolder, withFolder } from "../../files/open-folder.ts";
import { removeFile } from "../../files/remove-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { FileSeal } from "../../store/file-seal.ts";
import { readSealed, SEALED_MODE, sealText } from "./sealed-file.ts";
import type { SpooledSighting } from "./spooled-sighting.ts";
import { readSpooled } from "./spooled-sighting.ts";

/** The places of a spool: in the data folder or, if that cannot be used, in the project. */
export interface SpoolPlaces {
  readonly home: string;
  readonly cwd: string;
}

export interface SpoolFile {
  readonly place: FolderPlace;
  readonly name: string;
  /** True if it is in a project, whose files may come from anyone. In the folders of members, there are none. */
  readonly isForeign: boolean;
}

const MOST_FILES = 1000;
const MOST_BYTES = 64 * 1024 * 1024;
/** A process that has not renamed its file after this long is gone. */
const ABANDONED_MS = 60_000;
const REJECTED = ".rejected";

/** Stores a sighting in a file of its own, completely or not at all. Throws if no place accepts it. */
export function putInSpool(places: SpoolPlaces, entry: SpooledSighting, id: string): void {
  try {
    putInHomeSpool(places, entry, id);
  } catch (error) {
    if (isOfMember(places)) throw error;
    withFolder(projectPlace(places), (folder) => {
      ignoreInGit(folder, ["*"]);
      const mark = readEncryptionMark(places.home);
      write(folder, nameOf(entry, id, mark), protect(mark, JSON.stringify(entry)));
    });
  }
}

/** The same for the data folder alone. */
export function putInHomeSpool(
  places: SpoolPlaces,
  entry: SpooledSighting,
  id: string,
  mark: EncryptionMark | null = readEncryptionMark(places.home),
): void {
  const text = protect(mark, JSON.stringify(entry));
  makeFolder(places.home);
  withFolder(homePlace(places), (folder) => write(folder, nameOf(entry, id, mark), text));
}

function nameOf({ sighting }: SpooledSighting, id: string, mark: EncryptionMark | null): string {
  const first = `${String(sighting.at).padStart(15, "0")}-${id}`;
  return mark ? `${first}.json` : `${first}${nameTag(sighting.session_id)}`;
}

/** The end of the names of a session's files. Beside an encrypted store, names do not have it. */
export function nameTag(session_id: string): string {
  return `-${hash("sha256", session_id).slice(0, 16)}.json`;
}

/** Beside an encrypted store nothing readable is kept: only with its key can the file be opened. */
function protect(mark: EncryptionMark | null, text: string): string {
  return mark ? sealFor(mark.seal_for, text) : text;
}

/** Sightings to deliver, oldest first. */
export function listSpool(places: SpoolPlaces): SpoolFile[] {
  return listNames(places)
    .filter(({ name }) => name.endsWith(".json"))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The paths of sightings that could not be delivered and were set aside. */
export function listRejected(places: SpoolPlaces): string[] {
  return listNames(places)
    .filter(({ name }) => name.endsWith(REJECTED))
    .map(({ place, name }) => join(place.root, ...place.names, name));
}

/** The content of a file, or the reason why it is not trusted. */
export function readSpoolFile(
  file: SpoolFile,
  seal: FileSeal | undefined,
): { readonly entry: SpooledSighting; readonly isSealed: boolean } | { readonly why: string } {
  const read = inPlace(file, readSealed);
  if ("why" in read) return read;
  const text = isSealed(read.text) ? seal?.open(read.text) : read.text;
  if (typeof text !== "string") return { why: "encrypted for another data folder" };
  const entry = readSpooled(text);
  return entry ? { entry, isSealed: read.isSealed } : { why: "not a spooled sighting" };
}

export function dropSpoolFile(file: SpoolFile): void {
  inPlace(file, removeFile);
}

/** Moves the file aside for a person to look at. */
export function setAside(file: SpoolFile): void {
  try {
    inPlace(file, (path) => renameSync(path, `${path}${REJECTED}`));
  } catch {
    // It is checked and refused again the next time.
  }
}

/** Removes sightings of a purged session that were set aside. Files that cannot be read stay for a person to look at. */
export function dropRejected(
  places: SpoolPlaces,
  session_id: string,
  seal: FileSeal | undefined,
): void {
  for (const file of listNames(places).filter(({ name }) => name.endsWith(REJECTED))) {
    const read = readSpoolFile(file, seal);
    if ("entry" in read && read.entry.sighting.session_id === session_id) dropSpoolFile(file);
  }
}

function homePlace({ home }: SpoolPlaces): FolderPlace {
  return { root: home, names: ["spool"] };
}

function projectPlace({ cwd }: SpoolPlaces): FolderPlace {
  return { root: cwd, names: [".claude", "belay-spool"] };
}

/** Throws ENOENT if another process has taken the file meanwhile. */
function inPlace<T>({ place, name }: SpoolFile, work: (path: string) => T): T {
  return withFolder(place, (folder) => work(folder.entry(name)));
}

function write(folder: Folder, name: string, text: string): void {
  refuseFull(folder, text.length);
  replaceFile(folder.entry(name), (file) => sealText(file, text), { mode: SEALED_MODE });
}

function refuseFull(folder: Folder, more: number): void {
  const names = folder.names();
  let bytes = more;
  for (const name of names) {
    const stat = lstatSync(folder.entry(name), { throwIfNoEntry: false });
    bytes += stat?.size ?? 0;
    if (stat && name.endsWith(".tmp") && Date.now() - stat.mtimeMs > ABANDONED_MS) {
      removeFile(folder.entry(name));
    }
  }
  if (names.length < MOST_FILES && bytes <= MOST_BYTES) return;
  throw new Error(`the spool in ${folder.path} is full`);
}

function listNames(places: SpoolPlaces): SpoolFile[] {
  const inProject = namesIn(projectPlace(places));
  const isTrusted = inProject.length > 0 && !isOfMember(places);
  return [
    ...namesIn(homePlace(places)).map((file) => ({ ...file, isForeign: false })),
    ...(isTrusted ? inProject.map((file) => ({ ...file, isForeign: true })) : []),
  ];
}

/** A member's agents run as this user, so no checksum distinguishes their files from ours. */
function isOfMember({ home, cwd }: SpoolPlaces): boolean {
  return mayBelongToMember(readMemberMark(home), cwd);
}

/** A folder that cannot be read, or is a link, counts as empty. */
function namesIn(place: FolderPlace): { readonly place: FolderPlace; readonly name: string }[] {
  // Usually there is none, and checking first is cheaper than an error.
  if (!existsSync(join(place.root, ...place.names))) return [];
  try {
    const folder = openFolder(place, { create: false });
    if (!folder) return [];
    try {
      return folder.names().map((name) => ({ place, name }));
    } finally {
      folder.close();
    }
  } catch {
    return [];
  }
}
