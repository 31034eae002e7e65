import type { FileChange } from "../../contract/branch/checkpoint-files.ts";
import { LIMITS } from "../../contract/limits.ts";
import { split } from "./list-files.ts";
import type { ShadowRepository } from "./shadow-repository.ts";

/** A file in a git tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
}

export interface TreeChange {
  readonly path: string;
  readonly from: TreeEntry | null;
  readonly to: TreeEntry | null;
}

/** The files that differ between two trees. */
export async function compareTrees(
  { git }: ShadowRepository,
  from: string,
  to: string,
): Promise<TreeChange[]> {
  const parts = split(await git([...DIFF, "--raw", "--no-abbrev", from, to]));
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [before = "", after = "", old = "", oid = ""] = (parts[at] ?? "").slice(1).split(" ");
    changes.push({
      path: parts[at + 1] ?? "",
      from: entryOf(before, old),
      to: entryOf(after, oid),
    });
  }
  return changes;
}

const DIFF = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];

function entryOf(mode: string, oid: string): TreeEntry | null {
  return mode === "000000" ? null : { mode, oid };
}

/** The differences for people: counts of lines, and the text of the patch. */
export async function describeChanges(
  { git }: ShadowRepository,
  { from, to, changes }: { from: string; to: string; changes: readonly TreeChange[] },
) {
  const { FILES_SHOWN: most } = LIMITS;
  const counts = split(await git([...DIFF, "--numstat", from, to])).map((line) => line.split("\t"));
  const lines = new Map(counts.map(([added, removed, path]) => [path, { added, removed }]));
  const patch = await git(["diff-tree", "-r", "-p", ...DIFF.slice(3), from, to], {
    most: most.patch + 1,
  });
  return {
    changes: changes.slice(0, most.changes).map(
      ({ path, from: before, to: after }): FileChange => ({
        path,
        change: before === null ? "added" : after === null ? "removed" : "modified",
        added: countOf(lines.get(path)?.added),
        removed: countOf(lines.get(path)?.removed),
      }),
    ),
    total: changes.length,
    patch: patch.subarray(0, most.patch).toString("utf8"),
    patch_cut: patch.length > most.patch,
  };
}

function countOf(text: string | undefined): number | null {
  return text === undefined || text === "-" ? null : Number(text);
}
