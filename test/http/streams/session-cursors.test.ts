import { cpSync, mkdirSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createService } from "../../../src/compose-service.ts";
import { LiveText } from "../../../src/drive/live/live-text.ts";
import { watchLog } from "../../../src/drive/run/watch-session.ts";
import { newId } from "../../../src/service/new-id.ts";
import { createBacking } from "../../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { listen } from "../../graphql/clients.ts";
import { eventOf } from "../../graphql/raw-socket.ts";
import { until } from "../../run/run-lab.ts";
import type { TestServer } from "../open-server.ts";
import { begin, makeHome, openLive, read } from "./live-server.ts";

const caller = { owner: "ann", actor: "test", interface: "api", trace_id: null } as const;

async function note({ service }: TestServer, id: string, words: readonly string[]): Promise<void> {
  for (const word of words) await service.call("update", { id, metadata: { word } }, caller);
}

/** A client's last id, and a server on an older copy of the data, in which other things happened since. */
async function rollBack() {
  const home = makeHome();
  const first = await openLive({ home });
  const id = await begin(first);
  await note(first, id, ["one", "two"]);
  await first.close();
  const copy = makeHome();
  cpSync(home, copy, { recursive: true });
  const second = await openLive({ home });
  await note(second, id, ["three", "four"]);
  const reader = read(second, `/sessions/${id}/events`);
  await until("all events", () => reader.events.length === 5);
  const ids = reader.events.map((event) => event.id ?? "");
  await second.close();
  rmSync(home, { recursive: true });
  mkdirSync(home, { mode: 0o700 });
  cpSync(copy, home, { recursive: true });
  const third = await openLive({ home });
  await note(third, id, ["other", "others", "and", "more"]);
  return { server: third, id, ids };
}

