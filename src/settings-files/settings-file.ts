import { accessSync, constants, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { BelayError, refuse } from "../contract/errors.ts";
import { readFile } from "../files/read-file.ts";
import { removeFile } from "../files/remove-file.ts";
import { replaceFile } from "../files/replace-file.ts";

interface SettingsFile {
  readonly path: string;
  /** Null if the file does not exist. */
  readonly text: string | null;
}

/** Reads settings, through a link if there is one. */
export function readSettings(path: string): SettingsFile {
  const target = followLink(path);
  const bytes = readBytes(target);
  if (bytes === null) return { path: target, text: null };
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) throw invalid(path, "it is not UTF-8 text");
  return { path: target, text };
}

/** Replaces settings atomically; false if another program has changed them since they were read. */
export function replaceSettings(read: SettingsFile, text: string | null): boolean {
  const { path } = read;
  refuseReadOnly(path);
  const isWanted = (): boolean => !isChanged(read);
  if (text === null) {
    if (!isWanted()) return false;
    removeFile(path);
    return true;
  }
  mkdirSync(dirname(path), { recursive: true });
  return replaceFile(path, text, { mode: "kept", isWanted });
}

function isChanged({ path, text }: SettingsFile): boolean {
  return readBytes(path)?.toString("utf8") !== (text ?? undefined);
}

function followLink(path: string): string {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return path;
  const target = entry.isSymbolicLink() ? targetOf(path) : path;
  if (statSync(target, { throwIfNoEntry: false })?.isFile()) return target;
  throw invalid(path, "it is not a regular file");
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw invalid(path, "it is a broken link");
  }
}

function readBytes(path: string): Buffer | null {
  try {
    return readFile(path);
  } catch (error) {
    throw notAllowed(path, "cannot be read", error);
  }
}

/** Also for root, whom permissions do not stop: a read-only file was meant to stay unchanged. */
function refuseReadOnly(path: string): void {
  const folder = existing(dirname(path));
  for (const place of [path, folder]) {
    const stat = statSync(place, { throwIfNoEntry: false });
    if (!stat) continue;
    try {
      accessSync(place, constants.W_OK);
    } catch (error) {
      throw notAllowed(place, "is read-only", error);
    }
    if ((stat.mode & 0o222) === 0) throw notAllowed(place, "is read-only");
  }
}

function existing(folder: string): string {
  return statSync(folder, { throwIfNoEntry: false }) ? folder : existing(dirname(folder));
}

function invalid(path: string, why: string): BelayError {
  return new BelayError(refuse("invalid_input", `${path} was not changed: ${why}.`, { path }));
}

function notAllowed(path: string, why: string, cause?: unknown): BelayError {
  const message = `${path} ${why}. Nothing was changed.`;
  return new BelayError(refuse("not_allowed", message, { path }), cause);
}
