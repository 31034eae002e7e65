import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AdmittedDelivery } from "../../src/service/webhooks/accept-delivery.ts";
import { takeDelivery } from "../../src/service/webhooks/take-delivery.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { until } from "../http/until.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

describe("a delivery that is replayed", () => {
  it("is answered as the first time, whatever became of its session, and starts nothing", async () => {
    const before = await openServer();
    const delivery = await accept(before);
    const first = await send(before, delivery);
    const id = "session_id" in first ? first.session_id : "";
    await until(async () => (await countEnded(before, id)) === 1);
    await before.runner.close();
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
  }, 30_000);
});

describe("a name that is not accepted", () => {
  it("is refused like one that is, and no sooner", async () => {
    const take = () => Promise.reject(new Error("nobody was let in"));
    const { ask } = await openServer({ parts: { webhooks: { admit: async () => null, take } } });
    const refuse = async (name: string) => {
      const from = performance.now();
      const { status, text } = await ask("POST", `/webhooks/${name}`, { token: null, body: {} });
      return { status, text: text.replace(/"trace_id":"[^"]*"/, ""), ms: performance.now() - from };
    };
    const [one, other] = [await refuse("deploys"), await refuse("nothing")];
    expect([one.status, one.text]).toEqual([other.status, other.text]);
    expect(one.status).toBe(401);
    for (const { ms } of [one, other]) expect(ms).toBeGreaterThan(45);
  });
});

async function accept({ service, home }: TestServer): Promise<AdmittedDelivery> {
  const wanted = { name: "deploys", preset: "json", agent_name: "demo", cwd: home };
  const more = { message: "{{text}}", session_key: "id" };
  const made = await service.call("accept_webhook", { ...wanted, ...more }, ANN);
  const { secret: _, path: __, created_at: ___, ...accepts } = made;
  const at = { created_at: 0, removed_at: null };
  return { owner: "ann", accepts: { ...accepts, ...at }, key: randomUUID(), event: null };
}

function send({ service, runner }: TestServer, delivery: AdmittedDelivery) {
  const { context } = runner;
  const expectAgent = (name: string, cwd: string) => runner.expectAgent(name, cwd);
  const payload = { text: "/say once", id: "one" };
  return takeDelivery({ service, context, expectAgent }, delivery, payload, null);
}

async function countEnded({ service }: TestServer, id: string): Promise<number> {
  const { events } = await service.call("log", { id, limit: 1000 }, ANN);
  return events.filter((event) => event.type === "turn.ended").length;
}
