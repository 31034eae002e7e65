import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { openBelay } from "../../src/index.ts";
import { createToken } from "../../src/server/operations/token-operations.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { openServer, type TestServer } from "../http/open-server.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
const CANARY = "canary-of-the-audit";

let server: TestServer;
let bob: string;
let session: string;
beforeAll(async () => {
  server = await openServer({ shared: true });
  for (const name of ["bob", "carl"]) await server.service.call("add_person", { name }, ANN);
  bob = (await server.makeToken("bob", "write")).token;
  session = (await server.service.call("create", { agent_name: "elsewhere" }, ANN)).session_id;
  await server.service.call("rename", { id: session, title: CANARY }, ANN);
});

it("a shared session that is read by a prefix of its id is recorded as seen", async () => {
  const server = await openServer();
  const { service } = server;
  await service.call("add_person", { name: "bob" }, ANN);
  const { token } = await server.makeToken("bob", "write");
  const routes = ["", "/events", "/export", "/artifacts", "/checkpoints"];
  for (const [n, route] of routes.entries()) {
    const id = `prefixed-${n}-abcdef`;
    await service.call("create", { agent_name: "a", session_id: id }, ANN);
    await service.call("share", { id, with: "bob" }, ANN);
    const path = `/sessions/${encodeURIComponent(`ann/prefixed-${n}-`)}`;
    expect((await server.ask("GET", `${path}${route}`, { token })).status).toBe(200);
    const { events } = await service.call("audit", { id, what: "saw" }, ANN);
    expect([route, ...events.map(({ actor }) => actor)]).toEqual([route, "person:bob"]);
    // A prefix names the session in commands too, and the role decides.
    const renamed = await server.ask("POST", `${path}/rename`, { token, body: { title: "x" } });
    expect(renamed.json).toMatchObject({ error: "not_allowed" });
  }
  const ambiguous = `/sessions/${encodeURIComponent("ann/prefixed-")}`;
  expect((await server.ask("GET", ambiguous, { token })).json).toMatchObject({
    error: "ambiguous_id",
  });
});

