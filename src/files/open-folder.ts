import { closeSync, constants, existsSync, openSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { errorCode, FileRefusal, isMissing } from "./file-refusal.ts";
import { makeOne } from "./make-folder.ts";

/** An open folder. Links that replace it afterwards have no effect. */
export interface Folder {
  /** For messages. */
  readonly path: string;
  /** The path for opening, renaming or removing one entry while the folder is open. */
  entry(name: string): string;
  names(): string[];
  close(): void;
}

export interface FolderPlace {
  /** Named by the user, so links in it are followed. */
  readonly root: string;
  /** Nested folders below it. No link among them is followed. */
  readonly names: readonly string[];
}

/**
 * Opens a folder below a root. Throws `FileRefusal` if one of the names is a link or not a folder. Null if it is
 * missing.
 */
export function openFolder(
  { root, names }: FolderPlace,
  { create }: { readonly create: boolean },
): Folder | null {
  let folder: Folder | undefined;
  try {
    const top = realpathSync.native(root);
    folder = hold(top, top);
    for (const name of names) {
      const entry = folder.entry(name);
      if (create) makeOne(entry);
      const inner = hold(join(folder.path, name), entry);
      folder.close();
      folder = inner;
    }
    return folder;
  } catch (error) {
    folder?.close();
    if (!create && isMissing(error)) return null;
    throw error;
  }
}

/** Runs the work with an open folder below a root, which is created if it is missing. */
export function withFolder<T>(place: FolderPlace, work: (folder: Folder) => T): T {
  const folder = openFolder(place, { create: true });
  if (!folder) throw new FileRefusal(join(place.root, ...place.names), "cannot be made");
  let result: T;
  try {
    result = work(folder);
  } catch (error) {
    folder.close();
    throw error;
  }
  if (result instanceof Promise) result.then(folder.close, folder.close);
  else folder.close();
  return result;
}

/** Linux provides the entries of an open folder here. Other systems use its path. */
const DESCRIPTORS = "/proc/self/fd";
const hasDescriptors = existsSync(DESCRIPTORS);

function hold(path: string, opened: string): Folder {
  const handle = openHandle(path, opened);
  const base = hasDescriptors ? join(DESCRIPTORS, String(handle)) : path;
  let isOpen = true;
  return {
    path,
    entry: (name) => join(base, expectName(name)),
    names: () => readdirSync(base),
    close() {
      if (isOpen) closeSync(handle);
      isOpen = false;
    },
  };
}

function openHandle(path: string, opened: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return openSync(opened, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ELOOP" || code === "ENOTDIR") {
      throw new FileRefusal(path, "is a link or not a folder: Belay does not follow it", error);
    }
    throw error;
  }
}

/** A name of one entry, which cannot lead to another folder. */
function expectName(name: string): string {
  if (name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name)) return name;
  throw new FileRefusal(JSON.stringify(name), "is not a file name");
}
