import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { askGraphql } from "./ask-graphql.ts";

const CREATE = `mutation ($m: JSON) { createAgentSession(agentName: "elsewhere", metadata: $m) {
  sessionId interface state status metadata } }`;
const ONE = "query ($id: ID!) { agentSession(sessionId: $id) { sessionId } }";

async function create(server: TestServer, token?: string): Promise<string> {
  const { data } = await askGraphql(server, CREATE, {}, token);
  return String(Object(data.createAgentSession).sessionId);
}

describe("a request", () => {
  it("creates and shows a session with GraphQL names, and JSON unchanged", async () => {
    const server = await openServer();
    const metadata = { snake_case: { b: [1, null, "ä"] } };
    const { data, errors } = await askGraphql(server, CREATE, { m: metadata });
    expect(errors).toEqual([]);
    expect(data.createAgentSession).toMatchObject({
      interface: "graphql",
      state: "CREATED",
      status: "CREATED",
      metadata,
    });
  });

  it("shows no task for another person's session, also not the caller's own task of that name", async () => {
    const server = await openServer();
    const { service } = server;
    const ann = { owner: "ann", actor: "test", interface: "library", trace_id: null } as const;
    await service.call("add_person", { name: "bob" }, ann);
    for (const owner of ["ann", "bob"]) {
      const task = { task_id: "release", title: `${owner}'s release` };
      await service.call("add_task", task, { ...ann, owner });
    }
    const given = { agent_name: "a", task_id: "release" };
    const { session_id: id } = await service.call("create", given, ann);
    await service.call("share", { id, with: "bob" }, ann);
    const query = "query ($id: ID!) { agentSession(sessionId: $id) { task { title } } }";
    const { data } = await askGraphql(server, query, { id: `ann/${id}` }, server.tokens.bob.write);
    expect(data.agentSession).toEqual({ task: null });
    const own = await askGraphql(server, query, { id });
    expect(own.data.agentSession).toEqual({ task: { title: "ann's release" } });
  });

  it("pages through a list by the cursor of its last session", async () => {
    const server = await openServer();
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await create(server));
    const seen: unknown[] = [];
    let after: unknown = null;
    do {
      const { data } = await askGraphql(
        server,
        "query ($after: String) { agentSessions(limit: 2, after: $after) { sessionId cursor } }",
        { after },
      );
      const page = Array.isArray(data.agentSessions) ? data.agentSessions.map(Object) : [];
      seen.push(...page.map(({ sessionId }) => sessionId));
      after = page.at(-1)?.cursor;
    } while (after);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  it("continues a search until a page has a result or the list ends", async () => {
    const server = await openServer();
    const ids = [await create(server)];
    const owner = { owner: "ann", actor: "test", interface: "library", trace_id: null } as const;
    const others = Array.from({ length: LIMITS.SEARCHED + 20 }, () =>
      server.service.call("create", { agent_name: "a" }, owner),
    );
    await Promise.all(others);
    await server.service.call("rename", { id: ids[0], title: "Needle" }, owner);
    const query = "query ($s: String) { agentSessions(search: $s) { sessionId cursor } }";
    const first = await askGraphql(server, query, { s: "needle" });
    expect(first.data.agentSessions).toEqual([{ sessionId: ids[0], cursor: null }]);
    const none = await askGraphql(server, query, { s: "nowhere" });
    expect([none.data.agentSessions, none.errors]).toEqual([[], []]);
  });

  it("treats null like a missing argument", async () => {
    const server = await openServer();
    const query =
      "query ($p: Phase, $l: Int) { agentSessions(phase: $p, limit: $l) { sessionId } }";
    const id = await create(server);
    const { data, errors } = await askGraphql(server, query, { p: null, l: null });
    expect([data.agentSessions, errors]).toEqual([[{ sessionId: id }], []]);
  });

  it("is answered in part if one field fails", async () => {
    const server = await openServer();
    const id = await create(server);
    const query = `{ good: agentSession(sessionId: "${id}") { sessionId }
      bad: agentSession(sessionId: "nobody-1") { sessionId } }`;
    const { status, data, errors } = await askGraphql(server, query);
    expect([status, data]).toEqual([200, { good: { sessionId: id }, bad: null }]);
    expect(errors).toMatchObject([{ code: "session_not_found", path: ["bad"] }]);
  });
});

describe("the caller", () => {
  it("needs a token, also for the schema", async () => {
    const server = await openServer();
    for (const query of ["{ __typename }", "{ __schema { types { name } } }", CREATE]) {
      for (const token of [null, "belay_nobody"]) {
        const { status, json } = await server.ask("POST", "/graphql", { token, body: { query } });
        expect([status, Object(json).error]).toEqual([401, "not_authenticated"]);
      }
    }
    const { data } = await askGraphql(server, "{ __schema { queryType { name } } }");
    expect(data).toEqual({ __schema: { queryType: { name: "Query" } } });
  });

  it("gets the same answer for another owner's session as for one that does not exist", async () => {
    const server = await openServer();
    const id = await create(server);
    const nobody = id.replace(/.{8}$/, "00000000");
    const { bob } = server.tokens;
    const answerTo = async (query: string, asked: string): Promise<string> => {
      const answer = await askGraphql(server, query, { id: asked }, bob.write);
      return JSON.stringify(answer).replaceAll(asked, "ID");
    };
    const queries = [
      ONE,
      "query ($id: ID!) { turns(sessionId: $id) { turns { input } } }",
      "query ($id: ID!) { log(sessionId: $id) { events { seq } } }",
      "mutation ($id: ID!) { cancel(sessionId: $id) { sessionId } }",
      'mutation ($id: ID!) { sendMessage(sessionId: $id, message: "x") { turnId } }',
    ];
    for (const query of queries) {
      expect(await answerTo(query, id)).toBe(await answerTo(query, nobody));
      expect(await answerTo(query, id)).toContain("session_not_found");
    }
    const { data } = await askGraphql(server, "{ agentSessions { sessionId } }", {}, bob.write);
    expect(data.agentSessions).toEqual([]);
    const mine = await askGraphql(server, ONE, { id });
    expect(mine.data.agentSession).toEqual({ sessionId: id });
  });

  it("may only do what its token allows", async () => {
    const server = await openServer();
    const { read, write, admin } = server.tokens.ann;
    const tokens = "{ listTokens { tokens { name } } }";
    expect((await askGraphql(server, CREATE, {}, read)).errors).toMatchObject([
      { code: "not_allowed", details: { scope: "read", needed: "record" } },
    ]);
    expect((await askGraphql(server, tokens, {}, write)).errors).toMatchObject([
      { code: "not_allowed", details: { scope: "write", needed: "admin" } },
    ]);
    expect((await askGraphql(server, tokens, {}, admin)).errors).toEqual([]);
    expect((await askGraphql(server, "{ agentSessions { sessionId } }", {}, read)).errors).toEqual(
      [],
    );
  });

  it("can only send JSON, by POST", async () => {
    const server = await openServer();
    const text = await server.ask("POST", "/graphql", {
      body: "query=%7B__typename%7D",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const got = await server.ask("GET", "/graphql?query=%7B__typename%7D");
    expect([text.status, got.status, got.headers.get("allow")]).toEqual([415, 405, "POST"]);
  });
});

describe("an error", () => {
  it("is written only to the log if it is unexpected", async () => {
    const server = await openServer({
      wrap: (store) => ({ ...store, list: () => Promise.reject(new Error("secret of the disk")) }),
    });
    const { data, errors } = await askGraphql(server, "{ agentSessions { sessionId } }");
    expect(data).toEqual({});
    expect(errors).toMatchObject([{ code: "internal", details: {} }]);
    expect(JSON.stringify(errors)).not.toContain("secret");
    expect(server.log()).toContain("secret of the disk");
  });

  it("of a rule has a code, a message and details", async () => {
    const server = await openServer();
    const id = await create(server);
    const { errors } = await askGraphql(
      server,
      `mutation { resumeSession(sessionId: "${id}") { sessionId } }`,
    );
    expect(errors).toMatchObject([{ code: "session_not_suspended", details: { session_id: id } }]);
    const observed = await askGraphql(
      server,
      "mutation { submitObservation(observation: {session_id: 7}) { entityId } }",
    );
    expect(observed.errors).toMatchObject([
      { code: "schema_validation_failed", details: { field: "session_id" } },
    ]);
  });
});
