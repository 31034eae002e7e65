import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";

/** Those that have ever had a session, with outside agents that nobody has configured. */
export function useAgentNames(): readonly string[] {
  const { data } = useQuery({
    queryKey: ["stats", {}],
    queryFn: ({ signal }) => call("stats", {}, signal),
  });
  return Object.keys(data?.by_agent ?? {}).sort();
}
