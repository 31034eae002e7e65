import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { until } from "../../run/run-lab.ts";
import type { TestServer } from "../open-server.ts";
import { begin, fieldOf, openLive, read, recordOf } from "./live-server.ts";

beforeEach(() => void vi.stubEnv("AGENT_MAX_CONCURRENT_SESSIONS", "1"));
afterEach(() => void vi.unstubAllEnvs());

const get = async (server: TestServer, id: string, token = server.tokens.ann.write) =>
  recordOf((await server.ask("GET", `/sessions/${id}`, { token })).json);

function start(server: TestServer, message: string, token = server.tokens.ann.write) {
  const project = { cwd: join(server.home, "work"), repo: null, branch: null };
  const body = { agent_name: "agent", initial_message: message, project };
  return server.ask("POST", "/sessions", { body, token });
}

const send = (server: TestServer, id: string, message: string) =>
  server.ask("POST", `/sessions/${id}/messages`, { body: { message, wait: false } });

it("a message beyond the limit tells its position in every way, and can be withdrawn", async () => {
  const server = await openLive();
  const working = await start(server, "/slow 60000");
  expect(working.json).toMatchObject({ queue_position: null });
  const id = fieldOf(await start(server, "/say first"), "session_id");
  const second = await begin(server);
  const accepted = await send(server, second, "/say second");
  expect([accepted.status, accepted.json]).toEqual([
    202,
    { session_id: second, turn_id: expect.any(String), queue_position: 2 },
  ]);
  expect(await get(server, second)).toMatchObject({ queue_position: 2, queued_messages: 1 });
  const query = `{ agentSession(sessionId: "${second}") { queuePosition } }`;
  const answered = await server.ask("POST", "/graphql", { body: { query } });
  expect(answered.json).toEqual({ data: { agentSession: { queuePosition: 2 } } });

  const body = { message: "/say third", stream: true };
  const reader = read(server, `/sessions/${await begin(server)}/messages`, {
    method: "POST",
    body,
  });
  const positions = () =>
    reader.events.flatMap(({ event, data }) =>
      event === "waiting" ? recordOf(data).position : [],
    );
  await until("its position", () => positions().at(-1) === 3);
  const withdrawn = await server.ask("POST", `/sessions/${id}/interrupt`, { body: {} });
  expect(withdrawn.json).toMatchObject({ queue_position: null, queued_messages: 0 });
  await until("the next position", () => positions().at(-1) === 2);
  const { status, json } = await server.ask("POST", `/sessions/${id}/interrupt`, { body: {} });
  expect([status, recordOf(json).error]).toEqual([409, "nothing_to_interrupt"]);
  const cancelled = await server.ask("POST", `/sessions/${second}/cancel`, { body: {} });
  expect(cancelled.json).toMatchObject({ status: "cancelled", queue_position: null });
  await until("the first position", () => positions().at(-1) === 1);
  await server.ask("POST", `/sessions/${fieldOf(working, "session_id")}/interrupt`, { body: {} });
  expect(await reader.closed).toBe(true);
  expect(reader.events.at(-1)).toMatchObject({ event: "completed" });
});

it("200 starts of one person delay another person's first by one turn, and are never lost", async () => {
  const server = await openLive();
  const { ann, bob } = server.tokens;
  const working = fieldOf(await start(server, "/slow 60000"), "session_id");
  const starts = await Promise.all(
    Array.from({ length: 200 }, (_, nth) => start(server, `/say ${nth}\n/slow 60000`)),
  );
  expect(starts.filter(({ status }) => status !== 201)).toEqual([]);
  const positions = starts.map(({ json }) => Number(recordOf(json).queue_position));
  expect(Math.max(...positions)).toBe(200);
  const asked = performance.now();
  const other = await start(server, "/say hello", bob.write);
  expect(performance.now() - asked).toBeLessThan(1000);
  expect(other.json).toMatchObject({ queue_position: 1 });
  await server.ask("POST", `/sessions/${working}/interrupt`, { body: {} });
  const id = fieldOf(other, "session_id");
  await until("the answer", async () => (await get(server, id, bob.write)).turn_count === 1);
  await until("one of the others", async () => {
    const { json } = await server.ask("GET", "/sessions?limit=1000", { token: ann.read });
    const sessions = recordOf(json).sessions;
    const all = Array.isArray(sessions) ? sessions.map(recordOf) : [];
    const waiting = all.filter(({ queue_position }) => queue_position !== null);
    return waiting.length === 199 && all.every(({ status }) => status === "active");
  });
});

it("a start that nothing but an answer makes possible is refused, and leaves no session", async () => {
  const server = await openLive();
  for (const nth of [1, 2]) {
    const id = fieldOf(await start(server, "/ask May I?"), "session_id");
    await until(`question ${nth}`, async () => (await get(server, id)).pending_approvals === 1);
  }
  const sessions = async () => (await server.ask("GET", "/sessions")).json;
  const before = await sessions();
  const refused = await start(server, "/say no");
  expect([refused.status, refused.json]).toEqual([
    503,
    expect.objectContaining({
      error: "agents_busy",
      message: expect.stringContaining("Answer their questions"),
      details: { asking: 2, limit: 4 },
    }),
  ]);
  expect(recordOf(await sessions()).total).toEqual(recordOf(before).total);
  expect(JSON.stringify(await sessions())).not.toContain("/say no");
  const bobs = await start(server, "/say hello", server.tokens.bob.write);
  expect(bobs.status).toBe(201);
});
