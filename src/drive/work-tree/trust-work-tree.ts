import { homedir } from "node:os";
import { readWorkspaceFile } from "../agents/agents-file.ts";
import { isTrustedFolder, trustFolder } from "../agents/trusted-files.ts";
import { findWorkTree } from "./find-work-tree.ts";

/** True if the user trusted the folder itself, or its `.belay/agents.json` in its present form. */
export function isTrustedTree(home: string, root: string): boolean {
  if (isTrustedFolder(home, root)) return true;
  return readWorkspaceFile(home, root, process.env.HOME || homedir())?.trusted === true;
}

/** Trusts the work tree of a folder, so that checkpoints record its files. */
export function trustWorkTree(home: string, cwd: string): { readonly root: string } {
  const { root } = findWorkTree(cwd);
  trustFolder(home, root);
  return { root };
}
