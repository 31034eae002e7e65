import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";

export function useSession(id: string) {
  return useQuery({
    queryKey: ["session", id],
    queryFn: ({ signal }) => call("get", { id }, signal),
  });
}

/** Gives a session a command. What it changed is asked for at once: whoever gave it does not wait for the feed. */
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
