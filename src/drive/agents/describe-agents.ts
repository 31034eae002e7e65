import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { AgentInfo } from "../../contract/agent-info.ts";
import { BelayError } from "../../contract/errors.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { commandLine } from "./agent-definition.ts";
import type { AgentsFile } from "./agents-file.ts";
import type { KnownAgent, Presets } from "./known-agents.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A list to choose from: installed agents first, those that come with Belay last. */
export function describeAgents(
  agents: readonly KnownAgent[],
  files: readonly (AgentsFile | null)[],
  { env, presets }: { readonly env: Variables; readonly presets: Presets },
): AgentInfo[] {
  const infos = agents.map((agent) => describeAgent(agent, env));
  const rank = ({ name, installed, trusted, problem }: AgentInfo): number => {
    if (Object.hasOwn(presets, name) && presets[name]?.install === null) return 2;
    return installed && trusted && problem === null ? 0 : 1;
  };
  return [...infos, ...files.flatMap(describeFile)].sort(
    (a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

/** Looks up the program on the agent's PATH, which is ours unless its settings replace it. */
export function findProgram(
  { command, env }: Pick<AgentDefinition, "command" | "env">,
  ours: Variables,
): string | null {
  return findCommand(command, env.PATH ?? ours.PATH ?? "");
}

export function installHint({ install }: AgentDefinition): string | null {
  return install === null ? null : `npm install -g ${install}`;
}

function describeAgent(agent: KnownAgent, env: Variables): AgentInfo {
  const { name, source, trusted, definition } = agent;
  const hint = trusted ? null : "read it, then: belay agents trust";
  if (definition instanceof BelayError) {
    const nothing = { command: "", installed: false, path: null };
    return { name, source, ...nothing, trusted, problem: definition.message, hint };
  }
  const path = findProgram(definition, env);
  return {
    name,
    source,
    command: commandLine(definition.command, definition.args),
    installed: path !== null,
    path,
    trusted,
    problem: null,
    hint: hint ?? (path === null ? installHint(definition) : definition.login),
  };
}

/** An unreadable file is listed under its own name, so that it does not look empty. */
function describeFile(file: AgentsFile | null): AgentInfo[] {
  if (!file?.error) return [];
  const { source, path, trusted, error } = file;
  const nothing = { command: "", installed: false, path: null, hint: null };
  return [{ name: path, source, trusted, problem: error.message, ...nothing }];
}

/** The file that a command would run; null if there is none. A command with a slash is already a path. */
function findCommand(command: string, path: string): string | null {
  if (command.includes("/")) return isAbsolute(command) && isProgram(command) ? command : null;
  // A relative folder on PATH would make the result depend on the working folder.
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
