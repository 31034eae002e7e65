import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../../service/project-folder.ts";
import type { HookDeps } from "./hook-deps.ts";

const LARGEST_LOG = 1024 * 1024;

/** One line in the project's log, or in the server's. What cannot be logged is not worth failing for. */
export function logFailure(deps: HookDeps, hook: string, problem: unknown): void {
  const [name, what] = [describe(hook, 40), describe(problem, 500)];
  try {
    if (deps.server) deps.server.noteFailure(name, what);
    else logInProject(deps, `${name}: ${what}`);
  } catch {
    // Nowhere to say it.
  }
}

function logInProject({ cwd, now }: HookDeps, text: string): void {
  const path = join(projectFolder(cwd, "logs"), "pre_delegate.log");
  const line = `${new Date(now()).toISOString()} ${text}\n`;
  if (append(path, line) > LARGEST_LOG) renameSync(path, `${path}.1`);
}

function append(path: string, line: string): number {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const file = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY, 0o600);
  try {
    writeSync(file, line);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

function describe(problem: unknown, length: number): string {
  const text = problem instanceof Error ? problem.message : String(problem);
  return text
    .slice(0, length)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ");
}
