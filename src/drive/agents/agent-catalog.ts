import { homedir } from "node:os";
import type { AgentInfo } from "../../contract/agent-info.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AgentProfile } from "./agent-profile.ts";
import { createProfile } from "./agent-profile.ts";
import type { AgentsFile } from "./agents-file.ts";
import { readUserFile, readWorkspaceFile } from "./agents-file.ts";
import { describeAgents, findProgram, installHint } from "./describe-agents.ts";
import { addAgent, removeAgent } from "./edit-agents-file.ts";
import type { KnownAgent, Presets } from "./known-agents.ts";
import { knownAgents } from "./known-agents.ts";
import type { TrustedAgents } from "./trust-workspace.ts";
import { trustWorkspace } from "./trust-workspace.ts";

/** The agents that are available in a folder. Files are read again each time. */
export interface AgentCatalog {
  /** Never fails because of a file's content: an invalid entry is listed with its problem. */
  list(cwd: string): Promise<AgentInfo[]>;
  /** True if an agent of this name is listed, even with a problem. */
  knows(name: string, cwd: string): Promise<boolean>;
  /** The agent with this name, ready to start. */
  find(name: string, cwd: string): Promise<AgentProfile>;
  /** Writes to the user's own file. Only the command and its arguments change. */
  add(name: string, command: string, args: readonly string[]): Promise<AgentInfo>;
  remove(name: string): Promise<void>;
  /** Allows the workspace's file, in its current form, to run its programs. */
  trust(cwd: string): Promise<TrustedAgents>;
}

interface CatalogOptions {
  /** The data folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly presets: Presets;
}

export function createAgentCatalog({ home, env, presets }: CatalogOptions): AgentCatalog {
  const userHome = env.HOME || homedir();
  const readWorkspace = (cwd: string) => readWorkspaceFile(home, cwd, userHome);
  const describe = (...files: readonly [AgentsFile | null, AgentsFile | null]): AgentInfo[] =>
    describeAgents(knownAgents(presets, ...files), files, { env, presets });
  return {
    list: async (cwd) => describe(readUserFile(home), readWorkspace(cwd)),
    knows: async (name, cwd) =>
      knownAgents(presets, readUserFile(home), readWorkspace(cwd)).some((one) => one.name === name),
    async find(name, cwd) {
      const [user, workspace] = [readUserFile(home), readWorkspace(cwd)];
      // Continuing without the file could run an agent that the user has restricted there.
      if (user?.error) throw user.error;
      if (workspace?.trusted && workspace.error) throw workspace.error;
      const known = knownAgents(presets, user, workspace).filter((one) => one.name === name);
      const agent = known.find(({ trusted }) => trusted);
      if (agent) return profileOf(agent, { home, env });
      if (known[0]) throw notTrusted(known[0]);
      throw workspace?.error ?? notKnown(name);
    },
    async add(name, command, args) {
      addAgent(home, name, command, args);
      const added = describe(readUserFile(home), null).find((one) => one.name === name);
      if (added) return added;
      throw new Error(`${name} was added, but is missing`);
    },
    async remove(name) {
      removeAgent(home, name, Object.hasOwn(presets, name));
    },
    trust: async (cwd) => trustWorkspace(home, readWorkspace(cwd), cwd, presets),
  };
}

function profileOf(
  { definition }: KnownAgent,
  ours: Pick<CatalogOptions, "home" | "env">,
): AgentProfile {
  if (definition instanceof BelayError) throw definition;
  const path = findProgram(definition, ours.env);
  if (path === null) throw notInstalled(definition);
  return createProfile(definition, path, ours);
}

function notInstalled(definition: AgentDefinition): BelayError {
  const { name, command } = definition;
  const where = command.includes("/") ? "that program does not exist." : "that is not on PATH.";
  const hint = installHint(definition);
  const message = `${name} cannot be started. Its command is ${command}, and ${where}${hint ? ` Install it with: ${hint}` : ""}`;
  return new BelayError(refuse("agent_not_found", message, { agent: name, command }));
}

function notTrusted({ name, file }: KnownAgent): BelayError {
  const message = `${name} is an agent of ${file}, which you have not trusted in its current version. Read the file, then run: belay agents trust`;
  return new BelayError(refuse("agent_not_trusted", message, { agent: name, file }));
}

function notKnown(name: string): BelayError {
  const message = `Unknown agent ${name}. List agents with: belay agents. Add one with: belay agents add ${name} -- COMMAND`;
  return new BelayError(refuse("agent_not_found", message, { agent: name }));
}
