import { readlinkSync } from "node:fs";

/** A file or folder that Belay refuses to use. The message names it and says why. */
export class FileRefusal extends Error {
  readonly path: string;
  /** What is wrong with it, as the rest of a sentence that it starts. */
  readonly why: string;

  constructor(path: string, why: string, cause?: unknown) {
    const shown = shownPath(path);
    super(`${shown} ${why}`, cause === undefined ? undefined : { cause });
    this.name = "FileRefusal";
    this.path = shown;
    this.why = why;
  }
}

/** Entries of an open folder are reached by its descriptor, which tells a reader nothing. */
function shownPath(path: string): string {
  const [, folder, rest = ""] = /^(\/proc\/self\/fd\/\d+)(\/.*)$/.exec(path) ?? [];
  return folder === undefined ? path : readlinkSync(folder) + rest;
}

/** The system's code of a failed call, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** True where nothing stands under a name. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
