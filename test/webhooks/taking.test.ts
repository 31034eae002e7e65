import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../http/until.ts";
import type { RealServer, ServerPlace } from "../serve/server-process.ts";
import {
  endAll,
  listOf,
  newPlace,
  readJson,
  runBelay,
  serve,
  textOf,
} from "../serve/server-process.ts";
import { commentPayload, githubHeaders, issuePayload, standardHeaders } from "./sign.ts";

let place: ServerPlace;
let server: RealServer;
let github: string;
let json: string;

beforeAll(async () => {
  place = newPlace();
  server = await serve(place, { env: { AGENT_MAX_CONCURRENT_SESSIONS: "30" } });
  github = await accept({ name: "issues", preset: "github", agent_name: "demo" });
  json = await accept({
    name: "deploys",
    preset: "json",
    agent_name: "demo",
    session_key: "deploy.id",
    message: "{{text}}",
  });
});

afterAll(async () => {
  await endAll();
  place.remove();
});

async function accept(body: object, token?: string): Promise<string> {
  const asked = token === undefined ? { body } : { body, token };
  const { json: answer } = await server.ask("POST", "/accepted-webhooks", asked);
  return textOf(answer, "secret");
}

async function send(
  name: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): Promise<{ status: number; text: string; json: unknown }> {
  const request = { method: "POST", headers, body: new Uint8Array(Buffer.from(body)) };
  const response = await fetch(`${server.url}/webhooks/${name}`, request);
  const text = await response.text();
  return { status: response.status, text, json: readJson(text) };
}

const sendIssue = (event: string, body: string) =>
  send("issues", githubHeaders(github, event, body), body);
const sendJson = (value: unknown, options = {}) => {
  const body = JSON.stringify(value);
  return send("deploys", standardHeaders(json, body, options), body);
};

async function eventsOf(session_id: string, token = server.token) {
  const path = `/sessions/${encodeURIComponent(session_id)}/events?limit=1000`;
  return listOf((await server.ask("GET", path, { token })).json, "events");
}

async function messagesOf(session_id: string, token = server.token): Promise<string[]> {
  const events = await eventsOf(session_id, token);
  return events
    .filter(({ type }) => type === "message.queued")
    .map(({ data }) => textOf(data, "content"));
}

describe("GitHub", () => {
  it("starts a session for an issue, and continues it with comments on the issue", async () => {
    const opened = await sendIssue("issues", issuePayload("opened"));
    expect(opened).toMatchObject({
      status: 202,
      json: { session_id: expect.any(String), turn_id: expect.any(String) },
    });
    const id = textOf(opened.json, "session_id");
    expect(id).toMatch(/^webhook:issues:[A-Za-z0-9._:-]+$/);
    const commented = await sendIssue("issue_comment", commentPayload("Any news?"));
    expect([commented.status, textOf(commented.json, "session_id")]).toEqual([202, id]);

    const [first, second] = await messagesOf(id);
    for (const part of [
      "octo/belt",
      "The build breaks",
      "It says that tests fail.",
      "https://github.com/octo/belt/issues/7",
    ]) {
      expect(first).toContain(part);
    }
    expect(second).toContain("Any news?");
    await until(async () => {
      const ended = (await eventsOf(id)).filter(({ type }) => type === "turn.ended");
      return ended.length === 2;
    });
    const [created] = await eventsOf(id);
    expect(created).toMatchObject({
      type: "session.created",
      actor: "webhook:issues",
      interface: "webhook",
      data: { agent_name: "demo", interface: "webhook" },
    });
  });

  it("gets an answer to a ping and to unrequested events, and starts nothing", async () => {
    const before = listOf((await server.ask("GET", "/sessions?limit=1000")).json, "sessions");
    const ping = await sendIssue("ping", '{"zen":"Keep it logically awesome."}');
    expect([ping.status, ping.json]).toEqual([200, { ignored: "ping" }]);
    const closed = await sendIssue("issues", issuePayload("closed"));
    expect([closed.status, closed.json]).toEqual([200, { ignored: "issues.closed" }]);
    const after = listOf((await server.ask("GET", "/sessions?limit=1000")).json, "sessions");
    expect(after).toHaveLength(before.length);
  });

  it("has no effect if it repeats an event, under any delivery id", async () => {
    const url = "https://github.com/octo/belt/issues/8";
    const body = issuePayload("opened", { html_url: url });
    const first = await sendIssue("issues", body);
    const again = await Promise.all([sendIssue("issues", body), sendIssue("issues", body)]);
    expect(again.map(({ status, json }) => [status, json])).toEqual([
      [202, first.json],
      [202, first.json],
    ]);
    expect(await messagesOf(textOf(first.json, "session_id"))).toHaveLength(1);
  });

  it("cannot inject a template through an issue", async () => {
    const title = "{{repository.full_name}} $& {{issue.body}}";
    const url = "https://github.com/octo/belt/issues/9";
    const body = issuePayload("opened", { title, body: "\u001b[2Jhidden", html_url: url });
    const { json: answer } = await sendIssue("issues", body);
    const [message = ""] = await messagesOf(textOf(answer, "session_id"));
    expect(message).toContain(`Title: ${title}`);
    expect(message).not.toContain("\u001b");
  });
});