describe("the audit", () => {
  it("records who saw a shared session, once an hour, and who was refused", async () => {
    await server.service.call("share", { id: session, with: "bob" }, ANN);
    const path = `/sessions/${encodeURIComponent(`ann/${session}`)}`;
    for (let n = 0; n < 3; n += 1) await server.ask("GET", path, { token: bob });
    await server.ask("GET", `${path}/events`, { token: bob });
    expect((await server.ask("POST", `${path}/cancel`, { token: bob })).status).toBe(403);
    const carl = (await server.makeToken("carl", "write")).token;
    expect((await server.ask("GET", path, { token: carl })).status).toBe(404);
    const entries = await auditOf("ann", "read", `?id=${session}`);
    const told = entries.filter(({ kind }) => kind === "system");
    expect(told.map(({ type, actor, data }) => [type, actor, data.operation])).toEqual([
      ["session.seen", "person:bob", undefined],
      ["access.refused", "person:bob", "cancel"],
      ["access.refused", "person:carl", "get"],
    ]);
  });

  it("records people who only listen to the feed", async () => {
    const { session_id: id } = await server.service.call("create", { agent_name: "a" }, ANN);
    await server.service.call("share", { id, with: "bob" }, ANN);
    await server.ask("GET", "/events?limit=1000", { token: bob });
    const types = (await auditOf("ann", "read", `?id=${id}`)).map(({ type }) => type);
    expect(types).toContain("session.seen");
  });

  it("records insufficient tokens in a log that only admins of tokens can read", async () => {
    const { read, admin } = server.tokens.ann;
    expect((await server.ask("POST", "/sessions", { token: read, body: {} })).status).toBe(403);
    const own = (await auditOf("ann", "admin")).filter(({ type }) => type === "access.refused");
    expect(own.map(({ data }) => data.operation)).toContain("POST /sessions");
    const url = `http://127.0.0.1:9/${CANARY}-hook`;
    const body = { url, on: ["session.failed"], allow_private: true };
    expect((await server.ask("POST", "/webhooks", { token: admin, body })).status).toBe(201);
    for (const scope of ["read", "record", "write"] as const) {
      const entries = JSON.stringify(await auditOf("ann", scope));
      expect(entries).not.toContain(`${CANARY}-hook`);
      expect(entries).not.toMatch(/token\.created|person\.added|webhook\.added|server\./);
    }
    expect(JSON.stringify(await auditOf("ann", "admin"))).toContain(`${CANARY}-hook`);
  });

  it("of everyone is for admins of the server, and contains no text of other people's sessions", async () => {
    await server.service.call("add_person", { name: "ann", role: "admin" }, ANN);
    await server.service.call(
      "create",
      { agent_name: "elsewhere", title: `${CANARY}-bobs` },
      { ...ANN, owner: "bob" },
    );
    const everyone = "?everyone=true&limit=10000";
    for (const token of [bob, server.tokens.bob.admin, server.tokens.ann.write]) {
      const asked = await server.ask("GET", `/audit${everyone}`, { token });
      expect([asked.status, asked.json]).toMatchObject([403, { error: "not_allowed" }]);
      const exported = await server.ask("GET", "/audit/export?everyone=true", { token });
      expect(exported.status).toBe(403);
    }
    const { text } = await server.ask("GET", `/audit${everyone}`, {
      token: server.tokens.ann.admin,
    });
    expect(text).toContain('"owner":"bob"');
    expect(text).toContain('"operation":"GET /audit/export"');
    expect(text).toContain("token.created");
    expect(text).not.toContain(`${CANARY}-bobs`);
    expect(text).not.toContain('"digest"');
  });

  it("of everyone can be read by an admin in a browser, and not by a program with the same scope", async () => {
    await server.service.call("add_person", { name: "ann", role: "admin" }, ANN);
    const makeLogin = async (owner: string, browser: boolean): Promise<string> => {
      const input = { name: "browser", scope: "write", owner } as const;
      return (await createToken(server.runner.context, input, { ...ANN, owner }, browser)).token;
    };
    const paths = [
      "/audit?everyone=true",
      "/audit/export?everyone=true",
      "/audit/check?everyone=true",
    ];
    const statuses = async (token: string): Promise<number[]> =>
      Promise.all(paths.map(async (path) => (await server.ask("GET", path, { token })).status));
    expect(await statuses(await makeLogin("ann", true))).toEqual([200, 200, 200]);
    expect(await statuses(await makeLogin("ann", false))).toEqual([403, 403, 403]);
    expect(await statuses(await makeLogin("bob", true))).toEqual([403, 403, 403]);
  });

  it("is checked as a whole, and exported by person and kind", async () => {
    const token = server.tokens.ann.admin;
    const { json } = await server.ask("GET", "/audit/check", { token });
    const entries = (await exportOf("cef", token)).length;
    expect(json).toMatchObject({ entries, until: expect.stringMatching(/^20/) });
    const refused = await exportOf("cef&what=refused&person=bob", token);
    expect(refused.length).toBeGreaterThan(0);
    for (const line of refused) expect(line).toContain("suser=person:bob");
    const odd = await server.ask("GET", "/audit/check?what=saw", { token });
    expect(odd.status).toBe(400);
  });

  it("is exported with the hashes of its logs, as NDJSON and as CEF, one entry per line", async () => {
    await server.service.call("rename", { id: session, title: `a|b=c\\d\n${CANARY}` }, ANN);
    const ndjson = await exportOf("ndjson", server.tokens.ann.admin);
    const lines = ndjson.map((line) => JSON.parse(line));
    const ends = lines.filter(({ chain }) => chain !== undefined);
    expect(ends.length).toBeGreaterThan(2);
    for (const { chain } of ends) {
      const last = lines.findLast(({ stream }) => stream === chain.stream);
      expect([last.seq, last.hash]).toEqual([chain.seq, chain.hash]);
    }
    const cef = await exportOf("cef", server.tokens.ann.admin);
    expect(cef.length).toBe(lines.length - ends.length);
    for (const line of cef)
      expect(line).toMatch(/^CEF:0\|Belay\|belay\|[^|]+\|[a-z._]+\|[a-z._]+\|\d\|rt=\d+ /);
    expect(cef.join("\n")).toContain("a|b\\=c\\\\\\\\d\\\\n");
    // A recorder exports what it recorded, which is nothing here.
    expect(await exportOf("ndjson", server.tokens.ann.record)).toEqual([]);
  });
});

