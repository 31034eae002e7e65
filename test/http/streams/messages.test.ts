import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../run/run-lab.ts";
import type { TestServer } from "../open-server.ts";
import type { EventReader } from "./event-reader.ts";
import { begin, fieldOf, openLive, read, recordOf } from "./live-server.ts";

const send = (server: TestServer, id: string, message: string, more: object = {}, key?: string) =>
  server.ask("POST", `/sessions/${id}/messages`, {
    body: { message, ...more },
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });

const stream = (server: TestServer, id: string, message: string, more: object = {}): EventReader =>
  read(server, `/sessions/${id}/messages`, {
    method: "POST",
    body: { message, stream: true, ...more },
  });

const typesIn = (reader: EventReader) => reader.events.map(({ event }) => event);

const saidIn = ({ events }: EventReader) =>
  events.flatMap(({ event, data }) => (event === "message" ? recordOf(data).text : [])).join("");

async function turnsOf(server: TestServer, id: string) {
  const { json } = await server.ask("GET", `/sessions/${id}/messages`);
  const { turns } = recordOf(json);
  return Array.isArray(turns) ? turns.map(recordOf) : [];
}

async function countOf(server: TestServer, id: string, type: string): Promise<number> {
  const { json } = await server.ask("GET", `/sessions/${id}/events?limit=1000`);
  const { events } = recordOf(json);
  return Array.isArray(events) ? events.filter((event) => recordOf(event).type === type).length : 0;
}

