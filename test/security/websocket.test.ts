import { expect, it } from "vitest";
import { openSocket } from "../graphql/raw-socket.ts";
import { openServer } from "../http/open-server.ts";
import { until } from "../http/until.ts";

it("a WebSocket does nothing more once its token was revoked", async () => {
  // Open connections are not checked by themselves meanwhile.
  const server = await openServer({ times: { admission_ms: 600_000 } });
  const { id, token } = await server.makeToken("ann", "write");
  const socket = await openSocket(server, { authorization: `Bearer ${token}` });
  socket.say({ type: "connection_init" });
  await until(() => socket.said.length === 1);
  const create = (name: string): void => {
    const query = `mutation { createAgentSession(agentName: "a", sessionId: "${name}") { status } }`;
    socket.say({ type: "subscribe", id: name, payload: { query } });
  };
  create("early");
  await until(() => socket.said.length === 3);
  expect((await server.ask("GET", "/sessions/early")).status).toBe(200);
  await server.revoke(id);
  create("late");
  expect(await socket.closed).toBe(4403);
  expect((await server.ask("GET", "/sessions/late")).status).toBe(404);
});
