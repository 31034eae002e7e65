import { beforeAll, expect, it } from "vitest";
import type { TestServer } from "../http/open-server.ts";
import { begin, fieldOf, openLive } from "../http/streams/live-server.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
const SECRET = "zebrafish";

/** Ann merges a private fork into a session, and shares only that session with bob, who forks it before and after the merge. */
let server: TestServer;
let shared: string;
let file: string;
const forks = { bob: { before: "", after: "" }, ann: { before: "", after: "" } };

beforeAll(async () => {
  server = await openLive({ shared: true });
  const { service } = server;
  await service.call("add_person", { name: "bob" }, ROOT);
  shared = await begin(server);
  await service.call("share", { id: shared, with: "bob", role: "editor" }, ROOT);
  const fork = async (): Promise<void> => {
    const when = forks.bob.before === "" ? "before" : "after";
    const named = `/sessions/ann%2F${shared}/fork`;
    const bobs = await server.ask("POST", named, { token: server.tokens.bob.write, body: {} });
    forks.bob[when] = fieldOf(bobs, "session_id");
    forks.ann[when] = (await service.call("fork", { id: shared }, ROOT)).session_id;
  };
  await fork();
  const { session_id: id } = await service.call("fork", { id: shared }, ROOT);
  await service.call("record_turn", { id, input: SECRET, output: SECRET }, ROOT);
  await service.call("save_checkpoint", { id, name: "green", state: { SECRET } }, ROOT);
  file = await upload(id);
  await service.call("merge", { id }, ROOT);
  await fork();
});

/** Ways to read what a merge brought, in the session and in forks of it. */
function waysOf(session: string, { before, after }: { before: string; after: string }) {
  const query = `{ agentSession(sessionId: "${session}") { history { output } } }`;
  const inEach = [session, after].flatMap(
    (id) =>
      [
        ["GET", `/history?session_id=${id}`],
        ["GET", `/sessions/${id}/checkpoints/green`],
        ["GET", `/sessions/${id}/files/${file}`],
      ] as const,
  );
  return [
    ...inEach,
    ["POST", "/graphql", { query }],
    ["GET", `/sessions/${after}/compare?with=${before}`],
    ["POST", `/sessions/${after}/handoff`, { to: "demo", dry_run: true }],
    ["POST", `/sessions/${after}/checkpoints/green/restore`, {}],
    ["GET", "/next"],
  ] as const;
}

it("a merged session that is not shared is shown to nobody else, also not through their own forks", async () => {
  for (const [method, path, body] of waysOf(`ann/${shared}`, forks.bob)) {
    const asked = path.replace("ann/", "ann%2F");
    const { text } = await server.ask(method, asked, { token: server.tokens.bob.write, body });
    expect([method, path, text.includes(SECRET)]).toEqual([method, path, false]);
  }
});

it("its owner sees it in all of these ways", async () => {
  for (const [method, path, body] of waysOf(shared, forks.ann)) {
    const { text } = await server.ask(method, path, { body });
    expect([method, path, text.includes(SECRET)]).toEqual([method, path, true]);
  }
});

it("the state that a suspension saves in the shared session does not contain it either", async () => {
  const { checkpoint_id } = await server.service.call("suspend", { id: shared }, ROOT);
  for (const path of [
    `/sessions/ann%2F${shared}/checkpoints/${checkpoint_id}`,
    `/sessions/ann%2F${shared}/export`,
    `/history?session_id=ann%2F${shared}`,
  ]) {
    const { status, text } = await server.ask("GET", path, { token: server.tokens.bob.write });
    expect([path, status, text.includes(SECRET)]).toEqual([path, 200, false]);
    expect(text).toContain("as_of_seq");
  }
});

async function upload(id: string): Promise<string> {
  const response = await fetch(`${server.url}/sessions/${id}/files?name=notes`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.tokens.ann.write}`,
      "content-type": "application/octet-stream",
    },
    body: SECRET,
  });
  return fieldOf({ json: await response.json() }, "digest");
}
