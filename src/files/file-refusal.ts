/** A file or folder that Belay refuses to use. The message names it and says why. */
export class FileRefusal extends Error {
  readonly path: string;

  constructor(path: string, why: string, cause?: unknown) {
    super(`${path} ${why}`, cause === undefined ? undefined : { cause });
    this.name = "FileRefusal";
    this.path = path;
  }
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