describe("a message", () => {
  it("is answered with the agent's text, as in the conversation", async () => {
    const server = await openLive();
    const id = await begin(server);
    const { status, json } = await send(server, id, "/say one two\n/tools 2\n/say three");
    expect(status).toBe(200);
    const [turn] = await turnsOf(server, id);
    expect(json).toEqual({
      content: turn?.output,
      session_id: id,
      turn_id: turn?.turn_id,
      status: "completed",
    });
    expect(turn?.output).toContain("one two");
  });

  it("continues a completed session and waits for a suspended one to be resumed", async () => {
    const server = await openLive();
    const id = await begin(server);
    expect((await send(server, id, "/say one")).status).toBe(200);
    expect((await server.ask("POST", `/sessions/${id}/complete`, { body: {} })).status).toBe(200);
    expect((await send(server, id, "/say two")).status).toBe(200);
    expect(recordOf((await server.ask("GET", `/sessions/${id}`)).json).run).toBe(2);
    await server.ask("POST", `/sessions/${id}/suspend`, { body: {} });
    const refused = await send(server, id, "/say three");
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({ error: "session_suspended" });
    expect(recordOf(refused.json).message).toContain("Resume it first");
  });

  it("whose turn fails is answered agent_failed; whose turn is interrupted, with its status", async () => {
    const server = await openLive();
    const id = await begin(server);
    const failed = await send(server, id, "/fail");
    expect(failed.status).toBe(502);
    expect(failed.json).toMatchObject({ error: "agent_failed", details: { session_id: id } });
    const waiting = send(server, id, "/say so far\n/slow 20000");
    await until("the words", async () => {
      const { text } = await server.ask("GET", `/sessions/${id}/events?limit=1000`);
      return /"type":"turn.part"[^}]*so far/.test(text) ? true : undefined;
    });
    await server.ask("POST", `/sessions/${id}/interrupt`, { body: {} });
    const { status, json } = await waiting;
    expect([status, json]).toMatchObject([200, { status: "cancelled" }]);
    expect(fieldOf({ json }, "content")).toContain("so far");
  });

  it("that waits for a person is answered 202 with the question, and continues after the answer", async () => {
    const server = await openLive();
    const id = await begin(server);
    const asked = await send(server, id, "/ask really?\n/say after that", {}, "ask-1");
    expect(asked.status).toBe(202);
    const approval_id = fieldOf(asked, "approval_id");
    expect(asked.json).toEqual({ session_id: id, turn_id: expect.any(String), approval_id });
    // Asked again, it still waits.
    const again = await send(server, id, "/ask really?\n/say after that", {}, "ask-1");
    expect(again.json).toEqual(asked.json);
    const decided = await server.ask("POST", `/approvals/${approval_id}`, {
      body: { decision: "approved" },
    });
    expect(decided.status).toBe(200);
    // Once the turn has continued, the same request returns its result.
    const answer = await send(server, id, "/ask really?\n/say after that", {}, "ask-1");
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { status: "completed", turn_id: fieldOf(asked, "turn_id") },
    ]);
    expect(fieldOf(answer, "content")).toContain("after that");
    expect(await turnsOf(server, id)).toHaveLength(1);
  });

  it("is answered after a time limit", async () => {
    const server = await openLive({ times: { answer: 300 } });
    const id = await begin(server);
    const { status, json } = await send(server, id, "/slow 2000\n/say late");
    expect([status, json]).toEqual([202, { session_id: id, turn_id: expect.any(String) }]);
    await until("the turn's end", async () => (await turnsOf(server, id))[0]?.ended_at);
    expect((await turnsOf(server, id))[0]).toMatchObject({ status: "completed" });
  });

  it("sent again under its key, at once or later, is one turn", async () => {
    const server = await openLive();
    const id = await begin(server);
    const text = "/pace 20\n/say a b c d e f g h";
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(server, id, text, {}, "same")),
    );
    answers.push(await send(server, id, text, {}, "same"));
    for (const { status, json } of answers) {
      expect([status, json]).toEqual([200, answers[0]?.json]);
    }
    expect(await countOf(server, id, "message.queued")).toBe(1);
    expect((await send(server, id, "/say else", {}, "same")).json).toMatchObject({
      error: "idempotency_conflict",
    });
  });

  it("to another owner's session is answered like one to a missing session", async () => {
    const server = await openLive();
    const id = await begin(server);
    const body = { message: "/say hi" };
    const token = server.tokens.bob.write;
    const foreign = await server.ask("POST", `/sessions/${id}/messages`, { body, token });
    const unknown = await server.ask("POST", "/sessions/unknown-id/messages", { body, token });
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(id, "X")).toBe(unknown.text.replaceAll("unknown-id", "X"));
  });

  it.each([
    [{}, "invalid_input"],
    [{ message: "" }, "invalid_input"],
    [{ message: "hi", stream: "yes" }, "invalid_input"],
    [{ message: "hi", wait: "no" }, "invalid_input"],
    [{ message: "hi", wait: false, stream: true }, "invalid_input"],
    [{ message: "hi", loud: true }, "invalid_input"],
    [{ message: "hi", id: "another" }, "invalid_input"],
    [["hi"], "invalid_input"],
  ])("%j is refused: %s", async (body, error) => {
    const server = await openLive();
    const id = await begin(server);
    const { status, json } = await server.ask("POST", `/sessions/${id}/messages`, { body });
    expect([status, json]).toMatchObject([400, { error }]);
    expect(await countOf(server, id, "message.queued")).toBe(0);
  });
});

