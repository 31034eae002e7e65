import { expect, it } from "vitest";
import { openServer } from "./open-server.ts";
import { prepare } from "./route-table.ts";
import { send, sendBytes } from "./send.ts";
import { until } from "./until.ts";

it("has one line for each request: caller, route, status, duration", async () => {
  const server = await openServer();
  const { id } = await prepare(server);
  const headers = { "x-trace-id": "my-trace" };
  await server.ask("GET", `/sessions/${id}?secret=1`, { headers });
  await server.ask("POST", "/sessions", { token: null, body: { agent_name: "a" } });
  await until(() => lines(server.log()).length === 2);
  const [first, second] = lines(server.log());
  expect(first).toMatchObject({
    trace_id: "my-trace",
    method: "GET",
    route: "/sessions/:id",
    status: 400,
    ms: expect.any(Number),
    token_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    owner: "ann",
  });
  expect(second).toMatchObject({ route: "/sessions", status: 401, token_id: null, owner: null });
});

it("never contains a token, a cookie, a query or a body, wherever it was sent", async () => {
  const server = await openServer();
  const { port, tokens } = server;
  const token = tokens.ann.admin;
  const secret = token.slice(-43);
  const body = JSON.stringify({ agent_name: "a", purpose: token, metadata: { token } });
  const json = { "content-type": "application/json", "content-length": String(body.length) };
  const authorization = `Bearer ${token}`;
  const sent: [string, string, Record<string, string>][] = [
    ["POST", "/sessions", { authorization, ...json }],
    ["POST", `/sessions?agent_name=${token}`, { authorization, ...json }],
    ["POST", `/sessions/${token}/suspend`, { authorization, ...json }],
    ["POST", `/${token}`, { authorization, ...json }],
    ["POST", `/sessions/%zz${token}`, { authorization, ...json }],
    ["POST", "/login", json],
    ["POST", "/hooks/claude-code", { authorization, ...json }],
    ["POST", "/mcp", { authorization, ...json }],
    ["POST", "/sessions", { cookie: `belay_token=${token}`, ...json }],
    ["POST", "/sessions", { authorization: token, ...json }],
    ["POST", "/sessions", { authorization, host: token, ...json }],
    ["POST", "/sessions", { authorization, origin: token, ...json }],
    ["POST", "/sessions", { authorization, ...json, "content-type": token }],
    ["POST", "/sessions", { authorization, ...json, "content-encoding": token }],
    ["POST", "/sessions", { authorization, ...json, "idempotency-key": token }],
    ["POST", "/sessions", { authorization, ...json, "x-trace-id": token }],
    ["POST", "/sessions", { authorization, ...json, traceparent: token }],
    ["POST", "/sessions", { authorization, ...json, "user-agent": token, referer: token }],
    ["POST", "/sessions", { authorization, ...json, "sec-fetch-site": token }],
    ["PATCH", `/tokens/${token}`, { authorization, ...json }],
    ["DELETE", `/tokens/${token}`, { authorization, ...json }],
  ];
  for (const [method, path, headers] of sent) await send(port, method, path, { headers, body });
  await sendBytes(port, `${token} / HTTP/1.1\r\n\r\n`);
  await sendBytes(port, `GET /${token} HTTP/1.1\r\n${token}: ${token}\r\n\r\n`);
  await until(() => lines(server.log()).length >= sent.length + 1);
  expect(server.log()).not.toContain(secret);
  expect(server.log()).not.toContain("agent_name");
  expect(server.log()).not.toContain('"level":50');
  const { text } = await server.ask("GET", "/metrics", { token });
  expect(text).not.toContain(secret);
});

function lines(log: string): Record<string, unknown>[] {
  return log
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
}
