import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where the data lies, unless a caller says otherwise. */
export function homeFolder(): string {
  return resolve(process.env.BELAY_HOME || join(homedir(), ".belay"));
}

export function defaultOwner(): string {
  return process.env.BELAY_OWNER || "local";
}
