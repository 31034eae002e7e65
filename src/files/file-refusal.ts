import { readlinkSync } from "node:fs";

/** A file or folder that Belay refuses to use. The message names it and gives the reason. */
export class FileRefusal extends Error {
  readonly path: string;
  /** The reason, as the rest of a sentence after the path. */
  readonly why: string;

  constructor(path: string, why: string, cause?: unknown) {
    const shown = shownPath(path);
    super(`${shown} ${why}`, cause === undefined ? undefined : { cause });
    this.name = "FileRefusal";
    this.path = shown;
    this.why = why;
  }
}

/** Entries of an open folder have a path through its descriptor, which means nothing to a reader. */
function shownPath(path: string): string {
  const [, folder, rest = ""] = /^(\/proc\/self\/fd\/\d+)(\/.*)$/.exec(path) ?? [];
  return folder === undefined ? path : readlinkSync(folder) + rest;
}

/** The system's code of a failed call, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** True if nothing has that name. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
