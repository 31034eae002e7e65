import { describe, expect, it } from "vitest";
import { openServer } from "../http/open-server.ts";
import { askGraphql } from "./ask-graphql.ts";

describe("a query", () => {
  it("shows a session, as the service does", async () => {
    const server = await openServer();
    const created = await askGraphql(
      server,
      `mutation ($m: JSON) { createAgentSession(agentName: "elsewhere", metadata: $m) { sessionId interface state metadata } }`,
      { m: { a: { b: [1, null] } } },
    );
    expect(created).toMatchObject({ status: 200, errors: [] });
    expect(created.data.createAgentSession).toMatchObject({
      interface: "graphql",
      state: "CREATED",
      metadata: { a: { b: [1, null] } },
    });
    console.log(JSON.stringify(await askGraphql(server, `{ agentSessions { sessionId history { turnId } task { title } checkpoints { name } artifacts { name } } }`)));
    console.log(JSON.stringify(await askGraphql(server, `{ agentSession(sessionId: "nobody") { sessionId } }`)));
    console.log(JSON.stringify(await askGraphql(server, `{ agentSession(sessionId: 5) { sessionId } foo }`)));
    console.log(JSON.stringify(await askGraphql(server, `query($l: Int) { agentSessions(limit: $l) { sessionId } }`, {l: "x"})));
    console.log(JSON.stringify(await askGraphql(server, `query($l: ID = "a") { agentSession(sessionId: $l) { sessionId } }`, {l: null})));
    console.log(JSON.stringify(await askGraphql(server, `subscription { agentSessionEvents(sessionId: "x") { type } }`)));
    console.log(JSON.stringify(await server.ask("POST", "/graphql", {body: [{query: "{__typename}"}]})));
  });
});
