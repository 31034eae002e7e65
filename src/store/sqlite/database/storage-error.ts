import { BelayError, type ErrorCode, refuse } from "../../../contract/errors.ts";
import { errorCode } from "../../../files/file-refusal.ts";

/**
 * Translates errors of SQLite and the file system to Belay's codes. Other errors stay unchanged.
 */
export function toStorageError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return new BelayError(refuse(code, `${advice[code]} (${messageOf(error)})`), error);
}

export function damaged(stream: string | null, what: string): BelayError {
  const subject = stream === null ? "The database" : `Stream ${stream}`;
  const message = `${subject} is damaged: ${what}. Run: belay verify. If it reports damage, restore a backup.`;
  return new BelayError(refuse("storage_damaged", message, { stream, what }));
}

export function isDamage(error: unknown): boolean {
  if (error instanceof BelayError) return error.code === "storage_damaged";
  return codeOf(error) === "storage_damaged";
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === "store_busy";
}

/** After such an error, the state of the last commit on disk is unknown. */
export function isInputOutputError(error: unknown): boolean {
  return sqliteCode(error) === SQLITE.IOERR;
}

/** The shared files next to the database could not be opened or created. */
export function isWithoutSharedMemory(error: unknown): boolean {
  const codes: readonly (number | undefined)[] = Object.values(SQLITE);
  return codes.includes(sqliteCode(error));
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const SQLITE = { READONLY: 8, IOERR: 10, FULL: 13, CANTOPEN: 14 } as const;

const sqliteCodes: Readonly<Record<number, StorageCode>> = {
  // A table or column of our statements is missing: the schema in the file was altered.
  1: "storage_damaged",
  5: "store_busy",
  6: "store_busy",
  [SQLITE.READONLY]: "storage_read_only",
  [SQLITE.IOERR]: "storage_failed",
  11: "storage_damaged",
  [SQLITE.FULL]: "storage_full",
  [SQLITE.CANTOPEN]: "storage_failed",
  15: "store_busy",
  18: "too_large",
  24: "storage_damaged",
  26: "storage_damaged",
};

const systemCodes: Readonly<Record<string, StorageCode>> = {
  // Thrown by node:sqlite for a number outside the range of our columns.
  ERR_OUT_OF_RANGE: "storage_damaged",
  EACCES: "storage_read_only",
  EDQUOT: "storage_full",
  EIO: "storage_failed",
  ENAMETOOLONG: "storage_failed",
  ENOENT: "storage_failed",
  ENOSPC: "storage_full",
  ENOTDIR: "storage_failed",
  EPERM: "storage_read_only",
  EROFS: "storage_read_only",
};

const advice = {
  store_busy: "Another process is writing to the database. Try again.",
  storage_read_only:
    "The data folder is read-only. Check its permissions, or set BELAY_HOME to another folder.",
  storage_failed:
    "The database could not be read or written. Check the disk and the permissions of the data folder, then try again.",
  storage_damaged:
    "The database is damaged. Run `belay verify`. If it reports damage, restore a backup.",
  storage_full: "The disk is full. Nothing was changed. Free some space and try again.",
  too_large: "This is too large for the database. Split it.",
} as const satisfies Partial<Record<ErrorCode, string>>;

type StorageCode = keyof typeof advice;

function codeOf(error: unknown): StorageCode | undefined {
  const number = sqliteCode(error);
  if (number !== undefined) return sqliteCodes[number] ?? "storage_failed";
  const name = errorCode(error);
  return name === undefined ? undefined : systemCodes[name];
}

/** The primary code. SQLite puts the extended one in the higher bits. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}
