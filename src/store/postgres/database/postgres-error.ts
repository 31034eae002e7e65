import { BelayError, type ErrorCode, refuse } from "../../../contract/errors.ts";
import { errorCode } from "../../../files/file-refusal.ts";

/** Translates errors of PostgreSQL and the network to Belay's codes. Other errors stay unchanged. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof BelayError) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const text = hints[stateOf(error) ?? ""] ?? (isLogin(error) ? LOGIN : advice[code]);
  return new BelayError(refuse(code, `${text} (${messageOf(error)})`), error);
}

export function damaged(stream: string | null, what: string): BelayError {
  const subject = stream === null ? "The database" : `Stream ${stream}`;
  const message = `${subject} is damaged: ${what}. Run: belay verify. If it reports damage, restore a backup.`;
  return new BelayError(refuse("storage_damaged", message, { stream, what }));
}

export function isDamage(error: unknown): boolean {
  return error instanceof BelayError && error.code === "storage_damaged";
}

/** The connection is gone: a running statement may or may not have been committed. */
export function isConnectionLost(error: unknown): boolean {
  return codeOf(error) === "storage_unreachable";
}

/** The server rolled it back for a temporary reason: a retry may succeed. */
export function isConflict(error: unknown): boolean {
  const state = stateOf(error);
  return state === "40001" || state === "40P01";
}

/** The server answered a statement with an error, which ended the transaction. */
export function isServerError(error: unknown): boolean {
  return stateOf(error) !== undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const advice = {
  storage_unreachable:
    "The database cannot be reached. Check that PostgreSQL runs and that BELAY_DATABASE_URL is right, then try again.",
  store_busy: "The database is busy. Try again in a moment.",
  storage_read_only:
    "The database does not accept writes. Check that BELAY_DATABASE_URL names the primary server.",
  storage_failed: "The database refused a request.",
  storage_damaged:
    "The database is damaged. Run: belay verify. If it reports damage, restore a backup.",
  storage_full:
    "The disk of the database is full. Nothing was changed. Free some space and try again.",
  too_large: "This is larger than the database can hold. Split it.",
} as const satisfies Partial<Record<ErrorCode, string>>;

const LOGIN =
  "The database refused the login. Check the user and the password in the address of the database.";

/** More exact advice, by SQLSTATE. */
const hints: Readonly<Record<string, string>> = {
  "28000": LOGIN,
  "28P01": LOGIN,
  "3D000":
    "The server has no such database. Create it, or correct its name in the address of the database.",
  "42501": "The role lacks a permission. Make it the owner of the database.",
};

/** The driver itself fails if the server asks for a password and the address has none. */
function isLogin(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("SASL: ");
}

type StorageCode = keyof typeof advice;

const states: Readonly<Record<string, StorageCode>> = {
  "25006": "storage_read_only",
  "25P03": "storage_unreachable",
  "40001": "store_busy",
  "40P01": "store_busy",
  "53100": "storage_full",
  "53200": "store_busy",
  "53300": "store_busy",
  "54000": "too_large",
  "55P03": "store_busy",
  "57014": "store_busy",
  "57P01": "storage_unreachable",
  "57P02": "storage_unreachable",
  "57P03": "storage_unreachable",
  XX001: "storage_damaged",
  XX002: "storage_damaged",
};

function codeOf(error: unknown): StorageCode | undefined {
  const state = stateOf(error);
  if (state !== undefined) {
    if (state.startsWith("08")) return "storage_unreachable";
    return states[state] ?? "storage_failed";
  }
  if (isLogin(error)) return "storage_failed";
  return isNetworkError(error) ? "storage_unreachable" : undefined;
}

/** Errors of the server have a SQLSTATE of five characters. */
function stateOf(error: unknown): string | undefined {
  const code = errorCode(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !NETWORK.has(code) ? code : undefined;
}

const NETWORK = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

/** The driver identifies some failures only by their message. */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client was closed|Connection ended|read ECONN|write E)/i;

function isNetworkError(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== undefined) return NETWORK.has(code);
  return error instanceof Error && LOST.test(error.message);
}
