import { BelayError, refuse } from "../../contract/errors.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { commandLine } from "./agent-definition.ts";
import type { AgentsFile } from "./agents-file.ts";
import type { Presets } from "./known-agents.ts";
import { knownAgents } from "./known-agents.ts";
import { trustFile } from "./trusted-files.ts";

/** A summary of what the user has just trusted. */
export interface TrustedAgents {
  readonly file: string;
  readonly agents: readonly {
    readonly name: string;
    /** Each program that may now be started, with its environment variables. */
    readonly runs: readonly string[];
    /** The kinds of tools that it may now use without asking. */
    readonly allows: readonly string[];
    readonly problem: string | null;
  }[];
}

export function trustWorkspace(
  home: string,
  file: AgentsFile | null,
  cwd: string,
  presets: Presets,
): TrustedAgents {
  if (!file?.read) {
    if (file?.error) throw file.error;
    const message = `No .belay/agents.json in ${cwd} or in the folders above it that belong to the same workspace.`;
    throw new BelayError(refuse("invalid_input", message, { cwd }));
  }
  if (file.error) throw file.error;
  trustFile(home, file.read, file.programs);
  const agents = knownAgents(presets, null, { ...file, trusted: true });
  return {
    file: file.read.path,
    agents: agents
      .filter(({ source }) => source === "workspace")
      .map(({ name, definition }) =>
        definition instanceof BelayError
          ? { name, runs: [], allows: [], problem: definition.message }
          : { name, runs: programsOf(definition), allows: allowedBy(definition), problem: null },
      ),
  };
}

function programsOf({ command, args, env, mcp_servers }: AgentDefinition): string[] {
  const servers = mcp_servers.flatMap((server) => ("command" in server ? [server] : []));
  return [{ command, args, env }, ...servers].map((program) => {
    const variables = Object.entries(program.env).map(([name, value]) => `${name}=${value}`);
    const [first = "", ...rest] = [...variables, program.command, ...program.args];
    return commandLine(first, rest);
  });
}

function allowedBy({ permissions }: AgentDefinition): string[] {
  return Object.entries(permissions).flatMap(([kind, answer]) =>
    answer === "allow" ? [kind] : [],
  );
}
