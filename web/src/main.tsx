import "./styles.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError, isLoggedOut } from "./api/api-error.ts";
import { goToLogin } from "./api/browser-token.ts";
import { createPages } from "./pages.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
const queries = createQueries(goToLogin);
const router = createPages();
const root = document.getElementById("root");
if (!root) throw new Error("The document has no element for the app.");
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);

const TRIES = 3;

/** If any request finds that the login has expired, the whole page shows it once. */
function createQueries(onLoggedOut: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (isLoggedOut(error)) onLoggedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // The feed reports changes.
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
