import { type FilesStore, openFilesStore } from "../../src/store/files/open-files-store.ts";
import { breakStore } from "./break-store.ts";
import { type Life, thisProcess } from "./this-process.ts";

export type Simulated = FilesStore;

/** Opens the store as a simulated process does: with a lock that only the death of its holder takes away. */
export function openSimulated({ folder, control }: Life): Promise<Simulated> {
  breakStore(control);
  const lock = (path: string) => ({
    acquire: () => thisProcess.call<boolean>("lock", path),
    release: () => void thisProcess.call("unlock", path),
    close: () => {},
  });
  return openFilesStore({ folder, isAlive: () => null, lock });
}
