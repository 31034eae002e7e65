import { useQuery } from "@tanstack/react-query";
import { call } from "./call.ts";

/** How many sessions there are, and how many questions wait. */
export function useCounts() {
  return useQuery({ queryKey: ["counts"], queryFn: ({ signal }) => call("count", {}, signal) });
}
