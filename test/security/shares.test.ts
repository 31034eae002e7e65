import { beforeAll, describe, expect, it, vi } from "vitest";
import type { SessionRole } from "../../src/contract/vocabulary.ts";
import type { TestServer } from "../http/open-server.ts";
import { begin, fieldOf, openLive, read, recordOf } from "../http/streams/live-server.ts";
import { until } from "../http/until.ts";
import { MEASURED } from "../patience.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
const SECRET = "zebrafish";
const WITHIN_MS = 2000;

/** Ann shares with bob; nothing is shared with carl. */
let server: TestServer;
let carl: string;
beforeAll(async () => {
  server = await openLive({ shared: true });
  for (const name of ["bob", "carl"]) await server.service.call("add_person", { name }, ROOT);
  carl = (await server.makeToken("carl", "write")).token;
});

describe("a person with a shared session", () => {
  it(
    "follows it live on every stream, until two seconds after the share is removed",
    MEASURED,
    async () => {
      const id = await prepare("viewer");
      const path = `/sessions/${encodeURIComponent(`ann/${id}`)}/events`;
      const token = server.tokens.bob.read;
      const [log, feed] = [read(server, path, { token }), read(server, "/events", { token })];
      const own = read(server, `/sessions/${id}/events`);
      const others = read(server, "/events", { token: carl });
      await Promise.all([log, feed, own, others].map(({ opened }) => opened));
      expect([log.status, feed.status]).toEqual([200, 200]);
      await say(id, `${SECRET} before`);
      await until(() => [log, feed].every(({ text }) => text.includes(`${SECRET} before`)));
      const start = Date.now();
      await server.service.call("unshare", { id, with: "bob" }, ROOT);
      await log.closed;
      expect(Date.now() - start).toBeLessThan(WITHIN_MS);
      await say(id, `${SECRET} after`);
      await until(() => own.text.includes(`${SECRET} after`));
      // A later event shows that the feed has passed it.
      const last = await begin(server, server.tokens.bob.write);
      await until(() => feed.text.includes(last));
      expect(log.text + feed.text).not.toContain(`${SECRET} after`);
      expect(others.text).not.toContain(SECRET);
      expect((await server.ask("GET", path, { token })).status).toBe(404);
      for (const stream of [feed, own, others]) stream.cut();
    },
  );

  it(
    "loses access when the share expires, the person is disabled, or the session is deleted",
    MEASURED,
    async () => {
      const ends: readonly ((id: string) => Promise<unknown>)[] = [
        async () => {},
        (id) => server.service.call("delete", { id }, ROOT),
        () => server.service.call("disable_person", { name: "bob" }, ROOT),
      ];
      for (const [n, end] of ends.entries()) {
        const id = await begin(server);
        const soon = new Date(Date.now() + 1500).toISOString();
        const share = { id, with: "bob", ...(n === 0 && { until: soon }) };
        await server.service.call("share", share, ROOT);
        const path = `/sessions/${encodeURIComponent(`ann/${id}`)}/events`;
        const log = read(server, path, { token: server.tokens.bob.write });
        await log.opened;
        expect(log.status).toBe(200);
        const start = Date.now();
        await end(id);
        await log.closed;
        expect(Date.now() - start).toBeLessThan(WITHIN_MS + (n === 0 ? 1500 : 0));
      }
      await server.service.call("add_person", { name: "bob" }, ROOT);
    },
  );

  it("sends as an editor, gets the turn, and is named in the log", async () => {
    const id = await prepare("editor");
    const token = (await server.makeToken("bob", "write")).token;
    const path = `/sessions/${encodeURIComponent(`ann/${id}`)}/messages`;
    const sent = await server.ask("POST", path, { token, body: { message: "/say hello" } });
    expect([sent.status, sent.json]).toMatchObject([200, { session_id: `ann/${id}` }]);
    expect(fieldOf(sent, "content")).toContain("hello");
    const { events } = await server.service.call("log", { id, limit: 100 }, ROOT);
    const queued = events.find(({ type }) => type === "message.queued");
    expect(queued?.actor).toBe("person:bob");
    const query = `{ agentSession(sessionId: "ann/${id}") { sessionId history { output } } }`;
    const { text } = await server.ask("POST", "/graphql", { token, body: { query } });
    expect(text).toContain(`"sessionId":"ann/${id}"`);
    expect(text).toContain("hello");
  });

  it("gets answers and errors that name it OWNER/ID, and so does its fork", async () => {
    const id = await prepare("editor");
    const name = `ann/${id}`;
    const bob = (await server.makeToken("bob", "write")).token;
    const ask = (path: string, body: object) => server.ask("POST", path, { token: bob, body });
    const at = `/sessions/${encodeURIComponent(name)}`;
    const approval = { id, title: "Publish?" };
    const { approval_id } = await server.service.call("request_approval", approval, ROOT);
    const decided = await ask(`/approvals/${approval_id}`, { decision: "approved" });
    expect(decided.json).toMatchObject({ session_id: name });
    const resumed = await ask(`${at}/resume`, {});
    expect(resumed.json).toMatchObject({ session_id: name, agent_id: name });
    expect((await ask(`${at}/suspend`, {})).json).toMatchObject({ session_id: name });
    expect((await ask(`${at}/suspend`, {})).json).toMatchObject({
      message: `${name} is already suspended. Use POST ${at}/resume.`,
      details: { session_id: name },
    });
    const fork = await ask(`${at}/fork`, {});
    expect(fork.json).toMatchObject({ owner: "bob", parent_session_id: name });
  });

  it("changes nothing with a smaller role, a smaller token or another name", async () => {
    const id = await prepare("viewer");
    const bob = (await server.makeToken("bob", "write")).token;
    const reader = (await server.makeToken("bob", "read")).token;
    const recorder = (await server.makeToken("bob", "record")).token;
    const { entity_id } = await server.service.call("get", { id }, ROOT);
    const { version } = await server.service.call("get", { id }, ROOT);
    for (const name of [`ann/${id}`, entity_id]) {
      const at = `/sessions/${encodeURIComponent(name)}`;
      for (const [path, body] of [
        [`${at}/messages`, { message: "hello" }],
        [`${at}/interrupt`, {}],
        [`${at}/suspend`, {}],
        [`${at}/fork`, {}],
        [`${at}/shares`, { everyone: true, role: "editor" }],
        [`${at}/unshare`, { with: "bob" }],
      ] as const) {
        expect([path, (await server.ask("POST", path, { token: bob, body })).status]).toEqual([
          path,
          403,
        ]);
        expect((await server.ask("POST", path, { token: carl, body })).status).toBe(404);
        expect((await server.ask("POST", path, { token: reader, body })).status).toBe(403);
      }
      expect((await server.ask("DELETE", at, { token: bob })).status).toBe(403);
      expect((await server.ask("GET", at, { token: bob })).status).toBe(200);
      expect((await server.ask("GET", at, { token: recorder })).status).toBe(404);
      expect((await server.ask("GET", at, { token: carl })).status).toBe(404);
    }
    expect((await server.service.call("get", { id }, ROOT)).version).toBe(version);
  });

  it("is refused without waiting for a write, as a session that does not exist", async () => {
    const id = await begin(server);
    const { store } = server.runner.context;
    const get = async (name: string) =>
      (await server.ask("GET", `/sessions/${encodeURIComponent(name)}`, { token: carl })).status;
    // The first request records that the token was used.
    expect(await get("warm-up")).toBe(404);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const transact = store.transact.bind(store);
    const writes = vi.spyOn(store, "transact").mockImplementation(async (transaction) => {
      await isReleased;
      return transact(transaction);
    });
    const created = begin(server);
    await vi.waitFor(() => expect(writes).toHaveBeenCalled());
    expect([await get(`ann/${id}`), await get("ann/no-such-session")]).toEqual([404, 404]);
    release();
    await created;
    vi.restoreAllMocks();
    const { events } = await server.service.call("audit", { id, what: "refused" }, ROOT);
    expect(events).toMatchObject([{ type: "access.refused", data: { by: "carl" } }]);
  });

  it("is not found under the name of the person who reads it", async () => {
    const id = await prepare("viewer");
    const { entity_id } = await server.service.call("get", { id }, ROOT);
    const { token } = await server.makeToken("bob", "write");
    for (const [name, status] of [
      [`ann/${id}`, 200],
      [`ann/${entity_id}`, 200],
      [`bob/${entity_id}`, 404],
      [`bob/ann/${id}`, 404],
      [`carl/${entity_id}`, 404],
    ] as const) {
      const path = `/sessions/${encodeURIComponent(name)}`;
      expect([name, (await server.ask("GET", path, { token })).status]).toEqual([name, status]);
    }
  });

  it("reads its files as a viewer, and cannot add or remove any", async () => {
    const id = await prepare("viewer");
    const bob = (await server.makeToken("bob", "write")).token;
    const headers = { "content-type": "application/octet-stream" };
    const added = await server.ask("POST", `/sessions/${id}/files?name=f`, {
      headers,
      body: SECRET,
    });
    const digest = fieldOf(added, "digest");
    const at = `/sessions/${encodeURIComponent(`ann/${id}`)}/files`;
    const one = `${at}/${digest}`;
    expect((await server.ask("GET", one, { token: bob })).text).toBe(SECRET);
    expect((await server.ask("GET", one, { token: carl })).status).toBe(404);
    expect((await server.ask("DELETE", one, { token: bob })).status).toBe(403);
    const put = { token: bob, headers, body: SECRET };
    expect((await server.ask("POST", `${at}?name=g`, put)).status).toBe(403);
  });

  it("answers once as an approver: a repeated request gets the same answer, another one the reason", async () => {
    const id = await prepare("approver");
    const bob = (await server.makeToken("bob", "write")).token;
    const asked = { id, title: "Publish?" };
    const { approval_id } = await server.service.call("request_approval", asked, ROOT);
    const answer = (decision: string, key: string) =>
      server.ask("POST", `/approvals/${approval_id}`, {
        token: bob,
        body: { decision, idempotency_key: key },
      });
    const first = await answer("approved", "key-1");
    expect(first.status).toBe(200);
    const again = await answer("approved", "key-1");
    expect([again.status, again.json]).toEqual([200, first.json]);
    const late = await answer("rejected", "key-2");
    expect([late.status, late.json]).toMatchObject([409, { error: "approval_closed" }]);
  });

  it("answers no question about a merge with a session that is not shared, and is told why", async () => {
    const { service } = server;
    const id = await prepare("approver");
    const bob = (await server.makeToken("bob", "write")).token;
    const fork = (await service.call("fork", { id }, ROOT)).session_id;
    await service.call("update", { id, metadata: { color: "red" } }, ROOT);
    await service.call("update", { id: fork, metadata: { color: "blue" } }, ROOT);
    const { merge } = await service.call("merge", { id: fork, rule: "ask" }, ROOT);
    const answer = { token: bob, body: { decision: "approved" } };
    const { status, json } = await server.ask("POST", `/approvals/${merge.approval_id}`, answer);
    expect([status, json]).toMatchObject([403, { error: "not_allowed" }]);
    expect(recordOf(json).message).toContain("Only ann may answer a question about a merge");
    expect((await service.call("get", { id }, ROOT)).metadata).toMatchObject({ color: "red" });
  });

  it("cannot reach other sessions, tasks or approvals of its owner", async () => {
    const id = await prepare("editor");
    const other = await begin(server);
    const bob = (await server.makeToken("bob", "write")).token;
    const asked = { id: other, title: SECRET };
    const { approval_id } = await server.service.call("request_approval", asked, ROOT);
    const answer = { token: bob, body: { decision: "approved" } };
    expect((await server.ask("POST", `/approvals/${approval_id}`, answer)).status).toBe(404);
    const { task_id } = await server.service.call("get", { id }, ROOT);
    for (const path of [
      `/sessions/${encodeURIComponent(`ann/${other}`)}`,
      `/tasks`,
      `/timeline?entity_id=${task_id}`,
      `/timeline?entity_id=${encodeURIComponent(`ann/${other}`)}`,
      "/stats",
      "/audit",
      "/next",
    ]) {
      const { text } = await server.ask("GET", path, { token: bob });
      expect([path, text.includes(SECRET)]).toEqual([path, false]);
      expect([path, text.includes(other)]).toEqual([path, path.includes(other)]);
    }
    const { json } = await server.ask("GET", "/sessions?limit=100", { token: bob });
    expect(JSON.stringify(recordOf(json).sessions)).not.toContain(other);
  });
});

async function prepare(role: SessionRole): Promise<string> {
  const id = await begin(server);
  await server.service.call("share", { id, with: "bob", role }, ROOT);
  return id;
}

async function say(id: string, text: string): Promise<void> {
  await server.service.call("record_turn", { id, input: text, output: text }, ROOT);
}
