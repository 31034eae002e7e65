import type { AgentStarter } from "../agent-connection.ts";
import { AcpConnection } from "./acp-connection.ts";
import { spawnAgent } from "./spawn-agent.ts";

/** Starts agents that speak the Agent Client Protocol over their pipes. */
export const acpStarter: AgentStarter = createAcpStarter(Date.now);

export function createAcpStarter(now: () => number): AgentStarter {
  return {
    async start(launch, listener, signal) {
      const connection = new AcpConnection(await spawnAgent(launch), launch, listener, now);
      const giveUp = (): void => void connection.end();
      signal?.addEventListener("abort", giveUp);
      try {
        if (signal?.aborted) giveUp();
        await connection.initialize();
        return connection;
      } catch (error) {
        await connection.end();
        throw error;
      } finally {
        signal?.removeEventListener("abort", giveUp);
      }
    },
  };
}
