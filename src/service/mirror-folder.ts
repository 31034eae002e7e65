import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";

/** A folder of a workspace, made if it is not there. Throws where a link would lead our writing out of the workspace. */
export function workspaceFolder(cwd: string, ...names: readonly string[]): string {
  let folder = realpathSync(cwd);
  for (const name of names) {
    folder = join(folder, name);
    make(folder);
    folder = inside(cwd, folder);
  }
  return folder;
}

/** Another process may make it at the same moment. */
function make(folder: string): void {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** The file behind a path of the workspace. Throws where that lies elsewhere. */
export function inside(cwd: string, path: string): string {
  const root = realpathSync(cwd);
  const real = existsSync(path)
    ? realpathSync(path)
    : join(realpathSync(dirname(path)), path.slice(dirname(path).length + 1));
  if (real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
  throw new Error(`${path} leads out of ${root}`);
}

/**
 * Puts a text in place of a file, at once and for good. A link that stands there is replaced, not followed. For one
 * writer at a time: what a killed one left half done is written over.
 */
export function replaceAtOnce(folder: string, name: string, text: string): void {
  const temporary = join(folder, `.${name}.new`);
  rmSync(temporary, { force: true });
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, join(folder, name));
  } finally {
    rmSync(temporary, { force: true });
  }
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
