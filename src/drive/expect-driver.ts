import { BelayError, refuse } from "../contract/errors.ts";
import { refuseMessage } from "../core/session/session-refusals.ts";
import type { FoundSession } from "../service/read/find-session.ts";
import type { AgentAccess, Drive } from "../service/service-context.ts";

/**
 * Refuses a message that would never be answered. If the session itself accepts none, that reason comes first. Returns
 * the function that gets the message answered.
 */
export async function expectDriver(
  agents: Pick<AgentAccess, "prepare"> | undefined,
  found: FoundSession,
): Promise<Drive> {
  try {
    return await prepare(agents, found);
  } catch (error) {
    if (!(error instanceof BelayError) || error.code !== "agent_not_found") throw error;
    const refused = refuseMessage(found.head);
    throw refused ? new BelayError(refused) : error;
  }
}

async function prepare(
  agents: Pick<AgentAccess, "prepare"> | undefined,
  found: FoundSession,
): Promise<Drive> {
  if (agents) return agents.prepare(found);
  if (found.stream.lease?.live) return async () => {};
  const { agent_name } = found.head;
  const message = `No process runs this session, and this interface cannot start its agent ${agent_name}. Send the message with the command line or through a server.`;
  throw new BelayError(refuse("agent_not_found", message, { agent: agent_name }));
}
