import { join } from "node:path";
import { errorCode, FileRefusal } from "./file-refusal.ts";
import { readFile } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";

/** Tells processes without the key that a data folder is encrypted. It contains no secret. */
export interface EncryptionMark {
  /** The fingerprint of the master key. */
  readonly master: string;
  /** A public key; only the master key can decrypt texts that were encrypted with it. */
  readonly seal_for: string;
}

const NAME = "encryption.json";

/** Null if the data of the folder is not encrypted. Throws if that cannot be determined. */
export function readEncryptionMark(home: string): EncryptionMark | null {
  const path = join(home, NAME);
  const text = readFile(path)?.toString("utf8");
  if (text === undefined) return null;
  const mark: unknown = parse(text);
  if (typeof mark === "object" && mark !== null && "master" in mark && "seal_for" in mark) {
    const { master, seal_for } = mark;
    if (typeof master === "string" && typeof seal_for === "string") return { master, seal_for };
  }
  throw new FileRefusal(path, "is damaged. Restore it from a backup, or remove it.");
}

/** Null too if permissions hide the mark: opening the store then fails with a reason, or shows whether it is encrypted. */
export function findEncryptionMark(home: string): EncryptionMark | null {
  try {
    return readEncryptionMark(home);
  } catch (error) {
    if (HIDDEN.has(errorCode(error) ?? "")) return null;
    throw error;
  }
}

const HIDDEN: ReadonlySet<string> = new Set(["EACCES", "EPERM", "ENOTDIR"]);

export function writeEncryptionMark(home: string, mark: EncryptionMark): void {
  replaceFile(join(home, NAME), `${JSON.stringify(mark)}\n`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
