import { afterEach, expect, it } from "vitest";
import { until } from "../run/run-parts.ts";
import {
  endAll,
  listOf,
  newPlace,
  type RealServer,
  recordOf,
  type ServerPlace,
  serve,
  textOf,
} from "./server-process.ts";

const places: ServerPlace[] = [];
afterEach(async () => {
  await endAll();
  for (const place of places.splice(0)) place.remove();
});

const ONE = { env: { AGENT_MAX_CONCURRENT_SESSIONS: "1" } };

async function start(server: RealServer, message: string) {
  const body = { agent_name: "demo", initial_message: message };
  const { json } = await server.ask("POST", "/sessions", { body });
  return { id: textOf(json, "session_id"), position: recordOf(json).queue_position };
}

async function typesOf(server: RealServer, id: string): Promise<unknown[]> {
  const { json } = await server.ask("GET", `/sessions/${id}/events?limit=1000`);
  return listOf(json, "events").map(({ type }) => type);
}

async function turnOf(server: RealServer, id: string) {
  const { json } = await server.ask("GET", `/sessions/${id}/messages`);
  const [turn] = listOf(json, "turns");
  return { started_at: textOf(turn, "started_at") };
}

it.each(["SIGKILL", "SIGTERM"] as const)(
  "a message that waits for an agent is answered once after %s and a restart of the server",
  async (signal) => {
    const place = newPlace();
    places.push(place);
    const first = await serve(place, ONE);
    await start(first, "/slow 3000");
    const waiting = [await start(first, "/say one"), await start(first, "/say two")];
    expect(waiting.map(({ position }) => position)).toEqual([1, 2]);
    await first.end(signal);
    const second = await serve(place, ONE);
    for (const { id } of waiting) {
      const ended = async () => (await typesOf(second, id)).includes("turn.ended");
      await until("the answer", ended, 60_000);
    }
    const starts = waiting.map(async ({ id }) => (await turnOf(second, id)).started_at);
    expect(await Promise.all(starts)).toEqual((await Promise.all(starts)).toSorted());
    for (const { id } of waiting) {
      const types = await typesOf(second, id);
      const turns = types.filter((type) => type === "turn.started" || type === "turn.ended");
      expect(turns).toEqual(["turn.started", "turn.ended"]);
      expect(types).not.toContain("session.suspended");
      const { json } = await second.ask("GET", `/sessions/${id}`);
      expect(json).toMatchObject({ queued_messages: 0, turn_count: 1 });
    }
  },
);
