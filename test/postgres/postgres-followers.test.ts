import pg from "pg";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { LiveText } from "../../src/drive/live/live-text.ts";
import { watchLog } from "../../src/drive/run/watch-session.ts";
import { begin, countTo, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { readNotice, writeNotice } from "../../src/store/postgres/read/change-notice.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { until } from "../run/run-parts.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
afterAll(() => server.remove());
const url = server.urlOf("postgres");

const open = new Set<{ close(): Promise<unknown> }>();
afterEach(async () => {
  vi.restoreAllMocks();
  for (const each of open) await each.close();
  open.clear();
});

async function openStore(): Promise<StreamStore> {
  const store = await openPostgresStore({ url, isAlive: () => true });
  open.add(store);
  return store;
}

let streams = 0;
async function createStream(store: StreamStore): Promise<string> {
  streams += 1;
  const id = idOf(streams);
  await keep(store, begin(id));
  return id;
}

/** Two nodes, and the calls of watchers of two streams at the first node, which listens and has found the feed's end. */
async function watchTwo() {
  const [node, other] = [await openStore(), await openStore()];
  const [a, b] = [await createStream(other), await createStream(other)];
  const calls = { a: 0, b: 0 };
  node.watch(() => {
    calls.a += 1;
  }, a);
  node.watch(() => {
    calls.b += 1;
  }, b);
  // One call when it listens, and one when it knows the end of the feed.
  await until("two calls", () => calls.a >= 2);
  const before = { ...calls };
  return { node, other, a, b, calls, before };
}

/** A transaction of Belay's own role that appends an event and sends no notice. */
async function writeSilently(id: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  open.add({ close: () => client.end() });
  await client.query("BEGIN");
  await client.query(`INSERT INTO belay.events (sid, seq, era, pos, type, at, actor, interface, hash, body)
    SELECT s.sid, s.seq + 1, m.era, 1, 'line.written', 1, 'ann', 'library', '', '{"text":"silent"}'
    FROM belay.streams s, belay.meta m WHERE s.id = '${id}'`);
  return client;
}

const caller = { owner: "ann", actor: "test", interface: "api", trace_id: null } as const;

describe("followers on PostgreSQL", () => {
  it("read only if their session has changed: 100 of them, and 50 commits to one session", async () => {
    const [node, writer] = [await openStore(), await openStore()];
    const context = createContext(node);
    const service = createService(createContext(writer));
    const sessions = await Promise.all(
      countTo(100).map((n) => service.call("create", { agent_name: `agent-${n}` }, caller)),
    );
    const stop = new AbortController();
    const seen = new Map<string, number>();
    let calls = 0;
    const following = sessions.map(async ({ entity_id }) => {
      const from = { place: { seq: 0, digest: null }, read: null };
      for await (const item of watchLog(context, new LiveText(), entity_id, from, stop.signal)) {
        if ("seq" in item) seen.set(entity_id, item.seq);
      }
    });
    const [first = { entity_id: "", session_id: "" }] = sessions;
    node.watch(() => {
      calls += 1;
    }, first.entity_id);
    await until("the first events", () => seen.size === 100 && calls >= 2);

    const queries = vi.spyOn(pg.Client.prototype, "query");
    const start = seen.get(first.entity_id) ?? 0;
    for (const n of countTo(50)) {
      const input = { id: first.session_id, input: "", output: `${n}` };
      await service.call("record_turn", input, caller);
      await until("the event", () => (seen.get(first.entity_id) ?? 0) >= start + n);
    }
    // Each commit needs a write, a notice and a few reads; the polls of the node are few. The other followers still look
    // once whether there is more than they have read, which takes two queries each.
    expect(queries.mock.calls.length).toBeLessThan(50 * 10 + 2 * 99);
    stop.abort();
    await Promise.all(following);
  });

  it("are called for a commit whose notice was lost, each only for their own stream", async () => {
    const { a, calls, before } = await watchTwo();
    const silent = await writeSilently(a);
    await silent.query("COMMIT");
    await until("a call", () => calls.a > before.a);
    expect(calls.b).toBe(before.b);
  });

  it("do not wait for an earlier transaction, and its commit is not skipped later", async () => {
    const { other, a, b, calls, before } = await watchTwo();
    const slow = await writeSilently(b);
    await keep(other, write(a));
    await until("a call", () => calls.a > before.a);
    expect(calls.b).toBe(before.b);
    // Long enough for a poll that would pass the open transaction.
    await new Promise((resolve) => setTimeout(resolve, 600));
    await slow.query("COMMIT");
    await until("a call", () => calls.b > before.b);
  });

  it("are called once more for a notice of an older version, or of another program", async () => {
    const { a, calls, before } = await watchTwo();
    for (const notice of ["", "hello", "{}", '["someone"]', '["someone", 1]', '[["x", 1]]']) {
      const silent = await writeSilently(a);
      await silent.query("COMMIT");
      const { a: last } = calls;
      await query(url, `SELECT pg_notify('belay', '${notice}')`);
      await until("a call", () => calls.a > last);
      await query(url, `UPDATE belay.streams SET seq = seq + 1 WHERE id = '${a}'`);
    }
    expect(calls.b).toBe(before.b);
  });

  it("are all called when the era rises", async () => {
    const { calls, before } = await watchTwo();
    await query(url, "UPDATE belay.meta SET era = era + 1");
    await until("calls", () => calls.a > before.a && calls.b > before.b);
  });

  it("are all called when the connection for notices was lost", async () => {
    const { calls, before, other, a } = await watchTwo();
    await query(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN belay'",
    );
    await until("calls", () => calls.a > before.a && calls.b > before.b);
    const last = calls.a;
    await keep(other, write(a));
    await until("a call", () => calls.a > last);
  });
});

describe("a notice", () => {
  it("names the changed streams, as many as PostgreSQL accepts", () => {
    const changed = countTo(100).map((n) => [idOf(n), n] as const);
    expect(readNotice(writeNotice("node", changed))).toEqual({ from: "node", changed });
    const many = countTo(300).map((n) => [idOf(n), n] as const);
    expect(readNotice(writeNotice("node", many))).toEqual({ from: "node", changed: null });
  });
});
