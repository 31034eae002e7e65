import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { LIMITS } from "../../contract/limits.ts";
import { refused } from "./find-work-tree.ts";
import type { ShadowRepository } from "./shadow-repository.ts";
import { statOf } from "./tree-file.ts";

interface ListedFiles {
  readonly paths: readonly string[];
  readonly bytes: number;
}

/** The files that git tracks or does not ignore. Throws if there are too many, or if there is a nested repository. */
export async function listFiles(shadow: ShadowRepository): Promise<ListedFiles> {
  const { root } = shadow.tree;
  const paths = new Set([...(await listTracked(shadow)), ...(await listOthers(shadow))]);
  if (paths.size > MOST.count) throw tooMany(root, `${MOST.count.toLocaleString("en")} files`);
  const there: string[] = [];
  let bytes = 0;
  let seen = 0;
  for (const path of paths) {
    // Other requests can run while a large folder is read.
    if (++seen % 2000 === 0) await breathe();
    const stat = statOf(join(root, path));
    if (!stat || (!stat.isFile() && !stat.isSymbolicLink())) continue;
    there.push(path);
    bytes += stat.size;
    if (bytes > MOST.bytes) throw tooMany(root, `${MOST.bytes / 1024 / 1024} MB`);
  }
  return { paths: there, bytes };
}

const MOST = LIMITS.CHECKPOINT_FILES;

function tooMany(root: string, most: string) {
  const message = `${root} has more than ${most} that git does not ignore, which is more than a checkpoint records. Ignore what is built or downloaded.`;
  return refused(message, root);
}

async function listTracked({ tree, git }: ShadowRepository): Promise<string[]> {
  // This only reads the user's index.
  const env = { GIT_INDEX_FILE: join(tree.git, "index") };
  const lines = split(await git(["ls-files", "-z", "--stage"], { env }));
  return lines.map((line) => {
    const [fields = "", path = ""] = cut(line, "\t");
    if (fields.startsWith("160000 ")) throw nested(tree.root, path);
    return path;
  });
}

async function listOthers({ tree, git, folder }: ShadowRepository): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--exclude-standard"];
  const paths = split(await git(args, { env: { GIT_INDEX_FILE: join(folder, "no-index") } }));
  const inner = paths.find((path) => path.endsWith("/"));
  if (inner !== undefined) throw nested(tree.root, inner);
  return paths;
}

function nested(root: string, path: string) {
  const message = `${root} contains another repository, ${path}. Files of submodules and nested repositories cannot be recorded with it. Ignore that folder, or work in a session of its own there.`;
  return refused(message, root);
}

/** Splits the output of git at zero bytes. Refuses a path that is not UTF-8, because it could not be written back. */
export function split(bytes: Buffer): string[] {
  const text = bytes.toString("utf8");
  if (text.includes("\ufffd") && !Buffer.from(text).equals(bytes)) {
    throw refused("The name of a file is not UTF-8. Rename it, or ignore it.", "");
  }
  return text.split("\0").slice(0, -1);
}

function cut(text: string, at: string): [string, string] {
  const place = text.indexOf(at);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}
