import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TestServer } from "../http/open-server.ts";
import { begin, fieldOf, makeHome, openLive, read } from "../http/streams/live-server.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

describe("a person who is disabled", () => {
  it("loses streams, tokens and links within two seconds, and cannot log in again", async () => {
    const server = await openPeople();
    const bob = server.tokens.bob.write;
    const session = await begin(server, bob);
    const streams = ["/events", `/sessions/${session}/events`].map((path) =>
      read(server, path, { token: bob }),
    );
    const anns = read(server, "/events", { token: server.tokens.ann.write });
    await Promise.all([...streams, anns].map(({ opened }) => opened));
    const link = await server.ask("POST", "/login/links", {
      token: server.tokens.ann.admin,
      body: { person: "bob" },
    });
    const before = Date.now();
    const disabled = await server.ask("POST", "/people/bob/disable", {
      token: server.tokens.ann.admin,
    });
    expect(disabled.status).toBe(200);
    await Promise.all(streams.map(({ closed }) => closed));
    expect(Date.now() - before).toBeLessThan(2000);
    expect(await Promise.race([anns.closed, "open"])).toBe("open");
    anns.cut();
    for (const scope of ["read", "record", "write", "admin"] as const) {
      const { status } = await server.ask("GET", "/sessions", { token: server.tokens.bob[scope] });
      expect([scope, status]).toEqual([scope, 401]);
    }
    const [, code] = fieldOf(link, "path").split("#");
    expect((await server.ask("POST", "/login", { token: null, body: { code } })).status).toBe(401);
    await server.ask("POST", "/people", {
      token: server.tokens.ann.admin,
      body: { name: "bob" },
    });
    expect((await server.ask("GET", "/sessions", { token: bob })).status).toBe(401);
    // The list of tokens does not call one valid that never works again.
    await server.makeToken("bob", "read");
    const { tokens } = await server.service.call("list_tokens", {}, ROOT);
    const states = tokens.filter(({ owner }) => owner === "bob").map((one) => one.revoked_at);
    expect(states.filter((revoked_at) => revoked_at === null)).toHaveLength(1);
    expect(states).toContain(fieldOf(disabled, "disabled_at"));
  });

  it("is called disabled if an admin shares a session with them; nobody else learns that they exist", async () => {
    const server = await openPeople();
    await server.service.call("add_person", { name: "carl" }, ROOT);
    await server.service.call("disable_person", { name: "carl" }, ROOT);
    const share = async (token: string) => {
      const id = await begin(server, token);
      return server.ask("POST", `/sessions/${id}/shares`, { token, body: { with: "carl" } });
    };
    expect(await share(server.tokens.ann.admin)).toMatchObject({
      status: 403,
      json: { error: "not_allowed", message: expect.stringContaining("carl is disabled") },
    });
    expect(await share(server.tokens.bob.write)).toMatchObject({
      status: 404,
      json: { error: "person_not_found" },
    });
  });

  it("can be unshared only by those who have shared a session with them, or by an admin", async () => {
    const server = await openPeople();
    await server.service.call("add_person", { name: "carl" }, ROOT);
    const token = server.tokens.bob.write;
    const id = await begin(server, token);
    const shared = await begin(server, token);
    const ask = (what: string, by: string, to: string, name = "carl") =>
      server.ask("POST", `/sessions/${to}/${what}`, { token: by, body: { with: name } });
    expect((await ask("shares", token, shared)).status).toBe(200);
    await server.service.call("disable_person", { name: "carl" }, ROOT);
    const refused = await ask("unshare", token, id);
    const unknown = await ask("unshare", token, id, "nobody");
    expect([refused.status, refused.text]).toEqual([
      404,
      unknown.text.replaceAll("nobody", "carl"),
    ]);
    expect((await ask("unshare", token, shared)).json).toMatchObject({ shares: [] });
    const anns = await begin(server);
    expect((await ask("unshare", server.tokens.ann.admin, anns)).status).toBe(200);
  });
});

