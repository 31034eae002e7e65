import { BelayError, refuse } from "../contract/errors.ts";
import type { FoundSession } from "../service/read/find-session.ts";
import type { ServiceContext } from "../service/service-context.ts";

/** Refuses an agent that cannot be run in the folder of a session. */
export async function expectAgent(
  { agents }: ServiceContext,
  name: string,
  { head }: FoundSession,
): Promise<void> {
  if (agents) return agents.expect(head.owner, name, head.project?.cwd ?? process.cwd());
  const message = `This interface cannot start agent ${name}. Use the command line or a server; "belay agents" lists the agents of this machine.`;
  throw new BelayError(refuse("agent_not_found", message, { agent: name }));
}
