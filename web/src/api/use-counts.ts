import { useQuery } from "@tanstack/react-query";
import { call } from "./call.ts";

/** The number of sessions and of waiting questions. */
export function useCounts() {
  return useQuery({ queryKey: ["counts"], queryFn: ({ signal }) => call("count", {}, signal) });
}
