import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The Belay server behind `npm run dev`. Pages and their sources come from here, everything else from the server. */
const server = process.env.BELAY_DEV_SERVER;
const OWN = "^/(?!src/|@|node_modules/|.*\\?(?:import|t=))";
const proxy = server && {
  "/graphql": { target: server, ws: true, changeOrigin: true, headers: { origin: server } },
  [OWN]: {
    target: server,
    changeOrigin: true,
    // The server refuses requests from pages of other origins.
    headers: { origin: server },
    bypass: ({ headers }: { readonly headers: { readonly accept?: string | undefined } }) =>
      headers.accept?.includes("text/html") ? "/index.html" : undefined,
  },
};

export default defineConfig({
  ...(proxy && { server: { proxy } }),
  // Elements are made by our own functions, which show what is hidden in a text.
  plugins: [react({ jsxImportSource: "#visible" }), tailwind()],
  // GraphiQL keeps an older React at the root, which libraries beside it would find first.
  resolve: { dedupe: ["react", "react-dom"] },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2023",
    // What is written into a script or a style would need a hole in the page's policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What is bundled is handed on, and so are its licenses.
    license: { fileName: "LICENSES.md" },
  },
  logLevel: "warn",
});
