import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import { isAgentName, readAgentsFile } from "./agent-settings.ts";
import { readUserFile, userFilePath } from "./agents-file.ts";
import { replaceUserFile } from "./replace-user-file.ts";

/** Adds an agent to the user's own file, or changes the command of an existing one. */
export function addAgent(
  home: string,
  name: string,
  command: string,
  args: readonly string[],
): void {
  if (!isAgentName(name)) {
    const message = `Invalid agent name "${name}". Use letters, digits, ".", "_" and "-".`;
    throw new BelayError(refuse("invalid_input", message, { field: "name" }));
  }
  if (command.includes("/") && !command.startsWith("/")) {
    const message = `"${command}" is a relative path. Use a name on PATH or an absolute path.`;
    throw new BelayError(refuse("invalid_input", message, { field: "command" }));
  }
  const agents = readAgents(home);
  const before = agents[name];
  const kept = isRecord(before) ? before : {};
  writeAgents(home, { ...agents, [name]: { ...kept, command, args } });
}

export function removeAgent(home: string, name: string, isPreset: boolean): void {
  const agents = readAgents(home);
  if (Object.hasOwn(agents, name)) {
    const { [name]: _, ...others } = agents;
    writeAgents(home, others);
    return;
  }
  const why = isPreset ? "It comes with Belay and cannot be removed." : "Nothing was removed.";
  const message = `${userFilePath(home)} has no agent called ${name}. ${why}`;
  throw new BelayError(refuse("agent_not_found", message, { agent: name }));
}

/** Unchecked, so that an invalid agent does not block changes to another. */
function readAgents(home: string): Record<string, unknown> {
  const file = readUserFile(home);
  if (file?.error) throw file.error;
  const text = file?.read?.bytes.toString("utf8");
  return text === undefined ? {} : readAgentsFile(userFilePath(home), text).agents;
}

function writeAgents(home: string, agents: Record<string, unknown>): void {
  replaceUserFile(userFilePath(home), `${JSON.stringify({ agents }, null, 2)}\n`);
}
