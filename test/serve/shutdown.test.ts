import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Output } from "../../src/contract/operations.ts";
import { openBelay } from "../../src/index.ts";
import { EventReader } from "../http/streams/event-reader.ts";
import { processesMarked, until, writeAgent } from "../run/run-lab.ts";
import type { RealServer } from "./server-process.ts";
import { endAll, listOf, newPlace, runBelay, serve, textOf } from "./server-process.ts";

/** A server with all kinds of sessions is stopped while clients are connected. Then another replaces it. */
const place = newPlace();
const project = { cwd: join(place.root, "work"), repo: null, branch: null };
const served = ["driven-one", "driven-two", "served-only", "served-late"];
let exit: number | string;
let reader: EventReader;
let feedReader: EventReader;
let waiting: Promise<{ status: number }>;
let isEndedInOrder: boolean;
let entities: string[] = [];
let feed: Output<"events">["events"];
let next: RealServer;

beforeAll(async () => {
  mkdirSync(place.home, { mode: 0o700 });
  writeAgent(place.home, { flags: ["--ignore-term", "--ignore-end"] });
  const server = await serve(place);
  feedReader = new EventReader(`${server.url}/events`, { token: server.token });
  await feedReader.opened;
  const create = async (session_id: string, more: object = {}) => {
    const body = { agent_name: "elsewhere", session_id, project, ...more };
    return textOf((await server.ask("POST", "/sessions", { body })).json, "entity_id");
  };
  const record = (id: string) =>
    server.ask("POST", `/sessions/${id}/turns`, { body: { input: "Hello?", output: "Hi." } });
  const initial_message = "/say begun and going on\n/slow 60000";
  entities = [
    await create("driven-one", { agent_name: "demo", initial_message }),
    await create("driven-two", { agent_name: "agent" }),
    await create("served-only"),
    await create("completed"),
  ];
  await record("served-only");
  await record("completed");
  await server.ask("POST", "/sessions/completed/complete", { body: {} });
  await runBelay(place, ["create", "--agent", "elsewhere", "--id", "not-served", "--json"]);
  await runBelay(place, ["record-turn", "not-served", "--input", "a", "--output", "b", "--json"]);
  waiting = server.ask("POST", "/sessions/driven-two/messages", {
    body: { message: initial_message },
  });
  reader = new EventReader(`${server.url}/sessions/driven-one/events`, { token: server.token });
  for (const id of ["driven-one", "driven-two"]) {
    await until(`the words of ${id}`, async () => {
      const { json } = await server.ask("GET", `/sessions/${id}/events?limit=1000`);
      return listOf(json, "events").some(({ type }) => type === "turn.part");
    });
  }

  server.program.signal("SIGTERM");
  await server.program.says(() => (server.program.stderr.includes('"ending"') ? true : null));
  // It still accepts requests while an agent takes its time to end.
  await create("served-late");
  await record("served-late");
  isEndedInOrder = (await reader.closed) && (await feedReader.closed);
  exit = await server.program.ended;

  const belay = await openBelay({ home: place.home });
  feed = (await belay.past.events({ limit: 1000 })).events;
  await belay.close();
});

afterAll(async () => {
  await endAll();
  // Only needed if a test has failed.
  for (const pid of entities.flatMap(processesMarked)) process.kill(pid, "SIGKILL");
  place.remove();
});

describe("a server that gets SIGTERM", () => {
  it("exits cleanly, ends its streams in order, and leaves nothing running", async () => {
    expect(exit).toBe(0);
    expect(isEndedInOrder).toBe(true);
    expect((await waiting).status).toBeLessThan(300);
    expect(existsSync(join(place.home, "server.json"))).toBe(false);
    expect(entities.flatMap(processesMarked)).toEqual([]);
  });

  it("suspends its sessions with a checkpoint, and does not change others", async () => {
    const belay = await openBelay({ home: place.home });
    for (const id of served) {
      const session = await belay.sessions.get({ id });
      expect([id, session.status, session.driver]).toEqual([id, "suspended", null]);
      expect(session.checkpoint_id).not.toBeNull();
    }
    expect(await belay.sessions.get({ id: "completed" })).toMatchObject({ status: "completed" });
    expect(await belay.sessions.get({ id: "not-served" })).toMatchObject({ status: "active" });
    await belay.close();
  });

  it("suspends them in one transaction", () => {
    const suspended = feed.filter(({ type }) => type === "session.suspended");
    expect(suspended.map(({ id }) => id).toSorted()).toEqual(served.toSorted());
    expect(suspended.every(({ data }) => data.reason === "shutdown")).toBe(true);
    const together = suspended.filter(({ id }) => id !== "served-late");
    const isOfThem = (event: (typeof feed)[number]) => together.includes(event);
    const between = feed.slice(feed.findIndex(isOfThem), feed.findLastIndex(isOfThem) + 1);
    // One caller at one time, without any other event among them.
    expect(new Set(between.map(({ trace_id, at }) => `${trace_id} ${at}`)).size).toBe(1);
  });

  it("is followed by one where a client that reconnects misses nothing", async () => {
    next = await serve(place);
    const seen = reader.events
      .filter(({ id }) => id !== null)
      .map(({ id }) => Number.parseInt(id ?? "", 10));
    const again = new EventReader(`${next.url}/sessions/driven-one/events`, {
      token: next.token,
      headers: { "last-event-id": String(reader.lastId) },
    });
    await next.ask("POST", "/sessions/driven-one/resume", { body: {} });
    const types = () => again.events.map(({ event }) => event);
    await until("the resumption", () => types().includes("session.resumed"));
    const all = [
      ...seen,
      ...again.events
        .filter(({ id }) => id !== null)
        .map(({ id }) => Number.parseInt(id ?? "", 10)),
    ];
    expect(all).toEqual(all.map((_, nth) => nth + 1));
    const { json } = await next.ask("GET", "/sessions/driven-one/events?limit=1000");
    const log = listOf(json, "events").map(({ type }) => type);
    const told = [...reader.events, ...again.events].filter(({ id }) => id !== null);
    expect(told.map(({ event }) => event)).toEqual(log.slice(0, told.length));
    expect(told.map(({ event }) => event)).toContain("session.suspended");
    again.cut();

    const feedAgain = new EventReader(`${next.url}/events`, {
      token: next.token,
      headers: { "last-event-id": String(feedReader.lastId) },
    });
    await until("the resumption", () =>
      feedAgain.events.some(({ event }) => event === "session.resumed"),
    );
    feedAgain.cut();
    const heard = [...feedReader.events, ...feedAgain.events].map(({ data }) => data);
    const { json: whole } = await next.ask("GET", "/events?limit=1000");
    expect(heard).toEqual(listOf(whole, "events").slice(0, heard.length));

    const answer = await next.ask("POST", "/sessions/driven-one/messages", {
      body: { message: "/say back again" },
    });
    expect([answer.status, answer.json]).toMatchObject([200, { status: "completed" }]);
    expect(await next.end()).toBe(0);
    expect((await runBelay(place, ["verify", "--json"])).code).toBe(0);
  });
});
