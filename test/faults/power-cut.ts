import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NameNote, Note } from "./read-recording.ts";
import { type CutContents, StoredFile } from "./stored-file.ts";

/**
 * A disk after a power cut. Contents: `none` lost everything that was not synced, `prefix` has the first changes of each
 * file, `pages` has each page of 4 KiB as of another moment, some of them torn. Names: `ordered` has all before the last
 * sync that finished, and perhaps some more; `strict` has only those whose own folder was synced since.
 */
export interface Cut {
  readonly contents: CutContents;
  readonly names: NameRule;
}
type NameRule = "ordered" | "strict";

type Stored = StoredFile | StoredFolder;
type Entries = ReadonlyMap<string, Stored>;

/** The names in a folder: as processes see them, and those that are on the disk by each rule. */
class StoredFolder {
  readonly now = new Map<string, Stored>();
  readonly ordered = new Map<string, Stored>();
  readonly strict = new Map<string, Stored>();
}

/** A folder as it is before a recording starts. */
interface FolderBefore {
  readonly inode: number;
  readonly entries: ReadonlyMap<string, FolderBefore | FileBefore>;
}
interface FileBefore {
  readonly inode: number;
  readonly bytes: Buffer;
}

export function readFolder(path: string): FolderBefore {
  const entries = new Map<string, FolderBefore | FileBefore>();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) entries.set(entry.name, readFolder(inner));
    if (!entry.isFile()) continue;
    entries.set(entry.name, { inode: lstatSync(inner).ino, bytes: readFileSync(inner) });
  }
  return { inode: lstatSync(path).ino, entries };
}

/** A change of names, which happens completely or not at all. */
interface Naming {
  readonly nth: number;
  /** The folder whose sync the strict rule waits for. */
  readonly folder: StoredFolder;
  readonly entries: readonly {
    readonly folder: StoredFolder;
    readonly name: string;
    readonly stored: Stored | undefined;
  }[];
}

/** Follows a recording, and builds the disks that a power cut could leave at the note that it has reached. */
export class PowerCut {
  readonly #root: StoredFolder;
  readonly #stored = new Map<number, Stored>();
  readonly #isIgnored: (name: string) => boolean;
  readonly #ignored = new Set<number>();
  /** The note with which each sync started. */
  readonly #syncs = new Map<number, number>();
  #namings: Readonly<Record<NameRule, readonly Naming[]>> = { ordered: [], strict: [] };
  #nth = 0;

  /** Everything in `before` counts as synced. As a control, the syncs of files with some names are ignored. */
  constructor(before: FolderBefore, isIgnored: (name: string) => boolean = () => false) {
    this.#isIgnored = isIgnored;
    this.#root = new StoredFolder();
    this.#load(before, this.#root);
  }

