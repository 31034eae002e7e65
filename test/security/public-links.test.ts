import { beforeAll, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { isRecord } from "../../src/contract/is-record.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

/** It is recognised by its name on one page, and is alone on another. */
const PASSWORD_LINE = { text: "password=correct-horse-battery", secret: "correct-horse-battery" };

let server: TestServer;
beforeAll(async () => {
  server = await openServer({ shared: true });
});

describe("a public link", () => {
  it("shows the conversation up to its creation to anyone with the link, without secrets and running work", async () => {
    const id = await begin();
    const shapes = Object.values(SECRET_SHAPES);
    await say(id, shapes.map(({ text }) => text).join("\n\n"), `${PASSWORD_LINE.text}, done`);
    await say(id, "again", `it was ${PASSWORD_LINE.secret}`);
    const { link } = await share(id);
    await say(id, "later words", "later answer");
    const page = await open(link);
    expect(page.status).toBe(200);
    for (const { secret } of [...shapes, PASSWORD_LINE]) expect(page.text).not.toContain(secret);
    expect(page.text).toContain("[redacted:");
    expect(page.text).toContain("again");
    expect(page.text).not.toContain("later");
    for (const inside of [
      "token:",
      "/srv/private",
      "pid",
      'trace_id":"',
      "canary-meta",
      '"ann"',
      ":ann",
    ]) {
      expect(page.text).not.toContain(inside);
    }
  });

  it("hides what its creator has seen hidden, although the server does not know these variables", async () => {
    const secret = "tangerine-plum-77";
    const id = await begin();
    await say(id, `deploy with ${secret}`, `in base64: ${Buffer.from(secret).toString("base64")}`);
    const creator = withVariables({ CREATOR_DEPLOY_TOKEN: secret });
    const { hidden_count } = await creator.call("preview_link", { id }, ANN);
    const { link, link_id } = await share(id, ANN, "7d", creator);
    expect(hidden_count).toBe(2);
    const page = await open(link);
    expect(page.text.match(/\[redacted:known\]/g)).toHaveLength(2);
    expect(page.text).not.toContain(secret);
    const { events } = await server.service.call("audit", {}, ANN);
    const made = events.find(({ data }) => data.link_id === link_id);
    expect(Object.keys(made?.data ?? {})).not.toContain("hides");
  });

  it("has a small head, however many secrets it hides, also those that only its creator knew", async () => {
    const id = await begin();
    const secrets = Array.from({ length: 150 }, (_, n) => `secret-${n}-`.padEnd(60, "x"));
    const variables = secrets.map((secret, n) => [`CREATOR_${n}_TOKEN`, secret] as const);
    await say(id, secrets.join(" "), "done");
    const creator = withVariables(Object.fromEntries(variables));
    const { link, link_id } = await share(id, ANN, "7d", creator);
    const stream = await loadStream(server.runner.context.store, { id: String(link_id) });
    expect(JSON.stringify(stream?.head).length).toBeLessThan(LIMITS.HEAD_BYTES);
    const page = await open(link);
    expect(page.text.match(/\[redacted:known\]/g)).toHaveLength(secrets.length);
  });

  it("shows the title, agent and status that the session had when it was created", async () => {
    const id = await begin();
    await say(id, "hello", "answer");
    const { link } = await share(id);
    const before = await open(link);
    await server.service.call("rename", { id, title: "later title" }, ANN);
    await server.service.call("finalize", { id, outcome: "completed" }, ANN);
    expect((await open(link)).json).toEqual(before.json);
  });

  it("ends when it expires, is revoked, or its session or owner is gone, without a reason", async () => {
    await server.service.call("add_person", { name: "zoe" }, ANN);
    const zoe = { ...ANN, owner: "zoe" };
    const gone = await open(`${"0".repeat(32)}_${"A".repeat(22)}`);
    expect(gone.status).toBe(404);
    const ends: readonly ((id: string, link_id: string) => Promise<unknown>)[] = [
      (id, link_id) => server.service.call("revoke_link", { id, link_id }, zoe),
      (id) => server.service.call("delete", { id }, zoe),
      () => server.service.call("disable_person", { name: "zoe" }, ANN),
    ];
    for (const end of ends) {
      const id = await begin(zoe);
      const { link, link_id } = await share(id, zoe);
      expect((await open(link)).status).toBe(200);
      await end(id, link_id);
      const ended = await open(link);
      expect([ended.status, ended.json]).toEqual([404, gone.json]);
    }
    const id = await begin();
    const soon = new Date(Date.now() + 300).toISOString();
    const { link } = await share(id, ANN, soon);
    await expect.poll(async () => (await open(link)).status).toBe(404);
  });

  it("cannot be guessed: its id alone, another secret or the digest do not open it", async () => {
    const id = await begin();
    const { link, link_id, path } = await share(id);
    const [stored] = link.split("_");
    const { events } = await server.service.call("audit", {}, ANN);
    const made = events.find(
      ({ type, data }) => type === "link.created" && data.link_id === link_id,
    );
    expect(made).toBeDefined();
    expect(JSON.stringify(made)).not.toContain(link.slice(33));
    expect(made?.data.digest).toBeUndefined();
    expect(path).toMatch(/^\/link#[0-9a-f]{32}_[\w-]{22}$/);
    for (const wrong of [`${stored}_${"A".repeat(22)}`, `${stored}_`, stored, link.slice(0, -1)]) {
      expect((await open(String(wrong))).status).toBe(404);
    }
    // The id of something else is no link either.
    const token = await server.makeToken("ann", "read");
    const others = `${token.id.replaceAll("-", "")}_${"A".repeat(22)}`;
    expect((await open(others)).status).toBe(404);
    expect(server.log()).not.toContain(link.slice(33));
  });

  it("opens nothing else: it is not a token, and refuses pages of another origin", async () => {
    const id = await begin();
    const { link } = await share(id);
    for (const path of ["/sessions", `/sessions/${id}`, `/sessions/${id}/events`, "/events"]) {
      expect((await server.ask("GET", path, { token: link })).status).toBe(401);
    }
    const body = { link };
    const elsewhere = { origin: "https://evil.example" };
    const asked = await server.ask("POST", "/link", { token: null, body, headers: elsewhere });
    expect(asked.status).toBe(403);
    const page = await open(link);
    expect(page.headers.get("x-robots-tag")).toContain("noindex");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("is created, listed and revoked only by the owner of the session", async () => {
    const id = await begin();
    const { link_id } = await share(id);
    await server.service.call("add_person", { name: "bob" }, ANN);
    await server.service.call("share", { id, with: "bob", role: "editor" }, ANN);
    const token = (await server.makeToken("bob", "write")).token;
    const path = `/sessions/${encodeURIComponent(`ann/${id}`)}/links`;
    for (const [method, at] of [
      ["GET", path],
      ["POST", path],
      ["GET", `${path}/preview`],
      ["DELETE", `${path}/${link_id}`],
    ] as const) {
      expect((await server.ask(method, at, { token })).status).toBe(403);
    }
    // A link of another session is not found by this one's id.
    const other = await begin();
    const wrong = await server.ask("DELETE", `/sessions/${other}/links/${link_id}`);
    expect(wrong.json).toMatchObject({ error: "link_not_found" });
  });

  it("is counted when it is opened, and cannot fill the log", async () => {
    const id = await begin();
    const { link, link_id } = await share(id);
    for (let n = 0; n < 25; n += 1) await open(link);
    const { links } = await server.service.call("list_links", { id }, ANN);
    expect(links).toMatchObject([{ link_id, opened: 20 }]);
    expect(links[0]?.last_opened_at).not.toBeNull();
  });

  it("shows a preview of what it would hide", async () => {
    const id = await begin();
    await say(id, "hello", PASSWORD_LINE.text);
    await say(id, "again", `it was ${PASSWORD_LINE.secret}`);
    const preview = await server.service.call("preview_link", { id }, ANN);
    expect(preview).toMatchObject({ session_id: id, shown: 2, hidden_count: 2 });
    expect(JSON.stringify(preview)).not.toContain(PASSWORD_LINE.secret);
    expect((await server.service.call("list_links", { id }, ANN)).links).toEqual([]);
    const page = await open((await share(id)).link);
    expect(page.text.split("[redacted:").length - 1).toBe(preview.hidden_count);
  });

  it("lasts at most a year, and a session has a maximum number of them", async () => {
    const id = await begin();
    for (const until of ["2000-01-01", "2999-01-01", "soon", "0d"]) {
      const asked = server.service.call("add_link", { id, until }, ANN);
      await expect(asked).rejects.toMatchObject({ code: "invalid_input" });
    }
    for (let n = 0; n < LIMITS.LINKS; n += 1) await share(id);
    await expect(share(id)).rejects.toMatchObject({ code: "limit_reached" });
  });
});

async function begin(caller: typeof ANN | { readonly owner: string } = ANN): Promise<string> {
  const { session_id } = await server.service.call(
    "create",
    {
      agent_name: "elsewhere",
      project: { cwd: "/srv/private", repo: null, branch: null },
      metadata: { note: "canary-meta" },
    },
    { ...ANN, ...caller },
  );
  return session_id;
}

async function say(id: string, input: string, output: string): Promise<void> {
  await server.service.call("record_turn", { id, input, output }, { ...ANN, actor: "token:ci" });
}

/** The service as on the command line of a person with these variables. */
function withVariables(variables: Readonly<Record<string, string>>): BelayService {
  return createService({ ...server.runner.context, variables });
}

async function share(
  id: string,
  caller: { readonly owner: string } = ANN,
  until = "7d",
  service = server.service,
) {
  const made = await service.call("add_link", { id, until }, { ...ANN, ...caller });
  return { ...made, link: made.path.slice("/link#".length) };
}

async function open(link: string) {
  const answer = await server.ask("POST", "/link", { token: null, body: { link } });
  expect(isRecord(answer.json)).toBe(true);
  return answer;
}
