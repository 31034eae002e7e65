import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";

/** The logged-in person. */
export function useMe() {
  return useQuery({
    queryKey: ["whoami"],
    queryFn: ({ signal }) => call("whoami", {}, signal),
  });
}

/** Whether to show commands for a terminal. These act as the user of the data folder, who is never a member. */
export function useTerminal(): boolean {
  const { data } = useMe();
  return data !== undefined && data.role !== "member";
}
