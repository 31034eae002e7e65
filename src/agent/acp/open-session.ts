import { methods } from "@agentclientprotocol/sdk";
import type { AgentLaunch, McpServer, OpenWay } from "../agent-connection.ts";
import { AgentFailure } from "../agent-connection.ts";
import type { AgentPeer } from "./agent-peer.ts";
import type { Fields } from "./read-fields.ts";
import { fieldsOf, textOf } from "./read-fields.ts";

const MINUTE = 60_000;

/** Opens a session of the agent's own in one way, and returns its id and the agent's answer. */
export async function openSession(
  peer: AgentPeer,
  { name, cwd, mcp_servers, limits }: AgentLaunch,
  way: OpenWay,
): Promise<{ readonly id: string; readonly said: Fields }> {
  const mcpServers = mcp_servers.map(toProtocol);
  if (way.way === "new") {
    const said = fieldsOf(
      await peer.ask(methods.agent.session.new, { cwd, mcpServers }, limits.open),
    );
    const id = textOf(said.sessionId);
    if (id !== null) return { id, said };
    throw new AgentFailure("protocol", `${name} opened a session but did not return its id`);
  }
  const id = way.agent_session_id;
  const request = { sessionId: id, cwd, mcpServers };
  return { id, said: fieldsOf(await peer.ask(WAYS[way.way], request, limits.open)) };
}

/** How long to wait before an agent with file names by the minute can reopen a session created at `made_at`. */
export function waitForNextMinute(made_at: number, now: number): number {
  const next = (Math.floor(now / MINUTE) + 1) * MINUTE;
  // A moment more, because the agent reads its own clock.
  return Math.floor(made_at / MINUTE) === Math.floor(now / MINUTE) ? next - now + 100 : 0;
}

const WAYS = { resume: methods.agent.session.resume, load: methods.agent.session.load } as const;

function toProtocol(server: McpServer): unknown {
  const { name } = server;
  if ("url" in server)
    return { type: "http", name, url: server.url, headers: pairs(server.headers) };
  return { name, command: server.command, args: [...server.args], env: pairs(server.env) };
}

function pairs(values: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
