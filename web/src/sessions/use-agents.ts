import { useQuery } from "@tanstack/react-query";
import type { AgentInfo } from "../../../src/contract/agent-info.ts";
import { call } from "../api/call.ts";

/** The agents that Belay can run in a folder; by default the server's working folder. */
export function useAgents(cwd?: string) {
  return useQuery({
    queryKey: ["agents", cwd ?? null],
    queryFn: async ({ signal }) => (await call("agents", { cwd }, signal)).agents,
  });
}

export function isReady({ installed, trusted, problem }: AgentInfo): boolean {
  return installed && trusted && problem === null;
}
