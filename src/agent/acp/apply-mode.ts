import { methods } from "@agentclientprotocol/sdk";
import type { AgentLaunch } from "../agent-connection.ts";
import { AgentFailure } from "../agent-connection.ts";
import type { AgentPeer } from "./agent-peer.ts";
import type { Fields } from "./read-fields.ts";
import { fieldsOf, listOf, textOf } from "./read-fields.ts";

/** Sets the launch's mode in a newly opened session; `said` is the agent's answer to the opening. */
export async function applyMode(
  peer: AgentPeer,
  { name, mode, limits }: AgentLaunch,
  session: string,
  said: Fields,
): Promise<void> {
  if (mode === null) return;
  const { session: method } = methods.agent;
  const modes = idsOf(fieldsOf(said.modes).availableModes, "id");
  if (modes.includes(mode)) {
    await peer.ask(method.setMode, { sessionId: session, modeId: mode }, limits.open);
    return;
  }
  const option = findModeOption(said.configOptions);
  if (option?.values.includes(mode)) {
    const request = { sessionId: session, configId: option.id, value: mode };
    await peer.ask(method.setConfigOption, request, limits.open);
    return;
  }
  const there = [...new Set([...modes, ...(option?.values ?? [])])];
  const has = there.length > 0 ? `it has: ${there.join(", ")}` : "it has no modes";
  throw new AgentFailure("refused", `${name} has no mode "${mode}"; ${has}`);
}

function findModeOption(options: unknown): { id: string; values: readonly string[] } | null {
  for (const option of listOf(options).map(fieldsOf)) {
    const id = textOf(option.id);
    if (option.category !== "mode" || id === null) continue;
    // Options may come in groups.
    const grouped = listOf(option.options).flatMap((group) =>
      idsOf(fieldsOf(group).options, "value"),
    );
    return { id, values: [...idsOf(option.options, "value"), ...grouped] };
  }
  return null;
}

function idsOf(items: unknown, key: string): string[] {
  return listOf(items).flatMap((item) => textOf(fieldsOf(item)[key]) ?? []);
}