describe("an exported audit that was kept elsewhere", () => {
  it("shows only what was changed or removed in the store since", async () => {
    const home = mkdtempSync(join(tmpdir(), "belay-audit-"));
    const forged = `${home}-forged`;
    const belay = await openBelay({ home });
    const { session_id: id, entity_id } = await belay.sessions.create({ agent_name: "a" });
    await belay.close();
    cpSync(home, forged, { recursive: true });
    await runInProcess(home, ["rename", id, "as it was"], true);
    const copy = join(home, "copy.ndjson");
    const made = await runInProcess(home, ["audit", "--format", "ndjson", "--out", copy], false);
    expect(made.code).toBe(0);
    const check = (folder: string) => runInProcess(folder, ["audit", "--check", copy], true);
    const lines = readFileSync(copy, "utf8").trim().split("\n").length;
    expect(JSON.parse((await check(home)).stdout)).toEqual({ checked: lines, changed: [] });
    // The last entry of each log is in the file twice, so the lines are counted.
    expect((await runInProcess(home, ["audit", "--check", copy], false)).stdout).toBe(
      `All ${lines} lines of the file are in the store as they were exported.\n`,
    );
    // An entry of the file that was edited, although its hash was kept, is not what the store has.
    const exported = readFileSync(copy, "utf8");
    for (const [from, to] of [
      ["as it was", "as it never was"],
      [/"actor":"[^"]*"/, '"actor":"person:mallory"'],
      [/"at":"20/, '"at":"19'],
      ['"owner":"local"', '"owner":"bob"'],
    ] as const) {
      writeFileSync(copy, exported.replace(from, to));
      const { code, stdout } = await check(home);
      expect([from, code, JSON.parse(stdout).changed.length]).toEqual([from, 5, 1]);
    }
    writeFileSync(copy, exported);
    // Entries that come later change nothing of the earlier ones.
    await runInProcess(home, ["rename", id, "later"], true);
    expect((await check(home)).code).toBe(0);
    // Negative control: the same log with another event in its place, whose hashes fit.
    await runInProcess(forged, ["rename", id, "forged"], true);
    const found = await check(forged);
    const changed = { stream: entity_id, seq: 2 };
    expect([found.code, JSON.parse(found.stdout).changed]).toEqual([5, [changed, changed]]);
    const told = await runInProcess(forged, ["audit", "--check", copy], false);
    expect(told.stdout.split("\n")).toEqual([
      `changed  ${entity_id} event 2`,
      `changed  ${entity_id} event 2`,
      `2 of ${lines} lines were changed or removed. Run: belay verify`,
      "",
    ]);
    // An edit that does not even fit is found by the store itself.
    const database = new DatabaseSync(join(home, "belay.db"));
    database.prepare("UPDATE events SET body = replace(body, 'as it was', 'edited')").run();
    database.close();
    const edited = await check(home);
    expect([edited.code, JSON.parse(edited.stdout).error]).toEqual([5, "storage_damaged"]);
    writeFileSync(copy, "no audit\n");
    expect((await check(forged)).code).toBe(2);
    for (const folder of [home, forged]) rmSync(folder, { recursive: true });
  });
});

interface Entry {
  readonly kind: string;
  readonly type: string;
  readonly actor: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function auditOf(
  owner: "ann" | "bob",
  scope: "read" | "record" | "write" | "admin",
  query = "",
): Promise<Entry[]> {
  const { text } = await server.ask("GET", `/audit${query}`, {
    token: server.tokens[owner][scope],
  });
  return JSON.parse(text).events;
}

async function exportOf(format: string, token: string): Promise<string[]> {
  const { status, text } = await server.ask("GET", `/audit/export?format=${format}`, { token });
  expect(status).toBe(200);
  return text.split("\n").filter((line) => line !== "");
}
