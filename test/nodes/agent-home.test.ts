import { afterAll, expect, it } from "vitest";
import { until } from "../run/run-parts.ts";
import { recordOf } from "../serve/server-process.ts";
import { awaitEvent, driverOf, eventsOf, NodeLab, turnsOf } from "./node-lab.ts";

const lab = await NodeLab.open(60);
afterAll(() => lab.close());

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
  // A session without files goes to the node with most room.
  const other = await lab.begin(home, "/say elsewhere");
  await awaitEvent(home, other.id, "turn.ended");
  expect(await driverOf(lab.url, other.entity_id)).toBe(larger.pid);
});
