import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, isLoggedOut } from "./api-error.ts";

const TRIES = 3;

/** Where a query or a command finds that nobody is logged in any more, that is said once, for the whole page. */
export function createQueries(onLoggedOut: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (isLoggedOut(error)) onLoggedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // The feed tells what has changed.
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 5 * 60_000,
        networkMode: "always",
        refetchOnWindowFocus: false,
        retry: (failures, error) => !(error instanceof ApiError) && failures < TRIES,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}