describe("a message with stream", () => {
  it("streams its turn to the end, each text once", async () => {
    const server = await openLive();
    const id = await begin(server);
    const reader = stream(server, id, "/pace 5\n/say one two three\n/tools 2\n/flood 3000");
    expect(await reader.closed).toBe(true);
    expect(reader.status).toBe(200);
    expect(reader.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(typesIn(reader)[0]).toBe("queued");
    expect(typesIn(reader).at(-1)).toBe("completed");
    expect(typesIn(reader).filter((type) => type === "tool_call")).toHaveLength(4);
    const [turn] = await turnsOf(server, id);
    expect(saidIn(reader)).toBe(turn?.output);
  });

  it("sent again under its key streams the same turn again", async () => {
    const server = await openLive();
    const id = await begin(server);
    const first = stream(server, id, "/say one\n/tools 1", { idempotency_key: "k" });
    await first.closed;
    await send(server, id, "/say another");
    const again = stream(server, id, "/say one\n/tools 1", { idempotency_key: "k" });
    expect(await again.closed).toBe(true);
    expect(saidIn(again)).toBe(saidIn(first));
    expect(typesIn(again).at(-1)).toBe("completed");
    expect(typesIn(again).filter((type) => type === "tool_call")).toHaveLength(2);
    expect(await countOf(server, id, "message.queued")).toBe(2);
  });

  it("continues when its sender disconnects", async () => {
    const server = await openLive();
    const id = await begin(server);
    const said = "a b c d e f g h i j k l m n o p q r s t";
    const reader = stream(server, id, `/pace 50\n/say ${said}`);
    await until("some words", () => typesIn(reader).includes("message"));
    reader.cut();
    const turn = await until("the turn's end", async () => {
      const [only] = await turnsOf(server, id);
      return only?.ended_at ? only : null;
    });
    expect(turn).toMatchObject({ status: "completed", output: said });
  });

  it("is not ended by a question", async () => {
    const server = await openLive();
    const id = await begin(server);
    const reader = stream(server, id, "/ask really?\n/say after that");
    const asked = await until("the question", () =>
      reader.events.find(({ event }) => event === "permission"),
    );
    const approval_id = fieldOf({ json: asked.data }, "approval_id");
    await server.ask("POST", `/approvals/${approval_id}`, { body: { decision: "approved" } });
    expect(await reader.closed).toBe(true);
    expect(typesIn(reader)).toContain("answered");
    expect(saidIn(reader)).toContain("after that");
  });

  it("that waits for another turn gets no text of that turn", async () => {
    const server = await openLive();
    const id = await begin(server);
    const first = stream(server, id, "/pace 20\n/say first first first first first");
    await until("its beginning", () => typesIn(first).includes("started"));
    const second = stream(server, id, "/say second");
    expect(await second.closed).toBe(true);
    expect(saidIn(second)).toBe("second");
    expect(saidIn(first)).toBe("first first first first first");
  });

  it("ends if the session is suspended before its turn, and is streamed under its key after a resume", async () => {
    const server = await openLive();
    const id = await begin(server);
    const first = stream(server, id, "/slow 20000");
    await until("its beginning", () => typesIn(first).includes("started"));
    const second = stream(server, id, "/say second", { idempotency_key: "second" });
    await until("its place", () => typesIn(second).includes("queued"));
    await server.ask("POST", `/sessions/${id}/suspend`, { body: {} });
    expect(await second.closed).toBe(true);
    expect(typesIn(second).at(-1)).toBe("suspended");
    expect(await first.closed).toBe(true);
    expect(typesIn(first).at(-1)).toBe("completed");
    await server.ask("POST", `/sessions/${id}/resume`, { body: {} });
    const again = stream(server, id, "/say second", { idempotency_key: "second" });
    expect(await again.closed).toBe(true);
    expect(saidIn(again).split("\n")[0]).toBe("second");
    expect(typesIn(again).at(-1)).toBe("completed");
  });
});

describe("a message with wait: false", () => {
  it("is answered at once with its turn, which runs to its end without listeners", async () => {
    const server = await openLive();
    const id = await begin(server);
    const { status, json } = await send(server, id, "/slow 500\n/say late", { wait: false });
    const turn_id = fieldOf({ json }, "turn_id");
    expect([status, json]).toEqual([202, { session_id: id, turn_id }]);
    expect((await turnsOf(server, id))[0]).toMatchObject({ turn_id, ended_at: null });
    const turn = await turnEnd(server, id, turn_id);
    expect(turn).toMatchObject({ status: "completed", output: "late" });
  });

  it("sent again under its key is the same turn, with or without waiting", async () => {
    const server = await openLive();
    const id = await begin(server);
    const first = await send(server, id, "/say once", { wait: false }, "same");
    const again = await send(server, id, "/say once", { wait: false }, "same");
    expect([again.status, again.json]).toEqual([202, first.json]);
    const { status, json } = await send(server, id, "/say once", { wait: true }, "same");
    expect([status, json]).toEqual([
      200,
      { ...recordOf(first.json), status: "completed", content: "once" },
    ]);
    expect(await countOf(server, id, "message.queued")).toBe(1);
  });
});

/** The turn after it has ended. */
function turnEnd(
  server: TestServer,
  id: string,
  turn_id: string,
  token = server.tokens.ann.read,
): Promise<Record<string, unknown>> {
  return until("the turn's end", async () => {
    const { json } = await server.ask("GET", `/sessions/${id}/messages`, { token });
    const { turns } = recordOf(json);
    const all = Array.isArray(turns) ? turns.map(recordOf) : [];
    return all.find((turn) => turn.turn_id === turn_id && turn.ended_at !== null);
  });
}

describe("a session that starts with a message", () => {
  const project = (server: TestServer) => ({
    cwd: join(server.home, "work"),
    repo: null,
    branch: null,
  });

  it("is created, named after the message, and answers it", async () => {
    const server = await openLive();
    const body = {
      agent_name: "agent",
      project: project(server),
      initial_message: "/say hello\nand more",
    };
    const answer = await server.ask("POST", "/sessions", { body });
    const id = fieldOf(answer, "session_id");
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/sessions/${id}`);
    expect(answer.json).toMatchObject({ agent_name: "agent", title: "/say hello" });
    const turn_id = fieldOf(answer, "turn_id");
    const turn = await until("the answer", async () => {
      const [only] = await turnsOf(server, id);
      return only?.ended_at ? only : null;
    });
    expect(turn).toMatchObject({ turn_id, status: "completed", input: "/say hello\nand more" });
  });

  it("streams its first turn on request", async () => {
    const server = await openLive();
    const body = {
      agent_name: "agent",
      project: project(server),
      initial_message: "/say hello",
      stream: true,
    };
    const reader = read(server, "/sessions", { method: "POST", body });
    expect(await reader.closed).toBe(true);
    expect(reader.status).toBe(201);
    expect(reader.headers.location).toMatch(/^\/sessions\/./);
    expect(reader.headers["x-content-type-options"]).toBe("nosniff");
    expect(saidIn(reader)).toBe("hello");
  });

  it("is one session with one turn under one key, sent at once or later", async () => {
    const server = await openLive();
    const body = { agent_name: "agent", project: project(server), initial_message: "/say hello" };
    const headers = { "idempotency-key": "begin" };
    const ask = () => server.ask("POST", "/sessions", { body, headers });
    const answers = await Promise.all([ask(), ask(), ask()]);
    answers.push(await ask());
    const [id] = answers.map((answer) => fieldOf(answer, "session_id"));
    for (const { status, json } of answers) {
      // The driver is the current one.
      const first = { ...recordOf(answers[0]?.json), driver: expect.anything() };
      expect([status, { ...recordOf(json), driver: "" }]).toEqual([201, first]);
    }
    expect(await countOf(server, id ?? "", "message.queued")).toBe(1);
    // The caller's key is still free for a message.
    expect((await send(server, id ?? "", "/say two", {}, "begin")).status).toBe(200);
  });

  it("is not created for an agent that cannot run here", async () => {
    const server = await openLive();
    const body = { agent_name: "nobody", initial_message: "hello" };
    const { status, json } = await server.ask("POST", "/sessions", { body });
    expect([status, json]).toMatchObject([404, { error: "agent_not_found" }]);
    const { sessions } = recordOf((await server.ask("GET", "/sessions")).json);
    expect(sessions).toEqual([]);
    const elsewhere = await server.ask("POST", "/sessions", { body: { agent_name: "nobody" } });
    expect(elsewhere.status).toBe(201);
  });

  it.each([
    [{ agent_name: "agent", stream: true }],
    [{ agent_name: "agent", initial_message: "" }],
    [{ agent_name: "agent", initial_message: 1 }],
    [{ agent_name: 1, initial_message: "hi" }],
    [{ initial_message: "hi" }],
    [{ agent_name: "agent", initial_message: "hi", loud: true }],
  ])("%j is refused, and starts nothing", async (body) => {
    const server = await openLive();
    const { status, json } = await server.ask("POST", "/sessions", { body });
    expect([status, json]).toMatchObject([400, { error: "invalid_input" }]);
    expect(recordOf((await server.ask("GET", "/sessions")).json).sessions).toEqual([]);
  });
});
