import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { until } from "../run/run-parts.ts";
import { type RealServer, recordOf } from "../serve/server-process.ts";
import { awaitEvent, driverOf, eventsOf, NodeLab, turnsOf } from "./node-lab.ts";

const lab = await NodeLab.open(60);
afterAll(() => lab.close());
const nodes: RealServer[] = [];

it("an agent stays with the living node that has its files, even if another has more room", async () => {
  const home = await lab.start(0, { AGENT_MAX_CONCURRENT_SESSIONS: "5" });
  const { id, entity_id } = await lab.begin(home, "/say hello");
  await awaitEvent(home, id, "turn.ended");
  const larger = await lab.start(1, { AGENT_MAX_CONCURRENT_SESSIONS: "50" });
  expect((await larger.ask("POST", `/sessions/${id}/suspend`, { body: {} })).status).toBe(200);
  await until("no driver", async () => (await driverOf(lab.url, entity_id)) === null);
  expect((await larger.ask("POST", `/sessions/${id}/resume`, { body: {} })).status).toBe(200);
  const body = { message: "/say again", wait: false };
  expect((await larger.ask("POST", `/sessions/${id}/messages`, { body })).status).toBe(202);
  await until("the answer", async () => (await turnsOf(larger, id))[1]?.ended_at);
  expect(await driverOf(lab.url, entity_id)).toBe(home.pid);
  const ways = (await eventsOf(larger, id))
    .filter(({ type }) => type === "agent.started")
    .map(({ data }) => recordOf(data).way);
  expect(ways).toEqual(["new", "resume"]);
  nodes.push(home, larger);
  // A session without files goes to the node with most room.
  const other = await lab.begin(home, "/say elsewhere");
  await awaitEvent(home, other.id, "turn.ended");
  expect(await driverOf(lab.url, other.entity_id)).toBe(larger.pid);
});

it("a session in line goes to the first node that has room, or waits for the node with its files", async () => {
  await Promise.all(nodes.splice(0).map((node) => node.end()));
  const one = { AGENT_MAX_CONCURRENT_SESSIONS: "1" };
  const [a, b] = await Promise.all([lab.start(0, one), lab.start(1, one)]);
  const interrupt = async ({ id }: { readonly id: string }) =>
    expect((await a.ask("POST", `/sessions/${id}/interrupt`, { body: {} })).status).toBe(200);
  const drivenBy = (node: RealServer, { entity_id }: { readonly entity_id: string }) =>
    until("its driver", async () => (await driverOf(lab.url, entity_id)) === node.pid);
  const started = async ({ id }: { readonly id: string }) =>
    (await eventsOf(a, id)).filter(({ type }) => type === "turn.started").length;

  const first = await lab.begin(a, "/slow 60000");
  await drivenBy(a, first);
  const second = await lab.begin(a, "/slow 60000");
  await drivenBy(b, second);
  const third = await lab.begin(a, "/say third");
  // The first node may not know yet that the other one is at work too.
  await until("its position", async () => {
    const answers = await Promise.all(
      [a, b].map((node) => node.ask("GET", `/sessions/${third.id}`)),
    );
    return answers.some(({ json }) => recordOf(json).queue_position === 1);
  });
  // Before that, no node has files of its agent.
  await awaitEvent(a, second.id, "agent.started");
  await interrupt(second);
  await awaitEvent(a, third.id, "turn.ended");
  await drivenBy(b, third);
  expect(await started(third)).toBe(1);

  const fourth = await lab.begin(b, "/slow 60000");
  await drivenBy(b, fourth);
  await interrupt(first);
  const body = { message: "/say second", wait: false };
  expect((await a.ask("POST", `/sessions/${second.id}/messages`, { body })).status).toBe(202);
  // Longer than a node has to take a session that it was asked to drive.
  await sleep(6500);
  expect(await started(second)).toBe(1);
  await interrupt(fourth);
  await until("the answer", async () => (await turnsOf(a, second.id))[1]?.ended_at);
  await drivenBy(b, second);
});
