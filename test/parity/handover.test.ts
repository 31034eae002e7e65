import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Belay, openBelay } from "../../src/index.ts";
import { EventReader } from "../http/streams/event-reader.ts";
import { until } from "../run/run-lab.ts";
import {
  endAll,
  newPlace,
  type RealServer,
  recordOf,
  runBelay,
  serve,
  startBelay,
  textOf,
} from "../serve/server-process.ts";
import { callTool, connect } from "./mcp-door.ts";

const id = "handed-over";
const place = newPlace();
let server: RealServer;
let belay: Belay;

beforeAll(async () => {
  server = await serve(place);
  belay = await openBelay({ home: place.home });
});

afterAll(async () => {
  await belay.close();
  await server.end();
  await endAll();
  place.remove();
});

describe("one session with the demo agent", () => {
  it("is started on the command line and left in the middle", async () => {
    const run = startBelay(place, ["run", "demo", "/say one\n/slow 60000", "--once", "--id", id]);
    await until("its first words", async () => {
      const log = await belay.sessions.log({ id }).catch(() => null);
      return log?.events.some(({ type }) => type === "turn.part");
    });
    run.signal("SIGTERM");
    expect(await run.ended).toBe(1);
    expect(await belay.sessions.get({ id })).toMatchObject({
      status: "suspended",
      interface: "cli",
    });
  });

  it("continues over REST, while another client watches live and a third records through MCP", async () => {
    const onlooker = new EventReader(`${server.url}/sessions/${id}/events`, {
      token: server.token,
    });
    await onlooker.opened;
    const resumed = await server.ask("POST", `/sessions/${id}/resume`, { body: {} });
    expect([resumed.status, resumed.json]).toMatchObject([
      200,
      { status: "active", sessionId: id },
    ]);

    const client = await connect(server);
    const message = "/say two words\n/ask shall I?\n/say and three";
    const asked = await server.ask("POST", `/sessions/${id}/messages`, { body: { message } });
    expect(asked.status).toBe(202);
    const saved = await callTool(client, "save_checkpoint", {
      id,
      name: "between",
      state: { at: "the question" },
    });
    expect(saved).toMatchObject({ ok: true, value: { name: "between" } });
    await client.close();

    const approval_id = textOf(asked.json, "approval_id");
    const approved = await runBelay(place, ["approve", approval_id, "--json"]);
    expect(approved.json).toMatchObject({ decision: "approved", session_id: id });
    await until("the turn's end", () =>
      onlooker.events.some(
        ({ event, data }) =>
          event === "turn.ended" &&
          recordOf(recordOf(data).data).turn_id === textOf(asked.json, "turn_id"),
      ),
    );

    expect(onlooker.events.some(({ event }) => event === "delta")).toBe(true);
    const { events } = await belay.sessions.log({ id, limit: 1000 });
    const seen = onlooker.events.filter(({ event }) => event !== "delta").map(({ data }) => data);
    expect(seen).toEqual(events.slice(0, seen.length));
    onlooker.cut();
  });

  it("has one log of all events, in order, each with its author", async () => {
    const { events } = await belay.sessions.log({ id, limit: 1000 });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, nth) => nth + 1));
    const by = (type: string) => events.filter((event) => event.type === type);
    expect(by("session.created")).toMatchObject([{ interface: "cli" }]);
    expect(by("session.suspended")).toMatchObject([{ interface: "cli" }]);
    expect(by("session.resumed")).toMatchObject([
      { interface: "api", actor: "token:server-token" },
    ]);
    expect(by("message.queued")).toMatchObject([{ interface: "cli" }, { interface: "api" }]);
    expect(by("approval.decided")).toMatchObject([{ interface: "cli" }]);
    const saved = by("checkpoint.saved").filter(({ data }) => data.name === "between");
    expect(saved).toMatchObject([{ interface: "mcp", actor: "parity-actor" }]);
  });

  it("is one conversation in the library, and verifies", async () => {
    const { turns } = await belay.turns.list({ id });
    expect(turns.map(({ status }) => status)).toEqual(["interrupted", "completed"]);
    expect(turns[1]?.output).toContain("two words");
    expect(turns[1]?.output).toContain("and three");
    expect((await belay.sessions.get({ id })).project?.cwd).toBe(join(place.root, "work"));
    const verified = await runBelay(place, ["verify", "--json"]);
    expect(verified.code).toBe(0);
  });
});