  follow(note: Note): void {
    this.#nth += 1;
    switch (note.kind) {
      case "write":
      case "size": {
        const file = this.#stored.get(note.inode);
        if (file instanceof StoredFile) file.change(this.#nth, note);
        return;
      }
      case "sync":
        this.#syncs.set(note.token, this.#nth);
        return;
      case "synced":
        if (!this.#ignored.has(note.inode))
          this.#sync(note.inode, this.#syncs.get(note.token) ?? 0);
        return;
      default:
        this.#rename(note);
    }
  }

  /** Writes a disk to a path where nothing is. */
  build({ contents, names }: Cut, random: (bound: number) => number, to: string): void {
    const left = this.#namings[names];
    const more = names === "strict" || contents === "none" ? 0 : random(left.length + 1);
    const changed = new Map<StoredFolder, Map<string, Stored>>();
    const entriesOf = (folder: StoredFolder): Entries => changed.get(folder) ?? folder[names];
    for (const { entries } of left.slice(0, more)) {
      for (const { folder, name, stored } of entries) {
        const own = changed.get(folder) ?? new Map(folder[names]);
        changed.set(folder, own);
        setEntry(own, name, stored);
      }
    }
    const written = new Map<StoredFile, string>();
    const write = (path: string, stored: Stored): void => {
      if (stored instanceof StoredFolder) {
        mkdirSync(path, { mode: 0o700 });
        for (const [name, inner] of entriesOf(stored)) write(join(path, name), inner);
        return;
      }
      const linked = written.get(stored);
      if (linked !== undefined) linkSync(linked, path);
      else writeFileSync(path, stored.cut(contents, random), { mode: 0o600 });
      written.set(stored, linked ?? path);
    };
    write(to, this.#root);
  }

  /** Calls back for each file as processes see it. */
  visit(onFile: (path: string, bytes: Buffer) => void, folder = this.#root, path = ""): void {
    for (const [name, stored] of folder.now) {
      const inner = join(path, name);
      if (stored instanceof StoredFolder) this.visit(onFile, stored, inner);
      else onFile(inner, stored.now());
    }
  }

  #load({ inode, entries }: FolderBefore, folder: StoredFolder): void {
    this.#stored.set(inode, folder);
    for (const [name, entry] of entries) {
      const isFolder = "entries" in entry;
      const stored = isFolder ? new StoredFolder() : new StoredFile(Buffer.from(entry.bytes));
      for (const names of [folder.now, folder.ordered, folder.strict]) names.set(name, stored);
      this.#stored.set(entry.inode, stored);
      if (isFolder && stored instanceof StoredFolder) this.#load(entry, stored);
    }
  }

  #sync(inode: number, start: number): void {
    const synced = this.#stored.get(inode);
    if (synced instanceof StoredFile) synced.sync(start);
    const { ordered, strict } = this.#namings;
    this.#namings = {
      ordered: settle(ordered, "ordered", ({ nth }) => nth < start),
      strict: settle(strict, "strict", ({ nth, folder }) => nth < start && folder === synced),
    };
  }

  #rename(note: NameNote): void {
    const naming = this.#toNaming(note);
    if (!naming) return;
    for (const { folder, name, stored } of naming.entries) setEntry(folder.now, name, stored);
    const { ordered, strict } = this.#namings;
    this.#namings = { ordered: [...ordered, naming], strict: [...strict, naming] };
  }

  /** Undefined for a file that was created unseen. */
  #toNaming(note: NameNote): Naming | undefined {
    const folder = this.#stored.get(note.folder);
    if (!(folder instanceof StoredFolder)) return undefined;
    const { name } = note;
    const nth = this.#nth;
    if (note.kind === "rename") {
      const to = this.#stored.get(note.to);
      const stored = folder.now.get(name);
      if (!(to instanceof StoredFolder) || !stored) return undefined;
      const entries = [
        { folder, name, stored: undefined },
        { folder: to, name: note.newName, stored },
      ];
      return { nth, folder: to, entries };
    }
    if (note.kind === "remove")
      return { nth, folder, entries: [{ folder, name, stored: undefined }] };
    if (note.kind !== "link") {
      this.#stored.set(note.inode, note.kind === "folder" ? new StoredFolder() : new StoredFile());
      if (this.#isIgnored(name)) this.#ignored.add(note.inode);
    }
    return { nth, folder, entries: [{ folder, name, stored: this.#stored.get(note.inode) }] };
  }
}

/** The changes that are not on the disk yet. */
function settle(
  namings: readonly Naming[],
  rule: NameRule,
  isSynced: (naming: Naming) => boolean,
): readonly Naming[] {
  const left: Naming[] = [];
  for (const naming of namings) {
    if (!isSynced(naming)) left.push(naming);
    else
      for (const { folder, name, stored } of naming.entries) setEntry(folder[rule], name, stored);
  }
  return left;
}

function setEntry(entries: Map<string, Stored>, name: string, stored: Stored | undefined): void {
  if (stored) entries.set(name, stored);
  else entries.delete(name);
}
