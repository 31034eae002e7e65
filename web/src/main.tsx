import "./styles.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { rememberWanted } from "./api/browser-token.ts";
import { createQueries } from "./api/create-queries.ts";
import { createPages } from "./pages.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
const queries = createQueries(() => {
  rememberWanted();
  void router.navigate({ to: "/login" });
});
const router = createPages();
const root = document.getElementById("root");
if (!root) throw new Error("the page has no place for the app");
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
