import { accessCommands } from "./commands/access-commands.ts";
import { branchCommands } from "./commands/branch-commands.ts";
import { pastCommands } from "./commands/past-commands.ts";
import { sessionCommands } from "./commands/session-commands.ts";
import { taskCommands } from "./commands/task-commands.ts";
import { workCommands } from "./commands/work-commands.ts";
import type { Commands } from "./operation-command.ts";

/** Every command that is an operation of the service. Help, completion and parsing are derived from it. */
export const COMMANDS = {
  ...sessionCommands,
  ...branchCommands,
  ...workCommands,
  ...pastCommands,
  ...taskCommands,
  ...accessCommands,
} as const satisfies Commands;

export type CommandName = keyof typeof COMMANDS;
