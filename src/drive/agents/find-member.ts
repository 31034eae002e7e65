import { readdirSync, statSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { BelayError, refuse } from "../../contract/errors.ts";
import { readLink } from "../../process/read-proc.ts";

/** A place in the folder of a member. */
interface MemberPlace {
  /** The folder with the folders of all members. */
  readonly root: string;
  readonly owner: string;
}

/**
 * The member whose folder a path leads into; null if it leads into none. The path is followed name by name and only up
 * to the first folder of a member, because the member can change every link behind it at any moment. The folder itself
 * may also be a link or a mount, and so have another path.
 */
export function findMember(roots: readonly string[], path: string): MemberPlace | null {
  if (roots.length === 0) return null;
  const places = listPlaces(roots);
  let real = "/";
  let names = namesOf(isAbsolute(path) ? path : `${process.cwd()}/${path}`);
  for (let links = 0; names.length > 0; ) {
    const [name = "", ...rest] = names;
    if (name !== ".." && roots.includes(real)) return { root: real, owner: name };
    const next = join(real, name);
    const target = name === ".." ? null : readLink(next);
    if (target === null) {
      real = next;
      names = rest;
    } else {
      links += 1;
      if (links > MOST_LINKS) return null;
      if (isAbsolute(target)) real = "/";
      names = [...namesOf(target), ...rest];
    }
    if (real === PROCESSES) throw throughProcess(path);
    const place = places.get(identify(real));
    if (place) return place;
  }
  return null;
}

/** The folders of members that exist. */
function listPlaces(roots: readonly string[]): Map<string | null, MemberPlace> {
  const found = roots.flatMap((root) =>
    namesIn(root).map((owner) => [identify(join(root, owner)), { root, owner }] as const),
  );
  return new Map(found.filter(([id]) => id !== null));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder of an earlier server may no longer exist.
    return [];
  }
}

/** The same for all paths of a folder; null if there is none. */
function identify(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** True also for a path through /proc, because its end is not known. */
export function mayBelongToMember(roots: readonly string[], path: string): boolean {
  try {
    return findMember(roots, path) !== null;
  } catch (error) {
    if (error instanceof BelayError) return true;
    throw error;
  }
}

/** The system itself follows no more links than this. */
const MOST_LINKS = 40;
const PROCESSES = "/proc";

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== "" && name !== ".");
}

/** Links in this folder lead into the sandboxes of members, and their text does not name that place. */
function throughProcess(path: string): BelayError {
  const message = `The folder ${path} leads through /proc, and no agent is started there. Use the path of the folder itself.`;
  return new BelayError(refuse("agent_not_trusted", message, { folder: path }));
}
