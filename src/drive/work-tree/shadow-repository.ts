import { existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, sep } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { readFile } from "../../files/read-file.ts";
import type { WorkTree } from "./find-work-tree.ts";
import { type GitCall, runGit } from "./run-git.ts";

/**
 * A git folder of Belay for the user's work tree. Git reads configuration, attributes and index from it, and only objects
 * from the user's git folder. So no program in the user's configuration is ever run.
 */
export interface ShadowRepository {
  readonly tree: WorkTree;
  readonly folder: string;
  readonly isSha256: boolean;
  git(args: readonly string[], call?: Partial<GitCall>): Promise<Buffer>;
}

export async function openShadow(tree: WorkTree, folder: string): Promise<ShadowRepository> {
  for (const name of ["info", "objects", "refs", "home"]) makeFolder(join(folder, name));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    LC_ALL: "C",
    GIT_DIR: folder,
    GIT_WORK_TREE: tree.root,
    GIT_OBJECT_DIRECTORY: join(tree.common, "objects"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_LITERAL_PATHSPECS: "1",
    // Git must not fetch missing objects.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_PAGER: "cat",
    GIT_AUTHOR_NAME: "Belay",
    GIT_AUTHOR_EMAIL: "belay@localhost",
    GIT_COMMITTER_NAME: "Belay",
    GIT_COMMITTER_EMAIL: "belay@localhost",
  };
  const git: ShadowRepository["git"] = (args, call = {}) =>
    runGit(args, { cwd: tree.root, ...call, env: { ...env, ...call.env } });
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(folder, "config"), configOf(false, null));
  const isSha256 = await usesSha256(tree, git);
  const ignored = await findUserIgnores(git);
  writeFileSync(join(folder, "config"), configOf(isSha256, ignored));
  writeFileSync(join(folder, "info", "attributes"), ATTRIBUTES);
  writeFileSync(join(folder, "info", "exclude"), excludesOf(tree, folder));
  return { tree, folder, isSha256, git };
}

/** Turns off every conversion of file contents. This file overrides every `.gitattributes`. */
const ATTRIBUTES = "* -text -eol -crlf -ident -filter -working-tree-encoding -diff !diff\n";

function configOf(isSha256: boolean, ignored: string | null): string {
  return `[core]
\trepositoryformatversion = 1
\tbare = false
\tfileMode = true
\tsymlinks = true
\tautocrlf = false
\tfsmonitor = false
\tuntrackedCache = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\tfsync = all
\tfsyncMethod = batch
${ignored === null ? "" : `\texcludesFile = ${JSON.stringify(ignored)}\n`}[extensions]
${isSha256 ? "\tobjectFormat = sha256\n" : ""}[index]
\tsparse = false
[gc]
\tauto = 0
[protocol]
\tallow = never
`;
}

async function usesSha256({ common }: WorkTree, git: ShadowRepository["git"]): Promise<boolean> {
  const args = ["config", "--file", join(common, "config"), "--no-includes"];
  const format = await git([...args, "--get", "extensions.objectformat"], { accepts: [0, 1] });
  return format.toString().trim() === "sha256";
}

/** The user's global ignore file. Reading the user's settings runs nothing. */
async function findUserIgnores(git: ShadowRepository["git"]): Promise<string | null> {
  const home = process.env.HOME || homedir();
  const config = process.env.XDG_CONFIG_HOME || join(home, ".config");
  for (const file of [join(home, ".gitconfig"), join(config, "git", "config")]) {
    if (!existsSync(file)) continue;
    const args = ["config", "--file", file, "--type", "path", "--get", "core.excludesFile"];
    const found = await git(args, { accepts: [0, 1], env: { HOME: home } }).catch(() => null);
    const path = found?.toString().trim();
    if (path) return path;
  }
  const usual = join(config, "git", "ignore");
  return existsSync(usual) ? usual : null;
}

/** The start of the name of the folder in which a restore keeps files. */
export const ASIDE = ".belay-restore-";

function excludesOf({ root, common }: WorkTree, folder: string): string {
  const theirs = readFile(join(common, "info", "exclude"))?.toString("utf8") ?? "";
  // The data folder may be inside the work tree.
  const data = relative(root, join(folder, "..", "..", ".."));
  const isInside = data !== "" && data !== ".." && !data.startsWith(`..${sep}`);
  return `${theirs}\n/${ASIDE}*\n${isInside ? `/${escapePattern(data)}/\n` : ""}`;
}

function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]!# ]/g, "\\$&");
}