describe("a sender by the standard", () => {
  it("gets its answer before the agent answers", async () => {
    const text = `/say ${"word ".repeat(100)}`;
    const { status, json: answer } = await sendJson({ text, deploy: { id: "slow" } });
    expect(status).toBe(202);
    expect(answer).toMatchObject({ session_id: "webhook:deploys:slow" });
    const types = (await eventsOf("webhook:deploys:slow")).map(({ type }) => type);
    expect(types).not.toContain("turn.ended");
    await server.ask("POST", "/sessions/webhook:deploys:slow/cancel");
  });

  it("gets one turn for one id, and is refused another message under it", async () => {
    const value = { text: "/say once", deploy: { id: "once" } };
    const options = { id: "msg_1" };
    const first = await sendJson(value, options);
    // Like a sender's retry: at another time, so with another signature.
    const again = await sendJson(value, { ...options, at: Date.now() - 60_000 });
    expect([again.status, again.json]).toEqual([202, first.json]);
    const other = await sendJson({ ...value, text: "/say twice" }, options);
    expect([other.status, other.json]).toMatchObject([409, { error: "idempotency_conflict" }]);
    expect(await messagesOf("webhook:deploys:once")).toEqual(["/say once"]);
  });

  it("without a session key starts a session each time", async () => {
    const one = await sendJson({ text: "/say a" });
    const two = await sendJson({ text: "/say a" });
    expect(textOf(one.json, "session_id")).not.toBe(textOf(two.json, "session_id"));
  });

  it("may use any session key, and no two keys collide", async () => {
    const keys = ["../../etc", "a b", "a-b", "é".repeat(500), "a\u0000b", "<script>"];
    const ids: string[] = [];
    for (const id of keys) {
      const { status, json: answer } = await sendJson({ text: "/say a", deploy: { id } });
      expect([id, status]).toEqual([id, 202]);
      ids.push(textOf(answer, "session_id"));
    }
    expect(new Set(ids).size).toBe(keys.length);
    for (const id of ids) expect(id).toMatch(/^webhook:deploys:[A-Za-z0-9._-]{1,64}$/);
  });

  it("resumes a suspended session, and starts a new one after a closed one", async () => {
    const deploy = { id: "long" };
    await sendJson({ text: "/say a", deploy });
    const path = "/sessions/webhook:deploys:long";
    const turns = async (id: string) =>
      (await eventsOf(id)).filter(({ type }) => type === "turn.ended").length;
    await until(async () => (await turns("webhook:deploys:long")) === 1);
    await server.ask("POST", `${path}/suspend`);
    const woken = await sendJson({ text: "/say b", deploy });
    expect([woken.status, woken.json]).toMatchObject([202, { session_id: "webhook:deploys:long" }]);
    await until(async () => (await turns("webhook:deploys:long")) === 2);
    await server.ask("POST", `${path}/cancel`);
    const options = { id: "msg_after" };
    const next = await sendJson({ text: "/say c", deploy }, options);
    expect([next.status, next.json]).toMatchObject([202, { session_id: "webhook:deploys:long:2" }]);
    expect((await sendJson({ text: "/say c", deploy }, options)).json).toEqual(next.json);
  });

  it("gets the reason if its signed message is invalid", async () => {
    const refused = async (body: string) => {
      const answer = await send("deploys", standardHeaders(json, body), body);
      return [answer.status, textOf(answer.json, "error")];
    };
    expect(await refused("{not json")).toEqual([400, "invalid_input"]);
    expect(await refused('{"text":"a","text":"b"}')).toEqual([400, "invalid_input"]);
    expect(await refused("[".repeat(100_000))).toEqual([400, "invalid_input"]);
    expect(await refused("{}")).toEqual([400, "invalid_input"]);
  });
});

