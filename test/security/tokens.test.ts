import { describe, expect, it } from "vitest";
import { answerHookRequest } from "../../src/integrations/claude/hooks/answer-hook-request.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openServer, type TestServer } from "../http/open-server.ts";

const MARK = "zebrafish";
const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

describe("a token", () => {
  it("shows when it was last used", async () => {
    const server = await openServer();
    const { id, token } = await server.makeToken("bob", "read");
    const lastUse = async () => {
      const bob = { ...ANN, owner: "bob" };
      const { tokens } = await server.service.call("list_tokens", {}, bob);
      return tokens.find((each) => each.id === id)?.last_used_at;
    };
    expect(await lastUse()).toBeNull();
    await server.ask("GET", "/sessions", { token });
    await expect.poll(lastUse).toEqual(expect.any(String));
  });
});

describe("a token with scope record", () => {
  it("records, asks and reads in sessions that it created", async () => {
    const { ask, tokens } = await openServer();
    const token = tokens.ann.record;
    const as = (method: string, path: string, body?: unknown) =>
      ask(method, path, { token, ...(body !== undefined && { body }) });
    const made = { agent_name: "a", session_id: "own-1", task_id: "work" };
    expect((await as("POST", "/sessions", made)).status).toBe(201);
    const steps: readonly [string, unknown][] = [
      ["turns", { input: "a", output: "b" }],
      ["actions", { action_id: "one", type: "mail" }],
      ["checkpoints", { name: "saved", state: { step: 1 } }],
      ["approvals", { title: "May I?" }],
    ];
    for (const [path, body] of steps) {
      expect((await as("POST", `/sessions/own-1/${path}`, body)).status, path).toBeLessThan(300);
    }
    expect((await as("GET", "/sessions/own-1")).json).toMatchObject({ pending_approvals: 1 });
    expect((await as("GET", "/sessions")).json).toMatchObject({
      sessions: [{ session_id: "own-1" }],
    });
    expect((await as("GET", "/counts")).json).toMatchObject({ waiting: 1 });
    const { text } = await as("GET", "/events");
    expect(text).toContain("approval.requested");
    expect(text).not.toContain('"kind":"task"');
    const observed = { session_id: "own-2", ...OBSERVED };
    expect((await as("POST", "/observations", observed)).status).toBe(200);
    expect((await as("POST", "/observations", observed)).status).toBe(200);
  });

  it("decides nothing and starts nothing, even there", async () => {
    const { ask, tokens } = await openServer();
    const token = tokens.ann.record;
    await ask("POST", "/sessions", { token, body: { agent_name: "a", session_id: "own-1" } });
    const asked = { token, body: { title: "May I?" } };
    const approval = await ask("POST", "/sessions/own-1/approvals", asked);
    const id = /"approval_id":"([^"]+)"/.exec(approval.text)?.[1];
    const refused: readonly [string, unknown][] = [
      [`/approvals/${id}`, { decision: "approved" }],
      [`/approvals/${id}/answer`, { answer: "continue" }],
      ["/sessions/own-1/messages", { message: "hello" }],
      ["/sessions", { agent_name: "demo", initial_message: "hello" }],
      ["/sessions/own-1/resume", {}],
      ["/recover", {}],
      ["/cleanup", { hours: 1 }],
      ["/tasks", { title: "A task" }],
      ["/sessions/own-1/actions", { type: "mail", pid: 1 }],
      ["/tokens", { name: "another" }],
    ];
    for (const [path, body] of refused) {
      const { status, json } = await ask("POST", path, { token, body });
      expect([path, status, json]).toMatchObject([path, 403, { error: "not_allowed" }]);
    }
    const listed = await ask("GET", "/sessions?limit=100");
    expect(listed.json).toMatchObject({ sessions: [{ session_id: "own-1" }] });
  });

  it("neither sees nor changes other sessions of its owner, by any door", async () => {
    const server = await openServer();
    const { ask, tokens, makeToken } = server;
    await prepare(server);
    for (const token of [tokens.ann.record, (await makeToken("ann", "record")).token]) {
      for (const path of QUERIES) {
        const { text } = await ask("GET", path, { token });
        expect(text, path).not.toContain(MARK);
      }
      for (const [path, body] of CHANGES) {
        const { status } = await ask("POST", path, { token, body });
        expect([path, status]).toEqual([path, path === "/observations" ? 409 : 404]);
      }
      const taken = { token, body: { agent_name: "a", session_id: "ann-1" } };
      expect((await ask("POST", "/sessions", taken)).status).toBe(409);
      // With its entity id, a person who opens the recorder's session would get ann's.
      const { entity_id } = await server.service.call("get", { id: "ann-1" }, ANN);
      const shadow = { token, body: { agent_name: "a", session_id: entity_id } };
      expect((await ask("POST", "/sessions", shadow)).status).toBe(409);
      const seen = { token, body: { session_id: entity_id, ...OBSERVED } };
      expect((await ask("POST", "/observations", seen)).status).toBe(409);
      const again = { ...KEYED, body: { ...KEYED.body, session_id: "ann-2" } };
      expect((await ask("POST", "/sessions", { token, ...again })).status).toBe(409);
      // A session of its own leads to no task of others.
      const session_id = `own-${token.slice(-4).replaceAll(/\W/g, "x")}`;
      await ask("POST", "/sessions", {
        token,
        body: { agent_name: "a", session_id, task_id: "t-1" },
      });
      const query = `{ agentSession(sessionId: "${session_id}") { task { title } } listTasks { tasks { title } } }`;
      const { text } = await ask("POST", "/graphql", { token, body: { query } });
      expect(text).toContain('"task":null');
      expect(text).not.toContain(MARK);
    }
    expect((await ask("GET", "/sessions/ann-1")).json).toMatchObject({ status: "active" });
  });

  it("cannot create a session in which a webhook would start an agent of its choice", async () => {
    const { ask, tokens } = await openServer();
    const token = tokens.ann.record;
    const session_id = "webhook:issues:42";
    for (const [path, body] of [
      ["/sessions", { agent_name: "demo", session_id }],
      ["/observations", { session_id, ...OBSERVED }],
    ] as const) {
      const { status, json } = await ask("POST", path, { token, body });
      expect([path, status, json]).toMatchObject([path, 403, { error: "not_allowed" }]);
    }
    const own = { agent_name: "demo", session_id: "webhooked" };
    expect((await ask("POST", "/sessions", { token, body: own })).status).toBe(201);
  });

  it("reports by a hook only to its own sessions", async () => {
    const server = await openServer();
    await prepare(server);
    const { context } = server.runner;
    const caller = (token_id: string): Caller => ({
      ...{ owner: "ann", actor: "token:hook", interface: "hook", trace_id: null },
      ...{ scope: "record", token_id },
    });
    const failures: string[] = [];
    const deps = {
      context,
      home: server.home,
      cwd: server.home,
      env: {},
      noteFailure: (_hook: string, problem: string) => void failures.push(problem),
    };
    const hook = (token_id: string, session_id: string) =>
      answerHookRequest(
        JSON.stringify({
          ...{ hook_event_name: "UserPromptSubmit", session_id, prompt: "hello", cwd: "/w" },
        }),
        caller(token_id),
        deps,
      );
    await hook("token-1", "hooked-1");
    await hook("token-2", "hooked-1");
    await hook("token-1", "ann-1");
    const turns = async (id: string) =>
      (await server.service.call("turns", { id }, ANN)).turns.length;
    expect([await turns("hooked-1"), await turns("ann-1")]).toEqual([1, 1]);
    const one = await server.service.call("list", {}, { ...ANN, ...caller("token-1") });
    expect(one.sessions.map(({ session_id }) => session_id)).toEqual(["hooked-1"]);
  });
});

