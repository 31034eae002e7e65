import { realpathSync } from "node:fs";
import { BelayError, refuse } from "../../contract/errors.ts";
import { FileRefusal, isMissing } from "../../files/file-refusal.ts";
import { readFile } from "../../files/read-file.ts";

const MOST_BYTES = 1024 * 1024;

export interface ReadFile {
  /** The path after following all links. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** Reads a file once, so that the trust check and the parser see the same bytes. Null if it does not exist. */
export function readFileOnce(named: string): ReadFile | null {
  try {
    const path = realpathSync(named);
    const bytes = readFile(path, { most: MOST_BYTES });
    return bytes && { path, bytes };
  } catch (error) {
    if (isMissing(error)) return null;
    const why =
      error instanceof FileRefusal
        ? `it ${error.why}`
        : error instanceof Error
          ? error.message
          : String(error);
    throw new BelayError(
      refuse("invalid_input", `${named} cannot be read: ${why}`, { file: named }),
      error,
    );
  }
}
