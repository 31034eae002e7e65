import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "./open-server.ts";
import { prepare } from "./route-table.ts";
import { send } from "./send.ts";

const BAD_IDS = {
  "a way out": "..%2f..%2fetc%2fpasswd",
  "dots as dots": "..",
  "dots as codes": "%2e%2e",
  "dots behind a name": "abc%2f..%2f..",
  "a nothing": "abc%00def",
  "line breaks": "abc%0d%0aSet-Cookie:%20a=b",
  "4 KiB": "a".repeat(4096),
  "a prototype": "__proto__",
  "a constructor's prototype": "constructor%5bprototype%5d",
  "half a character": "abc%ff",
  "broken codes": "abc%zz",
  "a backslash": "..%5c..%5cwindows",
  "a quote": "a'%20OR%201=1--",
  "a filter": "%7B%22%24ne%22:null%7D",
};

/** For refused requests, which change nothing. */
let shared: TestServer;
let id: string;
beforeAll(async () => {
  shared = await openServer({ shared: true });
  ({ id } = await prepare(shared));
});

describe("an invalid id", () => {
  it.each(Object.entries(BAD_IDS))("is refused in every position: %s", async (_, bad) => {
    const server = shared;
    const before = readdirSync(server.home);
    const authorization = `Bearer ${server.tokens.ann.admin}`;
    const json = { authorization, "content-type": "application/json", "content-length": "2" };
    for (const [method, path] of [
      ["GET", `/sessions/${bad}`],
      ["GET", `/agent-sessions/${bad}`],
      ["GET", `/sessions/${bad}/messages`],
      ["GET", `/sessions/${bad}/events`],
      ["POST", `/sessions/${bad}/suspend`],
      ["DELETE", `/sessions/${bad}`],
      ["POST", `/sessions/${bad}/checkpoints/saved/restore`],
      ["GET", `/sessions/${id}/checkpoints/${bad}`],
      ["POST", `/sessions/${id}/actions/${bad}/complete`],
      ["POST", `/approvals/${bad}`],
      ["PATCH", `/tasks/${bad}`],
      ["DELETE", `/tokens/${bad}`],
    ] as const) {
      const headers = method === "GET" ? { authorization } : json;
      const sent = { headers, ...(method !== "GET" && { body: "{}" }) };
      const { status, headers: answered } = await send(server.port, method, path, sent);
      expect([400, 404]).toContain(status);
      expect(answered["set-cookie"]).toBeUndefined();
    }
    for (const session_id of [decoded(bad), "../x".padEnd(20, "x"), "a\u0000bcde", "abcdef\r\n"]) {
      const { status, json: answer } = await server.ask("POST", "/sessions", {
        body: { agent_name: "a", session_id },
      });
      expect([status, answer]).toMatchObject([400, { error: "invalid_id" }]);
    }
    expect(readdirSync(server.home)).toEqual(before);
    await expectHealthy(server);
  });
});