describe("a sender without access", () => {
  const body = JSON.stringify({ text: "/say let me in", deploy: { id: "never" } });
  const minutes = (count: number) => Date.now() + count * 60_000;
  const wrong = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;

  it("gets the same answer in every case, soon, and stores nothing", async () => {
    const good = () => standardHeaders(json, body);
    const issue = issuePayload("opened", { html_url: "https://github.com/octo/belt/issues/404" });
    const tries: [string, string, Record<string, string>, string][] = [
      ["unknown name", "nobody", good(), body],
      ["wrong secret", "deploys", standardHeaders(wrong, body), body],
      ["old", "deploys", standardHeaders(json, body, { at: minutes(-6) }), body],
      ["from the future", "deploys", standardHeaders(json, body, { at: minutes(6) }), body],
      ["no time", "deploys", { ...good(), "webhook-timestamp": "" }, body],
      ["another time", "deploys", { ...good(), "webhook-timestamp": "1" }, body],
      ["another id", "deploys", { ...good(), "webhook-id": "msg_other" }, body],
      ["no signature", "deploys", { "content-type": "application/json" }, body],
      ["empty", "deploys", { ...good(), "webhook-signature": "" }, body],
      ["only a version", "deploys", { ...good(), "webhook-signature": "v1," }, body],
      ["another body", "deploys", good(), body.replace("let", "Let")],
      ["not even JSON", "deploys", good(), "{"],
      ["no body", "deploys", good(), ""],
      ["GitHub, wrong", "issues", githubHeaders("wrong-secret-of-theirs", "issues", issue), issue],
      ["GitHub, none", "issues", { "content-type": "application/json" }, issue],
      ["the other preset", "issues", good(), body],
      ["a name that is none", "%00..%2f", good(), body],
      ["a long name", "x".repeat(500), good(), body],
    ];
    const answers = new Set<string>();
    for (const [what, name, headers, text] of tries) {
      const took: number[] = [];
      for (let nth = 0; nth < 3; nth += 1) {
        const began = performance.now();
        const { status, text: answer } = await send(name, headers, text);
        took.push(performance.now() - began);
        answers.add(answer);
        expect([what, status]).toEqual([what, 401]);
      }
      expect(Math.min(...took)).toBeLessThan(1000);
    }
    expect(answers.size).toBe(1);
    expect((await server.ask("GET", "/sessions/webhook:deploys:never")).status).toBe(404);
    expect((await server.ask("GET", "/sessions?limit=1000")).text).not.toContain("issues/404");
  });

  it("passes the gate first, whatever is signed", async () => {
    const headers = standardHeaders(json, body);
    const { host } = new URL(server.url);
    const knock = (more: Record<string, string>) =>
      server.knock("POST", "/webhooks/deploys", { ...headers, host, ...more }, body);
    expect(await knock({ host: "evil.example" })).toBe(421);
    expect(await knock({ origin: "https://evil.example" })).toBe(403);
    expect(await knock({ origin: server.url })).toBe(403);
    expect(await knock({ "sec-fetch-site": "same-origin" })).toBe(403);
    expect(await knock({ "content-type": "text/plain" })).toBe(415);
    expect(await knock({ "content-encoding": "gzip" })).toBe(415);
  });

  it("is not read to the end if it sends too much", async () => {
    const large = Buffer.alloc(20 * 1024 * 1024, "x");
    const refused = await send("deploys", standardHeaders(json, "x"), large).then(
      ({ status }) => status,
      // It may disconnect a sender that continues sending.
      () => 413,
    );
    expect(refused).toBe(413);
    const medium = JSON.stringify({ text: "y".repeat(1024 * 1024) });
    expect((await send("deploys", standardHeaders(json, medium), medium)).status).toBe(413);
    expect((await server.ask("GET", "/health")).status).toBe(200);
  });

  it("is refused after the name is removed, and accepted only with a new secret", async () => {
    const wanted = { name: "passing", preset: "json", agent_name: "demo", message: "/say {{a}}" };
    const secret = await accept(wanted);
    const text = '{"a":"b"}';
    const knock = async (by: string) =>
      (await send("passing", standardHeaders(by, text), text)).status;
    expect(await knock(secret)).toBe(202);
    const taken = await server.ask("POST", "/accepted-webhooks", { body: wanted });
    expect([taken.status, taken.json]).toMatchObject([409, { error: "webhook_exists" }]);
    expect(await knock(secret)).toBe(202);
    expect((await server.ask("DELETE", "/webhooks/passing")).status).toBe(200);
    expect(await knock(secret)).toBe(401);
    const renewed = await accept(wanted);
    expect(await knock(secret)).toBe(401);
    expect(await knock(renewed)).toBe(202);
  });
});

describe("two owners", () => {
  it("may use one name; the signature identifies the owner", async () => {
    const bob = await tokenOf("bob");
    const definition = { name: "deploys", preset: "json", agent_name: "demo", message: "{{text}}" };
    const theirs = await accept({ ...definition, session_key: "deploy.id" }, bob);
    const body = JSON.stringify({ text: "/say for bob", deploy: { id: "shared" } });
    const sent = await send("deploys", standardHeaders(theirs, body), body);
    expect(sent.status).toBe(202);
    expect((await server.ask("GET", "/sessions/webhook:deploys:shared")).status).toBe(404);
    expect(await messagesOf("webhook:deploys:shared", bob)).toEqual(["/say for bob"]);
    expect((await server.ask("GET", "/webhooks")).text).not.toContain("bob");
  });
});

/** Only the user of the data folder may give others access. */
async function tokenOf(owner: string): Promise<string> {
  const args = ["token", "create", "--owner", owner, "--scope", "admin", "--json"];
  return textOf((await runBelay(place, args)).json, "token");
}
