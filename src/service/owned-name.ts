import { createHash } from "node:crypto";
import { defaultOwner } from "./home-folder.ts";

/**
 * The name of a session or checkpoint in file names of the data folder. Several owners may use the same id, so only the
 * user of the data folder has the id itself. No id contains a plus sign.
 */
export function ownedName(owner: string, id: string): string {
  if (owner === defaultOwner()) return id;
  return `${PLAIN.test(owner) ? owner : digest(owner)}+${id}`;
}

/** The names of people. Other owners may have any name, also one with slashes. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

/** Starts with a character that no person's name starts with. */
function digest(owner: string): string {
  return `_${createHash("sha256").update(owner).digest("hex").slice(0, 32)}`;
}
