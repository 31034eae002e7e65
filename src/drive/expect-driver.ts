import { BelayError, refuse } from "../contract/errors.ts";
import { refuseMessage } from "../core/session/session-refusals.ts";
import type { AgentAccess } from "../service/context.ts";
import type { FoundSession } from "../service/read/find-session.ts";

/** Refuses a message that nobody would ever answer. Where the session itself takes none, that is the reason given. */
export async function expectDriver(
  agents: Pick<AgentAccess, "expectAgent"> | undefined,
  found: FoundSession,
): Promise<void> {
  try {
    await expectAgent(agents, found);
  } catch (error) {
    if (!(error instanceof BelayError) || error.code !== "agent_not_found") throw error;
    const refused = refuseMessage(found.head);
    throw refused ? new BelayError(refused) : error;
  }
}

async function expectAgent(
  agents: Pick<AgentAccess, "expectAgent"> | undefined,
  found: FoundSession,
): Promise<void> {
  if (agents) return agents.expectAgent(found);
  if (found.stream.lease?.live) return;
  const { agent_name } = found.head;
  const message = `nobody drives this session, and its agent ${agent_name} cannot be run from here`;
  throw new BelayError(refuse("agent_not_found", message, { agent: agent_name }));
}
