import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  readdirSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { errorCode } from "../../../files/file-refusal.ts";
import { makeSyncedFolder } from "../../../files/make-folder.ts";
import { createFile } from "../../../files/open-file.ts";

/** The paths of a store. */
export interface DataFolder {
  readonly folder: string;
  readonly database: string;
  readonly wal: string;
  readonly sharedMemory: string;
  readonly anchor: string;
  readonly notes: string;
}

export function dataFolder(folder: string): DataFolder {
  const database = join(folder, "belay.db");
  return {
    folder,
    database,
    wal: `${database}-wal`,
    sharedMemory: `${database}-shm`,
    anchor: join(folder, "anchor.log"),
    notes: join(folder, "notes"),
  };
}

/**
 * True if the folder has a store. Throws if permissions hide the answer, because data may be there.
 */
export function hasData({ folder, database }: DataFolder): boolean {
  try {
    accessSync(database, constants.R_OK);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return false;
    if (code === "ENOTDIR") {
      const message = `${folder} is not a folder. Set BELAY_HOME to a folder, or move the file away.`;
      throw new BelayError(refuse("storage_failed", message, { folder, code }), error);
    }
    if (code !== "EACCES" && code !== "EPERM") throw error;
    const message = `No permission to read the data folder ${folder} (${code}). Run Belay as the user who owns it, change its permissions, or set BELAY_HOME to another folder.`;
    throw new BelayError(refuse("storage_failed", message, { folder, code }), error);
  }
}

/**
 * Creates the folder and the database file if missing, readable only by the owner. SQLite copies
 * these permissions to its other files.
 */
export function prepareFolder(
  { folder, database }: DataFolder,
  onNotice: (text: string) => void,
): void {
  if (!existsSync(database)) makeSyncedFolder(folder);
  closeToOthers(folder, onNotice);
  try {
    closeSync(createFile(database));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** The permissions of another user's folder are not changed. */
function closeToOthers(folder: string, onNotice: (text: string) => void): void {
  const { mode, uid } = statSync(folder);
  if ((mode & 0o077) === 0 || uid !== process.geteuid?.()) return;
  const shown = (mode & 0o7777).toString(8).padStart(4, "0");
  if (!readdirSync(folder).every((name) => OWN_NAMES.test(name))) {
    const message = `The data folder ${folder} has mode ${shown}, so other users can access it, and it contains other files. Run: chmod 700 ${folder}, or set BELAY_HOME to a folder of its own.`;
    throw new BelayError(refuse("storage_failed", message, { folder, mode: shown }));
  }
  chmodSync(folder, mode & 0o700);
  onNotice(`The data folder ${folder} had mode ${shown}. Other users can no longer access it.`);
}

/** All files that Belay creates in its data folder. */
const OWN_NAMES =
  /^\.?(?:belay\.db|anchor\.log|agents\.json|recovery(?:\.json)?|storage\.json|encryption\.json|redaction\.json|mirrors\.json|trusted\.json|server\.json|server-token|webhook-secrets\.json|notes|node-id|logins|postgres-anchor|spool|agent-logs|demo-agent)(?:[.-].*)?$/;
