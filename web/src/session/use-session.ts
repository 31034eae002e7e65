import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";

const LOOK_MS = 5000;
const LINE_MS = 1000;

function isDriven(session: Session | undefined): boolean {
  return session !== undefined && session.driver !== null && session.activity !== "idle";
}

export function useSession(id: string) {
  return useQuery({
    queryKey: ["session", id],
    queryFn: ({ signal }) => call("get", { id }, signal),
    // A killed process reports nothing, so a driven session is polled.
    // The position in line is not an event.
    refetchInterval: ({ state }) => {
      if (state.data?.queue_position != null) return LINE_MS;
      return isDriven(state.data) ? LOOK_MS : false;
    },
  });
}

/** Runs a command on a session and refetches it at once, without waiting for the feed. */
export function useCommand(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["session", id] });
      void queries.invalidateQueries({ queryKey: ["counts"] });
    },
  });
}
export type Command = ReturnType<typeof useCommand>;
