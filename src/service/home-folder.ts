import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The default data folder. */
export function homeFolder(): string {
  return resolve(process.env.BELAY_HOME || join(process.env.HOME || homedir(), ".belay"));
}

export function defaultOwner(): string {
  return process.env.BELAY_OWNER || "local";
}
