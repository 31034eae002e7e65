import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EventReader } from "../http/streams/event-reader.ts";
import { MEASURED } from "../patience.ts";
import {
  endAll,
  listOf,
  newPlace,
  type RealServer,
  runBelay,
  serve,
  textOf,
} from "./server-process.ts";

const place = newPlace();
let server: RealServer;
beforeAll(async () => {
  server = await serve(place, { args: ["--log", "debug"] });
});
afterAll(async () => {
  await endAll();
  place.remove();
});

describe("a token made beside a running server", () => {
  it(
    "works at once, and is refused at once after it is revoked; its streams end within 5 s",
    MEASURED,
    async () => {
      const made = await runBelay(place, ["token", "create", "--scope", "read", "--json"]);
      const token = textOf(made.json, "token");
      expect((await server.ask("GET", "/sessions", { token })).status).toBe(200);
      expect((await server.ask("POST", "/sessions", { token, body: {} })).status).toBe(403);
      const listed = await runBelay(place, ["token", "list", "--json"]);
      expect(listOf(listed.json, "tokens").map(({ id }) => id)).toContain(textOf(made.json, "id"));
      expect(listed.stdout).not.toContain(token);

      const stream = new EventReader(`${server.url}/events`, { token });
      const other = new EventReader(`${server.url}/events`, { token: server.token });
      await Promise.all([stream.opened, other.opened]);
      expect([stream.status, other.status]).toEqual([200, 200]);
      const revoked = await runBelay(place, ["token", "revoke", textOf(made.json, "id"), "--json"]);
      const at = performance.now();
      expect(revoked.code).toBe(0);
      expect((await server.ask("GET", "/sessions", { token })).status).toBe(401);
      await stream.closed;
      expect(performance.now() - at).toBeLessThan(5000);

      // Only that one's streams end.
      const body = { agent_name: "elsewhere", session_id: "still-told" };
      expect((await server.ask("POST", "/sessions", { body })).status).toBe(201);
      await expect.poll(() => other.events.map(({ event }) => event)).toContain("session.created");
      other.cut();
    },
  );
});

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "content-type": "application/json" };

describe.each(["/sessions", "/mcp", "/hooks/claude-code"])("POST %s", (path) => {
  it.each([
    ["under a name of a page's choice", 421, { host: "evil.example" }],
    ["from another page", 403, { origin: "https://evil.example" }],
    ["from a page without an origin", 403, { origin: "null" }],
    ["from another site", 403, { "sec-fetch-site": "cross-site" }],
    ["with another protocol in mind", 403, { connection: "upgrade", upgrade: "websocket" }],
    ["as a form", 415, FORM],
    ["as plain text", 415, { "content-type": "text/plain" }],
    ["with nothing but a cookie", 401, { authorization: "", cookie: "belay_token=x" }],
    ["without a token", 401, { authorization: "" }],
    ["with a token that there is not", 401, { authorization: `Bearer belay_${"0".repeat(32)}_x` }],
  ])("%s is refused: %i", async (_what, status, headers: Record<string, string>) => {
    const before = await countEvents();
    expect(await send(path, { ...JSON_TYPE, ...headers })).toBe(status);
    expect(await countEvents()).toBe(before);
  });
});

it("is never written by the server, wherever it was sent", async () => {
  const made = await runBelay(place, ["token", "create", "--scope", "admin", "--json"]);
  const token = textOf(made.json, "token");
  const secret = token.slice(-43);
  const authorization = `Bearer ${token}`;
  const tries: [string, string, Record<string, string>, string][] = [
    ["GET", `/sessions?token=${token}`, {}, ""],
    ["GET", `/sessions/${token}`, { authorization }, ""],
    ["GET", `/no/such/path/${token}?t=${token}`, { authorization }, ""],
    ["DELETE", `/tokens/${token}`, { authorization }, ""],
    ["PUT", `/sessions/${token}`, { authorization }, ""],
    ["GET", "/sessions", { authorization: `Basic ${token}` }, ""],
    ["GET", "/sessions", { authorization: token, "user-agent": token }, ""],
    ["GET", "/sessions", { cookie: `belay_token=${token}`, referer: `http://x/${token}` }, ""],
    ["GET", "/sessions", { authorization, host: token }, ""],
    ["GET", "/sessions", { authorization, origin: `http://${token}`, "x-trace-id": token }, ""],
    ["POST", "/sessions", { ...JSON_TYPE, authorization, "idempotency-key": token }, token],
    ["POST", "/sessions", { ...JSON_TYPE, authorization }, JSON.stringify({ [token]: token })],
    ["POST", "/mcp", { ...JSON_TYPE, authorization, "mcp-session-id": token }, `"${token}"`],
    [
      "POST",
      "/hooks/claude-code",
      { ...JSON_TYPE, authorization },
      `{"hook_event_name":"${token}"`,
    ],
    ["POST", "/login", JSON_TYPE, JSON.stringify({ code: token })],
    ["GET", `/sessions/%zz${token}`, { authorization }, ""],
    ["GET", `http://${token}/sessions`, { authorization }, ""],
  ];
  for (const [method, path, headers, body] of tries) {
    const status = await server.knock(method, path, headers, body);
    expect([method, path, status < 500]).toEqual([method, path, true]);
  }
  expect((await server.ask("GET", "/sessions", { token })).status).toBe(200);
  const { stdout, stderr } = server.program;
  expect(stderr.split("\n").length).toBeGreaterThan(tries.length);
  for (const part of [secret, secret.slice(0, 20), secret.slice(-20), server.token.slice(-43)]) {
    expect(stdout + stderr).not.toContain(part);
  }
  expect(await server.end()).toBe(0);
});

const BODY = JSON.stringify({ agent_name: "evil", session_id: "evil-session" });

function send(path: string, headers: Record<string, string>): Promise<number> {
  return server.knock("POST", path, { authorization: `Bearer ${server.token}`, ...headers }, BODY);
}

/** The number of all events. */
async function countEvents(): Promise<number> {
  return listOf((await server.ask("GET", "/events?limit=1000")).json, "events").length;
}