describe("a session's cursor", () => {
  it("is the seq and a digest, the same in the log and in every door", async () => {
    const server = await openLive();
    const id = await begin(server);
    await note(server, id, ["one"]);
    const reader = read(server, `/sessions/${id}/events`);
    await until("all events", () => reader.events.length === 2);
    const ids = reader.events.map((event) => event.id ?? "");
    expect(ids).toEqual([
      expect.stringMatching(/^1-[0-9a-f]{8}$/),
      expect.stringMatching(/^2-[0-9a-f]{8}$/),
    ]);
    const log = await server.ask("GET", `/sessions/${id}/events`);
    expect(log.json).toMatchObject({ next_cursor: null, cursor: ids[1] });
    const rest = await server.ask("GET", `/sessions/${id}/events?after=${ids[0]}`);
    expect(rest.json).toMatchObject({ events: [{ seq: 2 }], cursor: ids[1] });
    const seen: unknown[] = [];
    const { cut } = listen(
      "sse",
      server,
      server.tokens.ann.read,
      { id },
      {
        next: (answer) => seen.push(eventOf(answer).cursor),
      },
    );
    await until("both", () => seen.length === 2);
    cut();
    expect(seen).toEqual(ids);
    reader.cut();
  });

  it("names the inherited events of a fork by the fork's own log", async () => {
    const server = await openLive();
    const id = await begin(server);
    await note(server, id, ["one"]);
    const child = await server.service.call("fork", { id }, caller);
    const parent = await server.service.call("log", { id, limit: 1 }, caller);
    const inherited = await server.service.call("log", { id: child.session_id, limit: 1 }, caller);
    expect(inherited.events).toEqual(parent.events);
    expect(inherited.cursor).not.toBe(parent.cursor);
    const readAfter = (of: string, cursor: string | null) =>
      server.ask("GET", `/sessions/${of}/events?after=${cursor}`);
    expect((await readAfter(child.session_id, inherited.cursor)).status).toBe(200);
    expect(await readAfter(child.session_id, parent.cursor)).toMatchObject({
      status: 410,
      json: { error: "history_changed" },
    });
  });

  it("of an event that a restored backup does not have is refused in every door", async () => {
    const { server, id, ids } = await rollBack();
    const gone = ids[4] ?? "";
    const changed = { error: "history_changed", details: { seq: 5, newest: 7 } };
    const headers = { accept: "text/event-stream" };
    const path = `/sessions/${id}/events`;
    expect(
      await server.ask("GET", path, { headers: { ...headers, "last-event-id": gone } }),
    ).toMatchObject({ status: 410, json: changed });
    for (const each of [{ headers }, {}]) {
      const answer = await server.ask("GET", `${path}?after=${gone}`, each);
      expect(answer).toMatchObject({ status: 410, json: changed });
    }
    for (const way of ["ws", "sse"] as const) {
      const { ended } = listen(
        way,
        server,
        server.tokens.ann.read,
        { id, cursor: gone },
        {
          next: (answer) => expect(answer).toBeNull(),
        },
      );
      // The client library for SSE only tells the status.
      if (way === "sse") expect(String(await ended)).toContain("410");
      else {
        const extensions = { code: "history_changed", details: changed.details };
        expect(await ended).toMatchObject([{ extensions }]);
      }
    }
    // The events before the backup are the same.
    for (const [nth, cursor] of [ids[2], "3"].entries()) {
      const reader = read(server, path, { headers: { "last-event-id": cursor ?? "" } });
      await until(`the rest ${nth}`, () => reader.events.length === 4);
      reader.cut();
    }
    // A seq alone is not checked.
    const bare = read(server, `${path}?after=5`);
    await until("the last", () => bare.events.length === 2);
    bare.cut();
  });

  it.each([
    ["forged", "2-00000000", 410, "history_changed"],
    ["of the future", "99-0a1b2c3d", 410, "history_changed"],
    ["of event 0", "0-0a1b2c3d", 400, "invalid_input"],
    ["too short", "2-0a1b2c3", 400, "invalid_input"],
    ["too long", `2-${"0".repeat(5000)}`, 400, "invalid_input"],
    ["of a huge event", "9999999999999999-0a1b2c3d", 400, "invalid_input"],
    ["not hexadecimal", "2-0a1b2c3g", 400, "invalid_input"],
  ])("that is %s is refused", async (_, cursor, status, error) => {
    const server = await openLive();
    const id = await begin(server);
    await note(server, id, ["one"]);
    for (const headers of [{ accept: "text/event-stream" }, { accept: "application/json" }]) {
      const answer = await server.ask("GET", `/sessions/${id}/events?after=${cursor}`, { headers });
      expect([answer.status, answer.json]).toMatchObject([status, { error }]);
    }
  });
});

describe("an open stream of a session", () => {
  it.each([
    { how: "shorter", others: ["other"] },
    { how: "as long, with other events", others: ["other", "others", "and", "more"] },
  ])("ends if the log below it is $how", async ({ how, others }) => {
    const shared = createBacking();
    const context = { store: openMemoryStore({ shared }), now: Date.now, newId };
    const service = createService(context);
    const input = { agent_name: "a", session_id: "sess-1" };
    const { entity_id } = await service.call("create", input, caller);
    const write = (word: string) =>
      service.call("update", { id: "sess-1", metadata: { word } }, caller);
    for (const word of ["one", "two", "three"]) await write(word);
    const stop = new AbortController();
    const from = { place: { seq: 0, digest: null }, read: null };
    const items = watchLog(context, new LiveText(), entity_id, from, stop.signal);
    for (const seq of [1, 2, 3, 4]) expect((await items.next()).value).toMatchObject({ seq });
    const next = items.next();
    next.catch(() => {});
    // A shorter log is noticed by a call for an event that is much too late.
    await sleep(how === "shorter" ? 1100 : 20);
    // The state of two events ago, as after a restored backup.
    const stream = shared.streams.get(entity_id);
    stream?.events.splice(2);
    stream?.heads.splice(2);
    for (const word of others) await write(word);
    await expect(next).rejects.toMatchObject({ code: "history_changed", details: { seq: 4 } });
    stop.abort();
  });
});
