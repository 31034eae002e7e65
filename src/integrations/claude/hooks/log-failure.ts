import { closeSync, fstatSync, renameSync, writeSync } from "node:fs";
import { shortenText, visibleLine } from "../../../contract/visible-text.ts";
import { ignoreInGit } from "../../../files/ignore-in-git.ts";
import { openToAppend } from "../../../files/open-file.ts";
import { withFolder } from "../../../files/open-folder.ts";
import type { HookDeps } from "./hook-deps.ts";

const LARGEST_LOG = 1024 * 1024;

/** Writes one line to the project's log, or to the server's. A failure to log is ignored. */
export async function logFailure(deps: HookDeps, hook: string, problem: unknown): Promise<void> {
  try {
    const text = problem instanceof Error ? problem.message : String(problem);
    const redacted = deps.redaction ? (await deps.redaction()).text(text) : text;
    const [name, what] = [describe(hook, 40), describe(redacted, 500)];
    if (deps.server) deps.server.noteFailure(name, what);
    else logInProject(deps, `${name}: ${what}`);
  } catch {
    // There is no place to report it.
  }
}

function logInProject({ cwd, now }: HookDeps, text: string): void {
  const line = `${new Date(now()).toISOString()} ${text}\n`;
  withFolder({ root: cwd, names: [".claude", "logs"] }, (folder) => {
    ignoreInGit(folder, [`${LOG}*`, ".gitignore"]);
    const path = folder.entry(LOG);
    if (append(path, line) > LARGEST_LOG) renameSync(path, `${path}.1`);
  });
}

const LOG = "pre_delegate.log";

function append(path: string, line: string): number {
  const file = openToAppend(path);
  try {
    writeSync(file, line);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

function describe(text: string, length: number): string {
  return visibleLine(shortenText(text, length));
}
