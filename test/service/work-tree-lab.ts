import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createService } from "../../src/compose-service.ts";
import type { Scope } from "../../src/contract/vocabulary.ts";
import { isTrustedTree, trustWorkTree } from "../../src/drive/work-tree/trust-work-tree.ts";
import { createWorkTrees } from "../../src/drive/work-tree/work-trees.ts";
import { newId } from "../../src/service/new-id.ts";
import { hasCheckpoint } from "../../src/service/read/read-checkpoint.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";

export const OWNER = "ann";

/** A repository of the user's own, with a session that works in it. */
export async function workTreeLab({ trusted = true, init = true } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "belay-files-")));
  const root = join(folder, "repo");
  const home = join(folder, "data");
  mkdirSync(root);
  mkdirSync(home);
  const git = (...args: string[]) => runGit(root, ...args);
  if (init) git("init", "-q", "-b", "main");
  if (trusted && init) trustWorkTree(home, root);
  const store = openMemoryStore();
  const notices: string[] = [];
  const workTrees = createWorkTrees({
    home,
    isTrusted: (tree) => isTrustedTree(home, tree),
    isSaved: (owner, id) => hasCheckpoint(store, owner, id),
    onNotice: (text) => notices.push(text),
  });
  const service = createService({ store, now: Date.now, newId, workTrees });
  const caller = { owner: OWNER, actor: "user:ann", interface: "cli", trace_id: null } as const;
  const { session_id: id } = await service.call(
    "create",
    { agent_name: "coder", project: { cwd: root, repo: root, branch: null } },
    caller,
  );
  return {
    folder,
    root,
    home,
    id,
    git,
    service,
    caller,
    notices,
    as: (scope: Scope): Caller => ({ ...caller, interface: "api", scope, token_id: newId() }),
    write: (files: Readonly<Record<string, string>>) => writeFiles(root, files),
    remove: (path: string) => rmSync(join(root, path), { recursive: true, force: true }),
    files: () => readTree(root),
    save: (name: string, by: Caller = caller) =>
      service.call("save_checkpoint", { id, name, state: { step: name } }, by),
    restore: (name: string, more: object = { files: true }, by: Caller = caller) =>
      service.call("restore_checkpoint", { id, name, ...more }, by),
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Git with a clean environment, without the settings of the user who runs the tests. */
export function runGit(cwd: string, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: dirname(cwd),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "ann",
    GIT_AUTHOR_EMAIL: "ann@localhost",
    GIT_COMMITTER_NAME: "ann",
    GIT_COMMITTER_EMAIL: "ann@localhost",
    GIT_EDITOR: "true",
  };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" });
}

/** A text that starts with `->` is a link, one that starts with `#!` a program. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const whole = join(root, path);
    mkdirSync(dirname(whole), { recursive: true });
    rmSync(whole, { force: true });
    if (text.startsWith("->")) symlinkSync(text.slice(2), whole);
    else writeFileSync(whole, text);
    if (text.startsWith("#!")) chmodSync(whole, 0o755);
  }
}

/** Every file except git's own, in the form of `writeFiles`. */
export function readTree(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, below)).sort()) {
    if (name === ".git") continue;
    const path = join(below, name);
    const stat = lstatSync(join(root, path));
    if (stat.isDirectory()) Object.assign(found, readTree(root, path));
    else if (stat.isSymbolicLink()) found[path] = `->${readlinkSync(join(root, path))}`;
    else found[path] = readFileSync(join(root, path), "utf8");
  }
  return found;
}

/** The parts of a git folder that only its user changes. */
export function readGitState(root: string) {
  const read = (name: string) => {
    const path = join(root, ".git", name);
    return existsSync(path) ? readFileSync(path, "base64") : null;
  };
  const names = ["index", "HEAD", "config", "refs/stash", "logs/HEAD", "info/exclude"];
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}
