import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { BelayError, refuse } from "../../contract/errors.ts";

const MOST_BYTES = 1024 * 1024;

export interface ReadFile {
  /** With every link on the way followed. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** A file's bytes, read once: whoever trusts them and whoever parses them look at the same. Null when it is not there. */
export function readFileOnce(named: string): ReadFile | null {
  const opened = open(named);
  if (opened === null) return null;
  const { path, file } = opened;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw unreadable(named, "it is not a regular file");
    if (stat.size > MOST_BYTES) throw unreadable(named, `it is larger than ${MOST_BYTES} bytes`);
    return { path, bytes: readFileSync(file) };
  } finally {
    closeSync(file);
  }
}

function open(named: string): { path: string; file: number } | null {
  try {
    const path = realpathSync(named);
    // Not blocking, because what lies in a workspace may be a pipe that nobody writes to.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    return { path, file: openSync(path, flags) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw unreadable(named, error instanceof Error ? error.message : String(error), error);
  }
}

function unreadable(file: string, why: string, cause?: unknown): BelayError {
  return new BelayError(refuse("invalid_input", `${file} cannot be read: ${why}`, { file }), cause);
}
