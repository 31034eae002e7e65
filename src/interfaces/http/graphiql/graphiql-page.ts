import { createHash } from "node:crypto";

/**
 * Subscriptions go over a WebSocket, for GraphiQL's own fetcher knows no other way. The browser's token lets both in, as
 * web/src/api/browser-token.ts keeps it, so there is no place for headers.
 */
const SCRIPT = `
const token = localStorage.getItem("belay.token");
if (token === null) {
  sessionStorage.setItem("belay.wanted", "/graphql");
  location.replace("/login");
}
const authorization = "Bearer " + token;
const socket = new URL("/graphql", location.href);
socket.protocol = socket.protocol === "https:" ? "wss:" : "ws:";
const fetcher = GraphiQL.createFetcher({
  url: "/graphql",
  headers: { authorization, "x-belay-page": "1" },
  subscriptionUrl: socket.href,
  wsConnectionParams: { authorization },
});
const settings = { fetcher, isHeadersEditorEnabled: false, shouldPersistHeaders: false, showPersistHeadersSettings: false };
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
  // A dialog, while it is open, writes a style into the page that depends on the width of the scrollbar: no hash fits it.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
