import { expect, it } from "vitest";
import { openServer } from "./open-server.ts";

it("answers", async () => {
  const server = await openServer();
  const h = await server.ask("GET", "/health", { token: null });
  console.log(h.status, h.text, [...h.headers]);
  const c = await server.ask("POST", "/sessions", { body: { agent_name: "demo-x", purpose: "p" } });
  console.log(c.status, c.text, c.headers.get("location"));
  for (const [m, p, b] of [["GET","/sessions"],["GET","/nope"],["PUT","/sessions"],["GET","/sessions/%zz"],["GET", "/sessions?limit=x"],["GET","/sessions?foo=1"],["POST","/sessions",'{"a":1,"\\u0061":2}'],["GET", "/" + "a".repeat(9000)],["GET","/openapi.json"],["GET","/agents"],["POST","/mcp",{a:1}],["POST","/hooks/claude-code","nonsense"]] as const) {
    const a = await server.ask(m, p, { ...(b && { body: b }) });
    console.log(m, p.slice(0,40), a.status, a.text.slice(0, 300));
  }
  console.log(server.log());
  expect(1).toBe(1);
});