const KEYED = {
  headers: { "idempotency-key": "key-1" },
  body: { agent_name: "a", session_id: "ann-1", title: MARK },
};

const OBSERVED = {
  actions: [{ type: "commit", result: "success" }],
  started_at: "2026-01-08T18:00:00Z",
};

const QUERIES = [
  ...["/sessions", "/sessions/ann-1", "/sessions/ann-1/turns", "/sessions/ann-1/log"],
  ...["/sessions?search=zebrafish", "/events", "/history", "/audit", "/next", "/tasks"],
  ...["/approvals", "/recoveries", "/timeline?entity_id=t-1", "/spans?entity_id=t-1"],
];

const CHANGES: readonly [string, unknown][] = [
  ["/sessions/ann-1/turns", { input: "a", output: "b" }],
  ["/sessions/ann-1/actions", { type: "mail" }],
  ["/sessions/ann-1/checkpoints", { name: "x" }],
  ["/sessions/ann-1/approvals", { title: "May I?" }],
  ["/sessions/ann-1/suspend", {}],
  ["/observations", { session_id: "ann-1", ...OBSERVED }],
];

async function prepare({ service, ask }: TestServer): Promise<void> {
  await service.call("add_task", { task_id: "t-1", title: MARK }, ANN);
  await ask("POST", "/sessions", { ...KEYED, body: { ...KEYED.body, task_id: "t-1" } });
  await service.call("record_turn", { id: "ann-1", input: MARK, output: MARK }, ANN);
}
