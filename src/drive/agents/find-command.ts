import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The file that a command would run; null when there is none. A command with a slash is a path already. */
export function findCommand(command: string, path: string): string | null {
  if (command.includes("/")) return isAbsolute(command) && isProgram(command) ? command : null;
  // A relative folder on PATH would make what runs depend on where one stands.
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, command)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
