import { createHash } from "node:crypto";

/**
 * Subscriptions use a WebSocket, because GraphiQL's own fetcher supports nothing else. Both use the browser's token
 * that web/src/api/browser-token.ts stores, so the page has no field for headers. Typed queries are stored for the tab
 * only, and removed with the login, also if it ends in another tab.
 */
const SCRIPT = `
const token = localStorage.getItem("belay.token");
let isLeaving = false;
const leave = () => {
  isLeaving = true;
  sessionStorage.clear();
  sessionStorage.setItem("belay.wanted", "/graphql");
  location.replace("/login");
};
if (token === null) leave();
addEventListener("storage", ({ key }) => {
  if (key === "belay.token" || key === null) leave();
});
const storage = {
  get length() { return sessionStorage.length; },
  getItem: (key) => sessionStorage.getItem(key),
  setItem: (key, value) => { if (!isLeaving) sessionStorage.setItem(key, value); },
  removeItem: (key) => sessionStorage.removeItem(key),
  clear: () => sessionStorage.clear(),
};
const authorization = "Bearer " + token;
const socket = new URL("/graphql", location.href);
socket.protocol = socket.protocol === "https:" ? "wss:" : "ws:";
const fetcher = GraphiQL.createFetcher({
  url: "/graphql",
  fetch: async (url, options) => {
    const answer = await fetch(url, options);
    if (answer.status === 401) leave();
    return answer;
  },
  headers: { authorization, "x-belay-page": "1" },
  subscriptionUrl: socket.href,
  wsConnectionParams: { authorization },
});
const settings = { fetcher, storage, isHeadersEditorEnabled: false, shouldPersistHeaders: false, showPersistHeadersSettings: false };
ReactDOM.createRoot(document.getElementById("graphiql")).render(React.createElement(GraphiQL, settings));
`;

export const GRAPHIQL_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Belay GraphQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/graphql/assets/graphiql.min.css">
<style>body { margin: 0; } #graphiql { height: 100vh; }</style>
<div id="graphiql"><noscript>GraphiQL needs JavaScript.</noscript></div>
<script src="/graphql/assets/react.production.min.js"></script>
<script src="/graphql/assets/react-dom.production.min.js"></script>
<script src="/graphql/assets/graphiql.min.js"></script>
<script>${SCRIPT}</script>
</html>
`;

export const GRAPHIQL_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`,
  // An open dialog writes a style that depends on the width of the scrollbar, so no hash matches it.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