describe("a query", () => {
  it("is converted to the types of the operation", async () => {
    const server = await openServer();
    const { ask } = server;
    for (const name of ["one", "two", "three"]) {
      await ask("POST", "/sessions", { body: { agent_name: name } });
    }
    await ask("POST", "/sessions", { body: { agent_name: "four", session_id: "suspended-1" } });
    await ask("POST", "/sessions/suspended-1/suspend");
    const names = async (query: string) => {
      const { json } = await ask("GET", `/sessions?${query}`);
      return (
        JSON.stringify(json)
          .match(/(?<="agent_name":")\w+/g)
          ?.toSorted() ?? json
      );
    };
    expect(await names("limit=2")).toHaveLength(2);
    expect(await names("status=suspended,created&limit=10")).toEqual([
      "four",
      "one",
      "three",
      "two",
    ]);
    expect(await names("status=suspended&status=archived")).toEqual(["four"]);
    expect(await names("active_only=true&agent=two")).toEqual(["two"]);
    expect(await names("active_only=false&agent=t%77o")).toEqual(["two"]);
  });

  it.each([
    ["/sessions?limit=x", "invalid_input"],
    ["/sessions?limit=", "invalid_input"],
    ["/sessions?limit=0", "invalid_input"],
    ["/sessions?limit=1.5", "invalid_input"],
    ["/sessions?limit=1e9", "invalid_input"],
    ["/sessions?limit=5&limit=6", "invalid_input"],
    ["/sessions?active_only=yes", "invalid_input"],
    ["/sessions?active_only", "invalid_input"],
    ["/sessions?status=nonsense", "invalid_input"],
    ["/sessions?agent=a&agent=b", "invalid_input"],
    ["/sessions?from=yesterday", "invalid_input"],
    ["/sessions?cursor=nonsense", "invalid_input"],
    ["/sessions?cursor=%00", "invalid_input"],
    ["/sessions?cursor=AAAA", "invalid_input"],
    ["/sessions?owner=bob", "unknown_filter"],
    ["/sessions?agent[$ne]=x", "unknown_filter"],
    ["/sessions?agent.name=x", "unknown_filter"],
    ["/sessions?$where=1", "unknown_filter"],
    ["/sessions?__proto__=x", "invalid_input"],
    ["/sessions?__proto__[limit]=1", "unknown_filter"],
    ["/sessions?constructor=x", "unknown_filter"],
    ["/sessions?toString=x", "unknown_filter"],
    ["/tasks?title=x", "unknown_filter"],
    ["/tasks?cursor=nonsense", "invalid_input"],
    ["/approvals?session_id=x", "unknown_filter"],
    ["/approvals?cursor=nonsense", "invalid_input"],
    ["/events?after=nonsense", "invalid_input"],
    ["/history?cursor=nonsense", "invalid_input"],
    ["/timeline?entity_id=a&start=2020-01-01", "unknown_filter"],
    ["/stats?from=2020-13-45", "invalid_input"],
  ])("%s is refused", async (path, error) => {
    const server = shared;
    const { status, json } = await server.ask("GET", path);
    expect([status, json]).toMatchObject([400, { error }]);
    await expectHealthy(server);
  });
});

describe("a body", () => {
  const REFUSED: Record<string, string> = {
    "nested too deep": "[".repeat(100_000),
    "deep objects": `{"metadata":${'{"a":'.repeat(1000)}1${"}".repeat(1000)}}`,
    "a key twice": '{"agent_name":"a","agent_name":"b"}',
    "a key twice, once escaped": '{"agent_name":"a","agent\\u005fname":"b"}',
    "a prototype": '{"agent_name":"a","metadata":{"__proto__":{"admin":true}}}',
    "a list": '["agent_name"]',
    "a text": '"agent_name"',
    nothing: "null",
    "half of it": '{"agent_name":"a"',
    "two of them": '{"agent_name":"a"}{"agent_name":"b"}',
    "an endless number": '{"agent_name":"a","metadata":{"a":1e999}}',
    "an unknown field": '{"agent_name":"a","owner":"bob"}',
    "a wrong type": '{"agent_name":1}',
    "a line break in a name": '{"agent_name":"a\\r\\nb"}',
  };

  it.each(Object.entries(REFUSED))("that is %s is refused", async (_, body) => {
    const server = shared;
    const { status, json } = await server.ask("POST", "/sessions", { body });
    expect([status, json]).toMatchObject([400, { error: "invalid_input" }]);
    await expectHealthy(server);
  });

  it("that is no UTF-8 is refused", async () => {
    const server = shared;
    const body = Buffer.concat([
      Buffer.from('{"agent_name":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const authorization = `Bearer ${server.tokens.ann.write}`;
    const headers = { authorization, "content-type": "application/json" };
    expect((await send(server.port, "POST", "/sessions", { headers, body })).status).toBe(400);
    await expectHealthy(server);
  });

  it.each([
    ["application/x-www-form-urlencoded", {}],
    ["multipart/form-data; boundary=x", {}],
    ["text/plain", {}],
    ["text/json", {}],
    ["application/json; charset=utf-16", {}],
    ["application/json; charset=latin1", {}],
    ["application/json, text/plain", {}],
    ["application/jsonp", {}],
    ["", {}],
    ["application/json", { "content-encoding": "gzip" }],
    ["application/json", { "content-encoding": "br" }],
  ])("of the type %j is not read", async (type, more) => {
    const server = shared;
    const authorization = `Bearer ${server.tokens.ann.write}`;
    const { status, text } = await send(server.port, "POST", "/sessions", {
      headers: { authorization, ...(type !== "" && { "content-type": type }), ...more },
      body: '{"agent_name":"a"}',
    });
    expect([status, text]).toEqual([415, expect.stringContaining('"wrong_media_type"')]);
    await expectHealthy(server);
  });

  it.each([
    "application/json",
    "Application/JSON; charset=UTF-8",
    'application/json;charset="utf-8"',
  ])("may have the type %s", async (type) => {
    const { port, tokens } = shared;
    const headers = { authorization: `Bearer ${tokens.ann.write}`, "content-type": type };
    const sent = { headers, body: '{"agent_name":"a"}' };
    expect((await send(port, "POST", "/sessions", sent)).status).toBe(201);
  });

  it("may have 8 MiB, and no byte more", async () => {
    const server = shared;
    const largest = 8 * 1024 * 1024;
    const fits = JSON.stringify({ agent_name: "a", extra: "" }).length;
    const body = (length: number) =>
      JSON.stringify({ agent_name: "a", extra: "x".repeat(length - fits) });
    const whole = await server.ask("POST", "/sessions", { body: body(largest) });
    expect([whole.status, whole.json]).toMatchObject([400, { details: { unknown: ["extra"] } }]);
    const authorization = `Bearer ${server.tokens.ann.write}`;
    const headers = {
      authorization,
      "content-type": "application/json",
      "transfer-encoding": "chunked",
    };
    const asked = send(server.port, "POST", "/sessions", { headers, body: body(largest + 1) });
    // The server may disconnect while we still send.
    const answer = await asked.catch(() => null);
    if (answer) expect(answer.status).toBe(413);
    await expectHealthy(server);
  });
});

describe("a value in path, query and body", () => {
  it("is combined, and must not conflict", async () => {
    const server = await openServer();
    const { ask } = server;
    const { id } = await prepare(server);
    const same = await ask("POST", `/sessions/${id}/rename`, { body: { id, title: "a" } });
    expect(same.status).toBe(200);
    const other = await ask("POST", `/sessions/${id}/rename`, {
      body: { id: "other", title: "b" },
    });
    expect([other.status, other.json]).toMatchObject([400, { error: "invalid_input" }]);
    const query = await ask("POST", `/sessions/${id}/rename?title=c`, { body: { title: "b" } });
    expect(query.status).toBe(400);
    const fixed = await ask("POST", `/sessions/${id}/complete`, { body: { outcome: "failed" } });
    expect(fixed.status).toBe(400);
    expect((await ask("GET", `/sessions/${id}`)).json).toMatchObject({ title: "a" });
  });

  it("may be an Idempotency-Key header", async () => {
    const server = await openServer();
    const { id } = await prepare(server);
    const headers = { "idempotency-key": "once" };
    const path = `/sessions/${id}/outcomes`;
    const first = await server.ask("POST", path, { headers, body: { type: "build" } });
    const again = await server.ask("POST", path, { headers, body: { type: "build" } });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    const changed = await server.ask("POST", path, { headers, body: { type: "deploy" } });
    expect([changed.status, changed.json]).toMatchObject([409, { error: "idempotency_conflict" }]);
    const body = { type: "build", idempotency_key: "another" };
    expect((await server.ask("POST", path, { headers, body })).status).toBe(400);
  });

  it("is refused if it is a key for an operation without keys", async () => {
    const server = await openServer();
    const headers = { "idempotency-key": "once" };
    const { status, json } = await server.ask("POST", "/cleanup", { headers, body: { hours: 1 } });
    expect([status, json]).toMatchObject([400, { details: { unknown: ["idempotency_key"] } }]);
  });
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function expectHealthy(server: TestServer): Promise<void> {
  const created = await server.ask("POST", "/sessions", { body: { agent_name: "healthy" } });
  expect(created.status).toBe(201);
}
