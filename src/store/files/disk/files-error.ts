import { BelayError, type ErrorCode, refuse } from "../../../contract/errors.ts";
import { errorCode } from "../../../files/file-refusal.ts";

/** Translates errors of the file system to Belay's codes. Other errors stay unchanged. */
export function toFilesError(error: unknown): unknown {
  const code = CODES[errorCode(error) ?? ""];
  if (code === undefined || !(error instanceof Error)) return error;
  return new BelayError(refuse(code, `${ADVICE[code]} (${error.message})`), error);
}

export function damaged(stream: string | null, what: string): BelayError {
  const subject = stream === null ? "The store" : `Stream ${stream}`;
  const message = `${subject} is damaged: ${what}. Run: belay verify. If it reports damage, restore a backup.`;
  return new BelayError(refuse("storage_damaged", message, { stream, what }));
}

export function isDamage(error: unknown): boolean {
  return error instanceof BelayError && error.code === "storage_damaged";
}

export function busy(): BelayError {
  const message = "Another process is writing to the data folder. Try again.";
  return new BelayError(refuse("store_busy", message));
}

export function lockFailed(path: string, cause: unknown): BelayError {
  const message = `The lock ${path} cannot be used. Check the disk and the permissions of the folder. If another program wrote to the file, stop all processes of Belay, remove it and try again.`;
  return new BelayError(refuse("storage_failed", message, { path }), cause);
}

export function readOnly(): BelayError {
  return new BelayError(refuse("storage_read_only", ADVICE.storage_read_only));
}

export function alwaysSynced(): BelayError {
  const message = `A store in files always has durability "power". Use "power", or a store in SQLite.`;
  return new BelayError(refuse("storage_unsupported", message));
}

export function closed(): BelayError {
  return new BelayError(refuse("storage_failed", "This store is closed. Open it again."));
}

export function newerFormat(folder: string): BelayError {
  const message = `The data folder ${folder} was written by a newer version of Belay. Use that version.`;
  return new BelayError(refuse("storage_newer", message, { folder }));
}

export function olderFormat(folder: string): BelayError {
  const message = `The data folder ${folder} was written by an earlier version of Belay. With that version, copy it with \`belay migrate --from files:${folder} --to sqlite:NEW_FOLDER\`, and copy that back with this version.`;
  return new BelayError(refuse("storage_unsupported", message, { folder }));
}

const ADVICE = {
  storage_read_only:
    "The data folder is read-only. Check its permissions, or set BELAY_HOME to another folder.",
  storage_failed:
    "The data folder could not be read or written. Check the disk and the permissions of the folder, then try again.",
  storage_full: "The disk is full. Nothing was changed. Free some space and try again.",
} as const satisfies Partial<Record<ErrorCode, string>>;

const CODES: Readonly<Record<string, keyof typeof ADVICE>> = {
  EACCES: "storage_read_only",
  EPERM: "storage_read_only",
  EROFS: "storage_read_only",
  EDQUOT: "storage_full",
  ENOSPC: "storage_full",
  EFBIG: "storage_full",
  EIO: "storage_failed",
  EMFILE: "storage_failed",
  ENOENT: "storage_failed",
  ENOTDIR: "storage_failed",
};
