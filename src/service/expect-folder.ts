import { stat } from "node:fs/promises";
import { BelayError, refuse } from "../contract/errors.ts";
import type { ServiceContext } from "./context.ts";

/**
 * Refuses a folder that does not exist as the place of an agent that is run here. The folder of an agent that another
 * program runs may be on another machine, so nobody here can tell.
 */
export async function expectFolder(
  { agents }: ServiceContext,
  agent_name: string,
  folder: string | null | undefined,
): Promise<void> {
  if (folder == null || (await isFolder(folder))) return;
  if (!(await agents?.knows(agent_name, folder))) return;
  const message = `Folder not found: ${folder}. Create it, or give a folder that exists.`;
  throw new BelayError(refuse("invalid_input", message, { field: "project.cwd", folder }));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
