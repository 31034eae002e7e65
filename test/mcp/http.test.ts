import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpDoor } from "../../src/doors/mcp/mcp-door.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import type { McpLab } from "./mcp-lab.ts";
import { bearer, call, openLab } from "./mcp-lab.ts";

let lab: McpLab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const LEGACY = { way: "http", mode: "legacy" } as const;
const MODERN = { way: "http", mode: "auto" } as const;

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw-client", version: "1" },
  },
};
const listTools = { jsonrpc: "2.0", id: 2, method: "tools/list" };

async function send(
  body: object | null,
  { token = "ann", session = "", method = "POST", headers = {} } = {},
) {
  const response = await fetch(lab.url, {
    method,
    headers: {
      authorization: bearer(token),
      accept: "application/json, text/event-stream",
      ...(body && { "content-type": "application/json" }),
      ...(session && { "mcp-session-id": session }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function openSession(token: string): Promise<string> {
  const { status, headers } = await send(initialize, { token });
  expect(status).toBe(200);
  const id = headers.get("mcp-session-id") ?? "";
  expect(id).toMatch(/^[\x21-\x7e]{40,}$/);
  return id;
}

describe("100 clients at once", () => {
  it("get only their own replies, although their requests have equal ids", async () => {
    const owners = Array.from({ length: 100 }, (_, at) => `owner${at}`);
    const answers = await Promise.all(
      owners.map(async (owner, at) => {
        const client = await lab.connect(at % 2 ? LEGACY : MODERN, { token: owner });
        const args = { agent_name: "nine", session_id: "same-id", title: owner };
        const created = await call(client, "create_session", args);
        const listed = await call(client, "query_agent_history", {});
        const found = await call(client, "get_session", { id: "same-id" });
        return { created: created.value, listed: listed.value, found: found.value };
      }),
    );
    for (const [at, { created, listed, found }] of answers.entries()) {
      expect([created.owner, created.title]).toEqual([owners[at], owners[at]]);
      expect(found.entity_id).toBe(created.entity_id);
      expect(listed.map(({ entity_id }: { entity_id: string }) => entity_id)).toEqual([
        created.entity_id,
      ]);
    }
  });
});

describe("a session of an older protocol", () => {
  it("serves its client, under the client's first name", async () => {
    const session = await openSession("ann");
    const { status } = await send(listTools, { session });
    expect(status).toBe(200);
    const create = { name: "create_session", arguments: { agent_name: "x", session_id: "by-raw" } };
    const made = { jsonrpc: "2.0", id: 3, method: "tools/call", params: create };
    await send(made, { session });
    const { events } = await lab.service.call("log", { id: "by-raw" }, lab.caller);
    expect(events[0]).toMatchObject({ actor: "raw-client", interface: "mcp" });
  });

  it("does not exist for another owner or token, or if it was altered", async () => {
    const session = await openSession("ann");
    const [nonce, , seal] = session.split(".");
    const renamed = [nonce, Buffer.from("root").toString("base64url"), seal].join(".");
    const unknown = await send(listTools, { session: "no-such-session" });
    expect(unknown.status).toBe(404);
    for (const tried of [
      { token: "bob", session },
      { token: "ann/other", session },
      { token: "ann", session: renamed },
      { token: "ann", session: `${session}.` },
      { token: "ann", session: await openSession("bob") },
    ]) {
      const answer = await send(listTools, tried);
      expect([answer.status, answer.text]).toEqual([unknown.status, unknown.text]);
      for (const method of ["GET", "DELETE"]) {
        expect((await send(null, { ...tried, method })).status).toBe(404);
      }
    }
  });

  it("has no resumable stream, and ends only with its token", async () => {
    const session = await openSession("ann");
    const headers = { "last-event-id": "1", accept: "text/event-stream" };
    expect((await send(null, { session, method: "GET", headers })).status).toBe(405);
    expect((await send(null, { session, method: "DELETE" })).status).toBe(405);
    expect((await send(listTools, { session })).status).toBe(200);
  });

  it("is optional", async () => {
    const { status, text } = await send(listTools);
    expect(status).toBe(200);
    expect(text).toContain("query_agent_history");
  });
});

describe("a session of an older protocol, after a restart of the server", () => {
  it("continues", async () => {
    const session = await openSession("ann");
    const other = await openLab();
    try {
      const response = await fetch(other.url, {
        method: "POST",
        headers: {
          authorization: bearer("ann"),
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-session-id": session,
        },
        body: JSON.stringify(listTools),
      });
      expect(response.status).toBe(200);
      await response.text();
    } finally {
      await other.close();
    }
  });
});

describe("a token that may only read", () => {
  it.each([LEGACY, MODERN])(
    "sees every tool, and cannot call those that write ($mode)",
    async (way) => {
      const client = await lab.connect(way, { token: "ann/looker/read" });
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(Object.keys(TOOLS).length);
      const refused = await call(client, "create_session", { agent_name: "nine" });
      expect(refused).toMatchObject({
        isError: true,
        value: { error: "not_allowed", details: { scope: "read", needed: "record" } },
      });
      const submitted = await call(client, "submit_agent_session", {});
      expect(submitted.value.error).toBe("not_allowed");
      expect((await call(client, "list_sessions", {})).isError).toBe(false);
    },
  );
});

describe("the door", () => {
  it("shows no data of another owner, also in resources", async () => {
    const create = { agent_name: "nine", session_id: "ann-only" };
    const { entity_id } = await lab.service.call("create", create, lab.caller);
    const bob = await lab.connect(MODERN, { token: "bob" });
    const absent = await call(bob, "get_session", { id: "absent-1" });
    for (const id of ["ann-only", entity_id]) {
      const { text } = await call(bob, "get_session", { id });
      expect(text.replaceAll(id, "ID")).toBe(absent.text.replaceAll("absent-1", "ID"));
      const uri = `belay://sessions/${id}`;
      await expect(bob.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    }
    expect((await bob.listResources()).resources).toEqual([]);
  });

  it("opens no stream for notifications, because there are none", async () => {
    const params = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
      notifications: {},
    };
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
    const { text } = await send(listen, {
      headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
    });
    expect(text).toContain("Subscription limit reached");
  });

  it.each([
    ["nothing", null, 400],
    ["no message", { hello: 1 }, 400],
    ["an unknown method", { jsonrpc: "2.0", id: 1, method: "no/such" }, 200],
  ])("answers %s with an error", async (_, body, expected) => {
    const { status, text } = await send(body, {
      headers: { "content-type": "application/json" },
    });
    expect(status).toBe(expected);
    expect(text).toMatch(/"error":\{"code":-32\d{3}/);
  });

  it("accepts no requests after it is closed, and ends after open requests", async () => {
    const other = await openLab();
    try {
      const client = await other.connect(LEGACY);
      const calls = Array.from({ length: 20 }, (_, at) =>
        call(client, "create_session", { agent_name: "nine", session_id: `closing-${at}` }).then(
          () => "done",
          () => "refused",
        ),
      );
      await Promise.race(calls);
      await other.door.close();
      const outcomes = await Promise.all(calls);
      const { sessions } = await other.service.call("list", {}, other.caller);
      expect(sessions).toHaveLength(outcomes.filter((outcome) => outcome === "done").length);
      await expect(call(client, "list_sessions", {})).rejects.toMatchObject({ status: 503 });
    } finally {
      await other.close();
    }
  });

  it("closes at once without open requests", async () => {
    const door = createMcpDoor(lab.service, "0");
    await expect(door.close()).resolves.toBeUndefined();
  });
});
