import { statSync } from "node:fs";
import { join } from "node:path";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { isRecord } from "../../../contract/is-record.ts";
import { DURABILITIES, type Durability } from "../../../contract/vocabulary.ts";
import { FileRefusal } from "../../../files/file-refusal.ts";
import { readFile } from "../../../files/read-file.ts";
import { replaceFile } from "../../../files/replace-file.ts";

/**
 * The durability of a data folder, from its `storage.json`. The folder's choice applies to every
 * process: a process that opened it under a weaker choice checks again inside each write
 * transaction.
 */
export class FolderDurability {
  readonly #path: string;
  #seen: string | null = null;
  #choice: Durability = "power";

  constructor(folder: string) {
    this.#path = join(folder, "storage.json");
  }

  /** Throws `invalid_input` if the file is invalid. */
  read(): Durability {
    this.#seen = identify(this.#path);
    this.#choice = readChoice(this.#path);
    return this.#choice;
  }

  /**
   * True if the folder's choice became stricter since the last read. Never throws: an unreadable
   * choice counts as strict.
   */
  hasBecomeStricter(): boolean {
    if (this.#choice === "power" || identify(this.#path) === this.#seen) return false;
    try {
      return this.read() === "power";
    } catch {
      this.#choice = "power";
      return true;
    }
  }

  write(durability: Durability): void {
    replaceFile(this.#path, `${JSON.stringify({ durability })}\n`);
  }
}

const MOST_BYTES = 64 * 1024;

function readChoice(path: string): Durability {
  const text = readText(path);
  if (text === undefined) return "power";
  const settings = parse(path, text);
  if (!isRecord(settings)) throw invalid(path, "it must be an object");
  for (const name of Object.keys(settings)) {
    if (name !== "durability") throw invalid(path, `unknown setting "${name}"`);
  }
  const { durability = "power" } = settings;
  const known = DURABILITIES.find((each) => each === durability);
  if (known) return known;
  throw invalid(path, `unknown durability ${JSON.stringify(durability)}, use "power" or "process"`);
}

function readText(path: string): string | undefined {
  try {
    return readFile(path, { most: MOST_BYTES })?.toString("utf8");
  } catch (error) {
    if (error instanceof FileRefusal) throw invalid(path, `it ${error.why}`, error);
    throw error;
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(path, "not JSON", cause);
  }
}

function invalid(path: string, why: string, cause?: unknown): BelayError {
  const message = `Invalid storage settings in ${path}: ${why}. Correct the file, or remove it to use the defaults.`;
  return new BelayError(refuse("invalid_input", message, { file: path }), cause);
}

/** Detects that the file was replaced or edited by hand. */
function identify(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino}:${found.mtimeMs}:${found.size}` : null;
}
