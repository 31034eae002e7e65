import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdmittedDelivery } from "../../src/server/webhooks/admit-delivery.ts";
import { processDelivery } from "../../src/server/webhooks/process-delivery.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { until } from "../http/until.ts";
import type { RealServer } from "../serve/server-process.ts";
import { endAll, listOf, newPlace, readJson, serve, textOf } from "../serve/server-process.ts";
import { githubHeaders, standardHeaders } from "../webhooks/sign.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

describe("a delivery that is replayed", () => {
  it("gets the first answer again, whatever happened to its session, and starts nothing", async () => {
    const before = await openServer();
    const delivery = await accept(before);
    const first = await send(before, delivery);
    const id = "session_id" in first ? first.session_id : "";
    await until(async () => (await countEnded(before, id)) === 1);
    await before.close();
    const server = await openServer({ home: before.home });
    const { service } = server;
    const replay = async () => {
      expect(await send(server, delivery)).toEqual(first);
      const { sessions } = await service.call("list", { archived: true, limit: 100 }, ANN);
      expect(sessions.filter(({ session_id }) => session_id !== id)).toEqual([]);
    };
    await service.call("cancel", { id }, ANN);
    await replay();
    expect(await countEnded(server, id)).toBe(1);
    const { entity_id } = await service.call("delete", { id }, ANN);
    await replay();
    await server.runner.context.store.purge(entity_id, Date.now());
    await replay();
    const other = { ...delivery, key: randomUUID() };
    expect(await send(server, other)).not.toEqual(first);
  });
});

describe("the real server", () => {
  const place = newPlace();
  const secrets = new Map<string, string>();
  let server: RealServer;
  beforeAll(async () => {
    server = await serve(place);
    const template = { message: "{{text}}", session_key: "id" };
    for (const body of [
      { name: "deploys", preset: "json", agent_name: "demo", ...template },
      { name: "issues", preset: "github", agent_name: "demo" },
    ]) {
      const { json } = await server.ask("POST", "/accepted-webhooks", { body });
      secrets.set(body.name, textOf(json, "secret"));
    }
  });
  afterAll(async () => {
    await endAll();
    place.remove();
  });

  const post = async (name: string, headers: Record<string, string>, body: string) => {
    const from = performance.now();
    const answer = await fetch(`${server.url}/webhooks/${name}`, { method: "POST", headers, body });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, ms: performance.now() - from };
  };

  it("refuses a wrong signature in the same way for known and unknown names", async () => {
    const body = JSON.stringify({ text: "/say let me in", id: "never" });
    const wrong = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const signed = [standardHeaders(wrong, body), githubHeaders(wrong, "issues", body)];
    const alike = new Set<string>();
    const soonest = new Map<string, number>();
    for (let nth = 0; nth < 4; nth += 1) {
      for (const name of ["deploys", "issues", "nothing"]) {
        for (const headers of signed) {
          const { status, headers: told, text, ms } = await post(name, headers, body);
          const shown = [...told].filter(([header]) => !ONCE.includes(header));
          alike.add(JSON.stringify([status, shown, text.replace(/"trace_id":"[^"]*"/, "")]));
          soonest.set(name, Math.min(ms, soonest.get(name) ?? Infinity));
        }
      }
    }
    expect([...alike]).toHaveLength(1);
    expect([...alike][0]).toMatch(/^\[401,/);
    // The time of an answer is fixed, and not the sum of its lookups.
    for (const ms of soonest.values()) expect(ms).toBeGreaterThan(45);
    const good = standardHeaders(secrets.get("deploys") ?? "", body);
    expect((await post("deploys", good, body)).status).toBe(202);
  });

  it("gives a replayed delivery the first answer after its session was cancelled, and starts no turn", async () => {
    const secret = secrets.get("deploys") ?? "";
    const deliver = (id: string) => {
      const body = JSON.stringify({ text: "/say once", id });
      return { headers: standardHeaders(secret, body, { id: `msg_${id}` }), body };
    };
    const read = async (id: string) =>
      listOf((await server.ask("GET", `/sessions/${id}/events?limit=1000`)).json, "events");
    const ended = async (id: string) =>
      (await read(id)).filter(({ type }) => type === "turn.ended").length;
    const { headers, body } = deliver("one");
    const first = await post("deploys", headers, body);
    const id = textOf(readJson(first.text), "session_id");
    await until(async () => (await ended(id)) === 1);
    await server.ask("POST", `/sessions/${id}/cancel`);
    const before = await read(id);
    // The same request again, and the same delivery as its sender would sign it later.
    for (const again of [headers, deliver("one").headers]) {
      const { status, text } = await post("deploys", again, body);
      expect([status, text]).toEqual([first.status, first.text]);
    }
    // The next delivery was processed, so the replays would have been too.
    const other = deliver("two");
    const next = await post("deploys", other.headers, other.body);
    const later = textOf(readJson(next.text), "session_id");
    await until(async () => (await ended(later)) === 1);
    expect(await read(id)).toEqual(before);
    expect(before.filter(({ type }) => type === "turn.started")).toHaveLength(1);
    const { text: listed } = await server.ask("GET", "/sessions?limit=100&archived=true");
    expect(listed).not.toContain(`${id}:2`);
  });
});

/** Headers that differ with each answer. */
const ONCE: readonly string[] = ["date", "x-trace-id", "x-request-id"];

async function accept({ service, home }: TestServer): Promise<AdmittedDelivery> {
  const wanted = { name: "deploys", preset: "json", agent_name: "demo", cwd: home };
  const more = { message: "{{text}}", session_key: "id" };
  const made = await service.call("accept_webhook", { ...wanted, ...more }, ANN);
  const { secret: _, path: __, created_at: ___, ...accepts } = made;
  const at = { created_at: 0, removed_at: null };
  return { owner: "ann", accepts: { ...accepts, ...at }, key: randomUUID(), event: null };
}

function send({ service, runner }: TestServer, delivery: AdmittedDelivery) {
  const { context, expectAgent } = runner;
  const payload = { text: "/say once", id: "one" };
  return processDelivery({ service, context, expectAgent }, delivery, payload, null);
}

async function countEnded({ service }: TestServer, id: string): Promise<number> {
  const { events } = await service.call("log", { id, limit: 1000 }, ANN);
  return events.filter((event) => event.type === "turn.ended").length;
}
