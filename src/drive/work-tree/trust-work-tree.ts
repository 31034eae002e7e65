import { homedir } from "node:os";
import { readMemberMark } from "../../files/member-mark.ts";
import { readWorkspaceFile } from "../agents/agents-file.ts";
import { findMember } from "../agents/find-member.ts";
import { isTrustedFolder, trustFolder } from "../agents/trusted-files.ts";
import { findWorkTree, refused } from "./find-work-tree.ts";

/**
 * True if the user trusted the folder itself, or its `.belay/agents.json` in its present form. The folder of a member is
 * never trusted: the member can replace files by links while git reads them, and lead git into another repository.
 */
export function isTrustedTree(home: string, root: string): boolean {
  if (findMember(readMemberMark(home), root)) return false;
  if (isTrustedFolder(home, root)) return true;
  return readWorkspaceFile(home, root, process.env.HOME || homedir())?.trusted === true;
}

/** Trusts the work tree of a folder, so that checkpoints record its files. */
export function trustWorkTree(home: string, cwd: string): { readonly root: string } {
  const { root } = findWorkTree(cwd);
  const place = findMember(readMemberMark(home), root);
  if (place) {
    const message = `${root} is in the folder of ${place.owner}, a member. Files are not recorded and restored in folders of members.`;
    throw refused(message, root);
  }
  trustFolder(home, root);
  return { root };
}
