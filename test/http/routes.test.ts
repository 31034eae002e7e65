import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import about from "../../package.json" with { type: "json" };
import { OPERATIONS } from "../../src/contract/operations.ts";
import { OWN_OPERATIONS, ROUTES } from "../../src/doors/http/routes.ts";
import { openServer } from "./open-server.ts";
import { API_ROUTES, prepare } from "./route-table.ts";
import { send } from "./send.ts";
import { fieldOf } from "./streams/live-server.ts";

describe("the table of routes", () => {
  it("has every operation once, or a reason why it is missing", () => {
    const routed = Object.values(ROUTES).map(({ operation }) => operation);
    const own = Object.keys(OWN_OPERATIONS);
    expect([...routed, ...own].toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
    for (const [name, { operation }] of Object.entries(ROUTES)) expect(operation).toBe(name);
    for (const { route } of Object.values(OWN_OPERATIONS)) expect(API_ROUTES).toContain(route);
  });

  it("names path parameters after fields of their operations", () => {
    for (const { path, operation } of Object.values(ROUTES)) {
      const fields = Object.keys(OPERATIONS[operation].input.shape);
      for (const [, name] of path.matchAll(/:(\w+)/g)) expect(fields).toContain(name);
    }
  });
});

describe("counts of sessions", () => {
  it("are grouped by status, also if a session has the id count", async () => {
    const { ask } = await openServer();
    const body = { agent_name: "elsewhere", session_id: "count" };
    await ask("POST", "/sessions", { body });
    const { status, json } = await ask("GET", "/counts");
    expect([status, json]).toMatchObject([
      200,
      { by_status: { created: 1 }, badge: 1, waiting: 0 },
    ]);
    expect((await ask("GET", "/sessions/count")).json).toMatchObject({ session_id: "count" });
    const refused = await ask("GET", "/counts?status=active");
    expect([refused.status, refused.json]).toMatchObject([400, { error: "unknown_filter" }]);
  });
});

describe("a list", () => {
  it("is searched for words, and continues after the last session it searched", async () => {
    const { ask } = await openServer();
    for (const title of ["Move the bucket", "Fix the login", "Empty the bucket"]) {
      await ask("POST", "/sessions", { body: { agent_name: "elsewhere", title } });
    }
    const found: unknown[] = [];
    for (let cursor = ""; ; ) {
      const { json } = await ask("GET", `/sessions?search=the%20BUCKET&limit=1${cursor}`);
      const page = new Map(Object.entries(Object(json)));
      const sessions = page.get("sessions");
      if (!Array.isArray(sessions)) throw new Error("a list has sessions");
      found.push(...sessions.map(({ title }) => title));
      const next = page.get("next_cursor");
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(found.toSorted()).toEqual(["Empty the bucket", "Move the bucket"]);
  });
});

describe("a session", () => {
  it("is created at its Location", async () => {
    const { ask } = await openServer();
    const body = { agent_name: "elsewhere", session_id: "named:one" };
    const { status, headers, json } = await ask("POST", "/sessions", { body });
    expect([status, json]).toMatchObject([201, { session_id: "named:one", interface: "api" }]);
    expect((await ask("GET", headers.get("location") ?? "")).json).toEqual(json);
  });

  it("answers suspend, resume and cancel in the documented form", async () => {
    const server = await openServer();
    const { ask } = server;
    const { id } = await prepare(server);
    const suspended = await ask("POST", `/sessions/${id}/suspend`);
    expect(suspended.json).toEqual({
      session_id: id,
      checkpoint_id: expect.any(String),
      message: "Session suspended successfully",
    });
    const log = await ask("GET", `/sessions/${id}/events?limit=100`);
    expect(log.text).toContain('"reason":"api_requested"');
    const resumed = await ask("POST", `/agent-sessions/${id}/resume`);
    expect(resumed.json).toMatchObject({ sessionId: id, session_id: id, status: "active" });
    const cancelled = await ask("POST", `/sessions/${id}/cancel`, { body: { summary: "no more" } });
    expect(cancelled.json).toMatchObject({ sessionId: id, status: "cancelled" });
    const again = await ask("POST", `/sessions/${id}/cancel`);
    expect([again.status, again.json]).toMatchObject([409, { error: "session_cancelled" }]);
  });

  it("accepts a reason for its suspension", async () => {
    const server = await openServer();
    const { id } = await prepare(server);
    const body = { reason: "pipeline_suspended" };
    await server.ask("POST", `/sessions/${id}/suspend`, { body });
    const log = await server.ask("GET", `/sessions/${id}/events?limit=100`);
    expect(log.text).toContain('"reason":"pipeline_suspended"');
  });

  it("is completed or failed, by path", async () => {
    const server = await openServer();
    const [one, two] = [await prepare(server), await prepare(server)];
    const completed = await server.ask("POST", `/sessions/${one.id}/complete`, {
      body: { summary: "s" },
    });
    expect(completed.json).toMatchObject({ status: "completed", summary: "s" });
    const failed = await server.ask("POST", `/sessions/${two.id}/fail`, { body: { error: "e" } });
    expect(failed.json).toMatchObject({ status: "failed", last_error: "e" });
  });

  it("is created by query or body, and listed by body, under its second path", async () => {
    const { ask } = await openServer();
    const metadata = encodeURIComponent('{"ticket":"T1"}');
    const query = await ask(
      "POST",
      `/agent-sessions/create?agent_name=two%20words&metadata=${metadata}`,
    );
    expect([query.status, query.json]).toMatchObject([
      201,
      { agent_name: "two words", metadata: { ticket: "T1" } },
    ]);
    const body = { metadata: { ticket: "T2" } };
    const both = await ask("POST", "/agent-sessions/create?agent_name=both", { body });
    expect([both.status, both.json]).toMatchObject([201, { agent_name: "both", ...body }]);
    const twice = await ask("POST", "/agent-sessions/create?agent_name=a", {
      body: { agent_name: "b" },
    });
    expect(twice.status).toBe(400);
    const listed = await ask("POST", "/agent-sessions/list", { body: { agent: "both", limit: 1 } });
    expect(listed.text).toBe((await ask("GET", "/sessions?agent=both&limit=1")).text);
    expect(listed.json).toMatchObject({ sessions: [{ agent_name: "both" }] });
  });

  it("serves its events as pages, or as a stream on request", async () => {
    const server = await openServer();
    const { id } = await prepare(server);
    const page = await server.ask("GET", `/sessions/${id}/events?after=1&limit=1`);
    expect(page.json).toMatchObject({ events: [{ seq: 2 }], next_cursor: 2 });
    expect(page.headers.get("vary")).toBe("accept");
    const leave = new AbortController();
    const stream = await fetch(`${server.url}/sessions/${id}/events`, {
      headers: {
        authorization: `Bearer ${server.tokens.ann.read}`,
        accept: "text/html;q=0.1, text/event-stream",
      },
      signal: leave.signal,
    });
    expect(stream.headers.get("content-type")).toMatch("text/event-stream");
    expect(stream.headers.get("x-content-type-options")).toBe("nosniff");
    leave.abort();
  });
});

describe("an invalid observation", () => {
  it("is answered in the documented form", async () => {
    const { ask } = await openServer();
    const body = { session_id: "observed-1", actions: [], started_at: "2025-12-31T11:45:00Z" };
    const { status, json } = await ask("POST", "/observations", { body });
    expect([status, json]).toEqual([
      422,
      {
        error: "schema_validation_failed",
        details: {
          field: "actions",
          value: [],
          expected: "min_length: 1",
          message: "Actions array must have at least 1 item",
        },
      },
    ]);
  });
});

describe("the server", () => {
  it("reports its health without a token, and nothing else", async () => {
    let isGone = false;
    const { ask } = await openServer({
      wrap: (store) => ({
        ...store,
        async read(...asked) {
          if (isGone) throw new Error("no store");
          return store.read(...asked);
        },
      }),
    });
    isGone = true;
    const { status, json } = await ask("GET", "/health", { token: null });
    expect([status, json]).toEqual([200, { status: "ok", version: about.version }]);
    expect((await ask("HEAD", "/health", { token: null })).status).toBe(200);
    isGone = false;
  });

  it("compresses large contents in its database", async () => {
    const { ask, home } = await openServer();
    const body = { agent_name: "a", session_id: "large-one" };
    await ask("POST", "/sessions", { body });
    const output = "a line that repeats\n".repeat(50_000);
    const turn = { body: { input: "all of it", output } };
    const sizes = () => ["belay.db", "belay.db-wal"].map((name) => statSync(join(home, name)).size);
    const size = () => sizes().reduce((all, each) => all + each);
    const before = size();
    expect((await ask("POST", "/sessions/large-one/turns", turn)).status).toBeLessThan(300);
    expect(size() - before).toBeLessThan(output.length / 2);
    const { text } = await ask("GET", "/sessions/large-one/messages");
    expect(text).toContain("a line that repeats");
  });

  it("has the same headers on every answer", async () => {
    const { ask } = await openServer();
    for (const [method, path, token] of [
      ["GET", "/health", null],
      ["GET", "/sessions", null],
      ["GET", "/nothing", undefined],
      ["GET", "/sessions/%zz", undefined],
      ["PUT", "/sessions", undefined],
      ["GET", "/sessions", undefined],
      ["POST", "/mcp", undefined],
    ] as const) {
      const { headers } = await ask(method, path, token === null ? { token } : {});
      expect([path, Object.fromEntries(headers)]).toMatchObject([
        path,
        {
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
          "referrer-policy": "no-referrer",
          "cross-origin-resource-policy": "same-origin",
          "x-trace-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ]);
      expect([...headers.keys()].join()).not.toMatch(/access-control|x-powered|server/);
    }
  });

  it("records a caller's trace in the log of events", async () => {
    const { ask } = await openServer();
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const create = async (headers: Record<string, string>) => {
      const { headers: answered, text } = await ask("POST", "/sessions", {
        headers,
        body: { agent_name: "traced" },
      });
      const id = /"session_id":"([^"]+)"/.exec(text)?.[1];
      const events = await ask("GET", `/sessions/${id}/events?limit=1`);
      return [answered.get("x-trace-id"), /"trace_id":"([^"]+)"/.exec(events.text)?.[1]];
    };
    const standard = await create({
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      "x-trace-id": "no",
    });
    expect(standard).toEqual([trace, trace]);
    expect(await create({ "x-trace-id": "my-run.1" })).toEqual(["my-run.1", "my-run.1"]);
    for (const bad of ["a b", "x".repeat(65), "<script>", ""]) {
      const [answered, stored] = await create({ "x-trace-id": bad });
      expect(answered).toMatch(/^[0-9a-f-]{36}$/);
      expect(stored).toBe(answered);
    }
  });

  it("counts requests by route pattern, not by URL", async () => {
    const server = await openServer();
    const { id } = await prepare(server);
    await server.ask("GET", `/sessions/${id}`);
    await server.ask("GET", "/nothing/here");
    const { status, text } = await server.ask("GET", "/metrics", {
      token: server.tokens.ann.admin,
    });
    expect(status).toBe(200);
    expect(text).toContain(
      'belay_http_request_duration_seconds_count{method="GET",route="/sessions/:id",status="2xx"} 1',
    );
    expect(text).toContain(
      'belay_http_request_duration_seconds_count{method="GET",route="none",status="4xx"} 1',
    );
    expect(text).toContain("belay_http_open_streams 0");
    expect(text).toContain("process_cpu_seconds_total");
    expect(text).toMatch(/belay_http_request_duration_seconds_bucket\{le="0.001",method="GET"/);
    expect(text).not.toContain(id);
    expect(text).not.toContain("here");
  });

  it("passes a hook's payload on unchanged, and answers with the hook's output", async () => {
    const server = await openServer();
    const seen = { session_id: "0b7f2a54-6f3e-4a77-9d0c-2f4f6a1b8c3d", cwd: server.home };
    const payload = { ...seen, hook_event_name: "SessionStart", source: "startup" };
    const told = await server.ask("POST", "/hooks/claude-code", { body: payload });
    expect([told.status, told.text]).toEqual([204, ""]);
    const prompt = { ...seen, hook_event_name: "UserPromptSubmit", prompt: "Build it" };
    expect((await server.ask("POST", "/hooks/claude-code", { body: prompt })).status).toBe(204);
    const shown = await server.ask("GET", `/sessions/${seen.session_id}`);
    expect(shown.json).toMatchObject({ owner: "ann", interface: "hook", title: "Build it" });
    const silent = await server.ask("POST", "/hooks/claude-code", { body: "{not json" });
    expect([silent.status, silent.text]).toEqual([204, ""]);
    expect(server.log()).toContain("a hook failed");
  });

  it("passes to MCP only JSON that passed the gate", async () => {
    const server = await openServer();
    const accept = "application/json, text/event-stream";
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const asked = await server.ask("POST", "/mcp", { headers: { accept }, body: list });
    expect([asked.status, asked.text]).toEqual([
      200,
      expect.stringContaining("query_agent_history"),
    ]);
    expect((await server.ask("POST", "/mcp", { body: '{"id":1,"id":2}' })).status).toBe(400);
    expect((await server.ask("HEAD", "/mcp")).status).toBe(405);
    const broken = await openServer({
      wrap: (store) => ({ ...store, list: () => Promise.reject(new Error("it broke, secretly")) }),
    });
    const params = { name: "list_approvals", arguments: {} };
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params };
    const { text } = await broken.ask("POST", "/mcp", { headers: { accept }, body: call });
    expect(text).toContain("internal");
    expect(text).not.toContain("secretly");
    expect(broken.log()).toContain("secretly");
  });
});

describe("a browser", () => {
  it("logs in with a code, once, and logs out with its token", async () => {
    const server = await openServer();
    const { port, ask } = server;
    const code = await server.loginCode();
    const login = () => ask("POST", "/login", { token: null, body: { code } });
    const first = await login();
    const token = fieldOf(first, "token");
    expect([first.status, first.json]).toEqual([200, { owner: "ann", scope: "write", token }]);
    expect(first.headers.get("set-cookie")).toBeNull();
    expect((await login()).status).toBe(401);

    const own = { authorization: `Bearer ${token}`, "x-belay-page": "1" };
    const created = await send(port, "POST", "/sessions", {
      headers: { ...own, origin: `http://127.0.0.1:${port}`, "content-type": "application/json" },
      body: '{"agent_name":"a"}',
    });
    expect([created.status, created.text]).toEqual([
      201,
      expect.stringContaining('"interface":"web"'),
    ]);
    expect((await send(port, "GET", "/sessions", { headers: own })).status).toBe(200);
    const left = await send(port, "POST", "/logout", { headers: own });
    expect(left.status).toBe(204);
    expect((await ask("GET", "/sessions", { token })).status).toBe(401);
  });

  it("is not logged in by a cookie, and its logout keeps a program's token", async () => {
    const { port, tokens, ask } = await openServer();
    const cookie = `belay_token=${tokens.ann.write}`;
    const post = async (headers: Record<string, string>) =>
      (await send(port, "POST", "/recover", { headers })).status;
    expect(await post({ cookie })).toBe(401);
    expect(await post({ cookie, "sec-fetch-site": "none" })).toBe(401);
    expect(await post({ cookie, origin: `http://127.0.0.1:${port}` })).toBe(401);
    expect(await post({ cookie, origin: "http://evil.example" })).toBe(403);
    const left = await ask("POST", "/logout", { token: tokens.ann.write });
    expect([left.status, left.json]).toMatchObject([403, { error: "not_allowed" }]);
    expect(left.text).toContain("stays valid. To revoke it, an admin sends DELETE /tokens/");
    expect((await ask("GET", "/sessions", { token: tokens.ann.write })).status).toBe(200);
  });

  it("does not log in with an invalid code, or a code in the URL", async () => {
    const server = await openServer();
    const { ask } = server;
    const code = await server.loginCode();
    const outside = { token: null };
    for (const body of [
      {},
      { code: 1 },
      { code: "" },
      { code: "x".repeat(201) },
      { code, more: 1 },
    ]) {
      expect((await ask("POST", "/login", { ...outside, body })).status).toBe(400);
    }
    expect((await ask("POST", "/login", { ...outside, body: { code: "code-2" } })).status).toBe(
      401,
    );
    // The page reads no code from its query: the part after the # never reaches the server.
    const page = await ask("GET", `/login?code=${code}`, outside);
    expect(page.headers.get("set-cookie")).toBeNull();
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.text).not.toContain(code);
    expect((await ask("POST", `/login?code=${code}`, outside)).status).toBe(400);
    expect((await ask("POST", "/login", { ...outside, body: { code } })).status).toBe(200);
  });
});