describe("a member", () => {
  it("cannot make admins, invite people or name programs, with any token", async () => {
    const server = await openPeople();
    const token = server.tokens.bob.admin;
    for (const [path, body] of [
      ["/people", { name: "bob", role: "admin" }],
      ["/people/ann/disable", {}],
      ["/login/links", { person: "ann" }],
      ["/login/links", {}],
      ["/tokens", { name: "mine", scope: "admin" }],
      ["/webhooks", { url: "http://127.0.0.1:9/", on: ["session.failed"], allow_private: true }],
    ] as const) {
      const { status, json } = await server.ask("POST", path, { token, body });
      expect([path, status, json]).toMatchObject([path, 403, { error: "not_allowed" }]);
    }
  });

  it("cannot start an agent without isolation, because it would run as the server's user; an admin can", async () => {
    const server = await openPeople();
    for (const token of [server.tokens.bob.write, server.tokens.bob.admin]) {
      const id = await begin(server, token);
      for (const path of [`/sessions/${id}/messages`]) {
        const refused = await server.ask("POST", path, { token, body: { message: "hello" } });
        expect([refused.status, refused.json]).toMatchObject([403, { error: "agent_not_trusted" }]);
      }
      const { events } = await server.service.call("log", { id }, { ...ROOT, owner: "bob" });
      expect(events.map(({ type }) => type)).toEqual(["session.created"]);
    }
    const own = await begin(server);
    const sent = await server.ask("POST", `/sessions/${own}/messages`, {
      body: { message: "hello" },
    });
    expect(sent.status).toBe(200);
  });

  it("leaves no session behind if the first message is refused", async () => {
    const server = await openPeople();
    const token = server.tokens.bob.write;
    const body = { agent_name: "agent", initial_message: "hello" };
    const refused = await server.ask("POST", "/sessions", { token, body });
    expect([refused.status, refused.json]).toMatchObject([403, { error: "agent_not_trusted" }]);
    const query =
      'mutation { createAgentSession(agentName: "agent", initialMessage: "hello") { sessionId } }';
    const mutated = await server.ask("POST", "/graphql", { token, body: { query } });
    expect(mutated.text).toContain("agent_not_trusted");
    const bob = { ...ROOT, owner: "bob" };
    await expect(server.runner.converse(bob, { agent: "agent" })).rejects.toMatchObject({
      code: "agent_not_trusted",
    });
    const source = await begin(server, token);
    await server.service.call("record_turn", { id: source, input: "hi", output: "hello" }, bob);
    await expect(
      server.service.call("replay", { id: source, agent: "agent" }, bob),
    ).rejects.toMatchObject({ code: "agent_not_trusted" });
    const { sessions } = await server.service.call("list", {}, bob);
    expect(sessions.map(({ session_id }) => session_id)).toEqual([source]);
  });
});

describe("the folders of the server's machine", () => {
  /** The answers of a caller about one folder. */
  const askAbout = async (server: TestServer, token: string, cwd: string): Promise<string> => {
    const project = { cwd, repo: null, branch: null };
    const statuses = ["demo", "elsewhere"].map(async (agent_name) => {
      const body = { agent_name, project };
      const { status, json } = await server.ask("POST", "/sessions", { token, body });
      if (status !== 201) return status;
      const id = fieldOf({ json }, "session_id");
      const plan = await server.ask("GET", `/sessions/${id}/resume-plan`, { token });
      const to = { body: { to: "private" }, token };
      const handoff = await server.ask("POST", `/sessions/${id}/handoff`, to);
      return [status, plan.text.replace(id, "ID"), handoff.status, fieldOf(handoff, "error")];
    });
    const first = { agent_name: "private", project, initial_message: "hello" };
    const begun = await server.ask("POST", "/sessions", { token, body: first });
    const query = new URLSearchParams({ cwd });
    const { text } = await server.ask("GET", `/agents?${query}`, { token });
    return JSON.stringify([
      await Promise.all(statuses),
      text,
      begun.status,
      fieldOf(begun, "error"),
    ]);
  };

  it("are nothing that a member learns about, unlike an admin", async () => {
    const server = await openPeople();
    const folder = mkdtempSync(join(tmpdir(), "belay-anns-"));
    mkdirSync(join(folder, ".belay"));
    const agents = { private: { command: "/opt/run", args: ["--token", "CANARY"] } };
    writeFileSync(join(folder, ".belay", "agents.json"), JSON.stringify({ agents }));
    const missing = `${folder}-missing`;
    for (const scope of ["read", "record", "write", "admin"] as const) {
      const token = server.tokens.bob[scope];
      const [seen, unseen] = [
        await askAbout(server, token, folder),
        await askAbout(server, token, missing),
      ];
      expect([scope, seen]).toEqual([scope, unseen]);
      expect(seen).not.toContain("CANARY");
    }
    const token = server.tokens.ann.write;
    expect(await askAbout(server, token, folder)).toContain("CANARY");
    expect(await askAbout(server, token, missing)).toContain("400");
    const query = new URLSearchParams({ cwd: folder });
    for (const [scope, isShown] of [
      ["read", false],
      ["record", false],
      ["write", true],
      ["admin", true],
    ] as const) {
      const asked = { token: server.tokens.ann[scope] };
      const { status, text } = await server.ask("GET", `/agents?${query}`, asked);
      expect([scope, status, text.includes("CANARY")]).toEqual([scope, 200, isShown]);
    }
    rmSync(folder, { recursive: true });
  });
});

describe("a login link for another person", () => {
  it("is created by an admin for an existing person, and recorded", async () => {
    const server = await openPeople();
    const ask = (person: string, token: string) =>
      server.ask("POST", "/login/links", { token, body: { person } });
    const { ann } = server.tokens;
    expect((await ask("zoe", ann.admin)).json).toMatchObject({ error: "person_not_found" });
    expect((await ask("../ann", ann.admin)).json).toMatchObject({ error: "invalid_input" });
    const old = (await server.makeToken("old", "admin")).token;
    expect((await ask("bob", old)).json).toMatchObject({ error: "not_allowed" });
    const path = fieldOf(await ask("bob", ann.admin), "path");
    const login = await server.ask("POST", "/login", {
      token: null,
      body: { code: path.split("#")[1] },
    });
    expect(login.json).toMatchObject({ owner: "bob", scope: "write" });
    const { events } = await server.service.call("audit", {}, { ...ROOT, owner: "bob" });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "person.invited", actor: "person:ann" }),
    );
  });
});

/** Ann is an admin and bob a member, both on record. */
async function openPeople(): Promise<TestServer> {
  const server = await openLive({ home: makeHome() });
  await server.service.call("add_person", { name: "bob" }, ROOT);
  return server;
}
