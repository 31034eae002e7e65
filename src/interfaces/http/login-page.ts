import { createHash } from "node:crypto";

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 18vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.25rem; }
`;

/** The code stands behind the #, which no browser sends anywhere, and is gone from the address before it is used. */
const SCRIPT = `
const say = (text) => { document.getElementById("say").textContent = text; };
const code = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
if (code === "") say("Open the link that belay serve has printed. It works once, for ten minutes.");
else {
  const body = JSON.stringify({ code });
  const headers = { "Content-Type": "application/json" };
  fetch("/login", { method: "POST", headers, body }).then(
    async (answer) => {
      const said = await answer.json();
      if (!answer.ok) return say(said.message);
      say("You are logged in as " + said.owner + ". This browser may now read and write your sessions.");
      document.getElementById("links").hidden = false;
    },
    () => say("The server does not answer. Is it still running?"),
  );
}
`;

export const LOGIN_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Belay</title>
<style>${STYLE}</style>
<main>
<h1>Belay</h1>
<p id="say" role="status">Logging in &hellip;</p>
<p id="links" hidden><a href="/sessions">sessions</a> &middot; <a href="/approvals">approvals</a> &middot; <a href="/graphql">GraphQL</a> &middot; <a href="/openapi.json">what there is</a></p>
<noscript><p>Logging in needs JavaScript.</p></noscript>
</main>
<script>${SCRIPT}</script>
</html>
`;

export const LOGIN_POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${digest(SCRIPT)}'`,
  `style-src 'sha256-${digest(STYLE)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
