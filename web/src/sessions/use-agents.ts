import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";

export function useAgents() {
  return useQuery({
    queryKey: ["agents"],
    queryFn: async ({ signal }) => (await call("agents", {}, signal)).agents,
  });
}
