import { spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  begin,
  countTo,
  idOf,
  keep,
  keyed,
  textsOf,
  write,
} from "../../src/store/conformance/notebook.ts";
import { turnFeed } from "../../src/store/conformance/turn-pages.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { readEvents, readFeedEnd } from "../../src/store/read-streams.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { openProxy } from "./postgres-proxy.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
await query(server.urlOf("postgres"), "CREATE ROLE other SUPERUSER LOGIN");
afterAll(() => server.remove());

const open = new Set<{ close(): Promise<unknown> }>();
afterEach(async () => {
  for (const each of open) await each.close();
  open.clear();
});

let databases = 0;
async function createDatabase(): Promise<string> {
  databases += 1;
  await query(server.urlOf("postgres"), `CREATE DATABASE faults_${databases}`);
  return server.urlOf(`faults_${databases}`);
}

async function openStore(url: string, busyMs = 10_000): Promise<StreamStore> {
  const store = await openPostgresStore({ url, isAlive: () => true, busyMs });
  open.add(store);
  return store;
}

async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  open.add({ close: () => client.end() });
  return client;
}

const A = idOf(1);
const texts = async (store: StreamStore, id: string) =>
  textsOf(await readEvents(store, id, { after: 0, limit: 999 }));

describe("the feed of a PostgreSQL store", () => {
  /** An open transaction of Belay's own role that has written an event. */
  async function writeSlowly(url: string): Promise<pg.Client> {
    const client = await openClient(url);
    await client.query("BEGIN");
    await client.query(`INSERT INTO belay.events (sid, seq, era, pos, type, at, actor, interface, hash, body)
      SELECT sid, seq + 1, 1, 1, 'line.written', 1, 'ann', 'library', '', '{"text":"slow"}' FROM belay.streams
      WHERE id = '${A}'`);
    return client;
  }

  it("waits for open transactions, and skips nothing", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    await keep(store, begin(A, { lines: ["begun"] }));
    const slow = await writeSlowly(url);
    await keep(store, begin(idOf(2), { lines: ["fast"] }));
    const seen = await turnFeed(store, "", 9);
    expect(textsOf(seen)).toEqual(["begun"]);
    const { cursor } = await store.readFeed({ after: "", limit: 9 });
    const end = await readFeedEnd(store);
    await slow.query("COMMIT");
    expect(textsOf(await turnFeed(store, cursor, 9))).toEqual(["slow", "fast"]);
    expect(textsOf(await turnFeed(store, end, 9))).toEqual(["slow", "fast"]);
  });

  it("control: skips events if it is read by sequence", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    await keep(store, begin(A, { lines: ["begun"] }));
    const slow = await writeSlowly(url);
    await keep(store, begin(idOf(2), { lines: ["fast"] }));
    const bySequence = async (after: string) => {
      const { rows } = await query(
        url,
        `SELECT body, xid FROM belay.events WHERE xid > '${after}' ORDER BY xid`,
      );
      return rows;
    };
    const first = await bySequence("0");
    await slow.query("COMMIT");
    const rest = await bySequence(first.at(-1)?.xid);
    const all = [...first, ...rest].map(({ body }) => JSON.parse(body).text);
    expect(all).toEqual(["begun", "fast"]);
  });

  it("control: skips events if transaction ids are widened with the wrong sign", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    await keep(store, begin(A, { lines: ["begun"] }));
    const { rows } = await query(
      url,
      "SELECT pg_get_functiondef('belay.feed_end'::regproc) AS sql",
    );
    const wrong = `${rows[0].sql}`
      .replace("min(top - (", "min(top + (")
      .replace(") + 2147483648)", ") - 2147483648)");
    expect(wrong).not.toBe(rows[0].sql);
    await query(url, wrong);
    const slow = await writeSlowly(url);
    await keep(store, begin(idOf(2), { lines: ["fast"] }));
    expect(textsOf(await turnFeed(store, "", 9))).toEqual(["begun", "fast"]);
    await slow.query("ROLLBACK");
  });

  it("combines the notices of commits that follow each other quickly", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    const listener = await openClient(url);
    let notices = 0;
    listener.on("notification", () => {
      notices += 1;
    });
    await listener.query("LISTEN belay");
    await keep(store, begin(A));
    await expect.poll(() => notices).toBe(1);
    const start = performance.now();
    for (let n = 0; n < 300; n += 1) await keep(store, write(A));
    // The notice of the last commit is sent before the store is closed.
    await store.close();
    await listener.query("SELECT 1");
    expect(notices).toBeGreaterThan(1);
    expect(notices).toBeLessThan(3 + (performance.now() - start) / 5);
  });

  it("is not delayed by a long transaction of another program", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    await keep(store, begin(A, { lines: ["begun"] }));
    const other = await openClient(url.replace("belay@", "other@"));
    await other.query("BEGIN");
    await other.query("SELECT pg_current_xact_id()");
    await keep(store, write(A, { lines: ["next"] }));
    expect(textsOf(await turnFeed(store, "", 9))).toEqual(["begun", "next"]);
  });

  it("continues in a new era after a restore into another cluster", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    await keep(store, begin(A, { lines: ["begun"] }));
    const { cursor } = await store.readFeed({ after: "", limit: 9 });
    await store.close();
    // Like a restored dump: transaction ids of another cluster, far ahead of this one's.
    await query(url, "UPDATE belay.meta SET cluster = 'another'");
    await query(url, "UPDATE belay.events SET xid = '99999999'");
    const far = cursor.replace(/\.\d+\./, ".99999999.");
    const restored = await openStore(url);
    await keep(restored, write(A, { lines: ["restored"] }));
    expect(textsOf(await turnFeed(restored, far, 9))).toEqual(["restored"]);
    expect(textsOf(await turnFeed(restored, "", 9))).toEqual(["begun", "restored"]);
  });
});

describe("a PostgreSQL store whose server fails", () => {
  it("keeps each acknowledged event once if the answer to a commit is lost", async () => {
    const url = await createDatabase();
    const direct = await openStore(url);
    await keep(direct, begin(A, { lines: ["begun"] }));
    const proxy = await openProxy(server.port);
    const store = await openStore(url.replace(`:${server.port}`, `:${proxy.port}`));
    await keep(store, write(A, { lines: ["before"] }));
    let cuts = 0;
    proxy.cutAnswers((answer) => {
      // The answer of the function that writes: one column, named moved, null.
      if (!answer.includes("moved") || cuts >= 3) return false;
      cuts += 1;
      return true;
    });
    for (const n of countTo(5)) await keep(store, write(A, { lines: [`line ${n}`] }));
    expect(cuts).toBe(3);
    const expected = ["begun", "before", ...countTo(5).map((n) => `line ${n}`)];
    expect(await texts(direct, A)).toEqual(expected);
    await store.close();
    open.delete(store);
    await proxy.close();
  });

  it("continues after the server was stopped immediately and restarted", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    await keep(store, begin(A, { lines: ["begun"] }));
    let isOver = false;
    const acknowledged: string[] = [];
    const writing = countTo(4).map(async (writer) => {
      for (let n = 1; !isOver; n += 1) {
        const line = `${writer} ${n}`;
        const key = keyed(write(A, { lines: [line] }), line);
        const { kind } = await store.transact(key);
        expect(["committed", "replayed"]).toContain(kind);
        acknowledged.push(line);
      }
    });
    for (const _ of countTo(2)) {
      const before = acknowledged.length;
      while (acknowledged.length < before + 20) await new Promise(setImmediate);
      await server.stop("immediate");
      await server.start();
    }
    const before = acknowledged.length;
    while (acknowledged.length < before + 20) await new Promise(setImmediate);
    isOver = true;
    await Promise.all(writing);
    const kept = (await readEvents(store, A, { after: 0, limit: 9999 })).map(({ data }) => data);
    const lines = textsOf(kept.map((data) => ({ data })));
    expect(lines.slice(1).toSorted()).toEqual(acknowledged.toSorted());
  });

  it("waits for locks and connections no longer than its timeout", async () => {
    const url = await createDatabase();
    const store = await openPostgresStore({ url, isAlive: () => true, busyMs: 400, readers: 1 });
    open.add(store);
    await keep(store, begin(A, { lines: ["begun"] }));
    const other = await openClient(url);
    await other.query("BEGIN");
    await other.query("LOCK TABLE belay.streams, belay.events IN ACCESS EXCLUSIVE MODE");
    const busy = { code: "store_busy" };
    const all = [store.transact(write(A)), texts(store, A), texts(store, A)];
    for (const each of await Promise.allSettled(all)) {
      expect(each).toMatchObject({ status: "rejected", reason: busy });
    }
    await other.query("COMMIT");
    await keep(store, write(A, { lines: ["next"] }));
    expect(await texts(store, A)).toEqual(["begun", "next"]);
  });

  it("continues after connections go silent", async () => {
    const url = await createDatabase();
    const direct = await openStore(url);
    await keep(direct, begin(A, { lines: ["begun"] }));
    const proxy = await openProxy(server.port);
    const through = url.replace(`:${server.port}`, `:${proxy.port}`);
    const options = { isAlive: () => null, leaseMs: 3000, busyMs: 60_000 };
    const store = await openPostgresStore({ url: through, ...options });
    const holder = { name: "one", pid: 1, start_time: null, boot_id: null };
    const ignore = () => {};
    const listener = { onGone: ignore, onLost: ignore, onReplaced: ignore, onCalled: ignore };
    const node = { id: "one", name: "one", holder, place: "one" };
    const joined = await store.nodes?.join(node, { room: () => 1, ...listener });
    await keep(store, write(A, { lines: ["before"] }));
    proxy.swallow(true);
    const meanwhile = store.transact(write(A, { lines: ["meanwhile"] }));
    while ((joined?.silence() ?? 0) < 1600) await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.swallow(false);
    expect(await meanwhile).toMatchObject({ kind: "committed" });
    expect(await texts(direct, A)).toEqual(["begun", "before", "meanwhile"]);
    await store.close();
    await proxy.close();
  });

  it("reports within its timeout that it cannot be reached", async () => {
    const url = await createDatabase();
    const store = await openStore(url, 300);
    await keep(store, begin(A));
    await server.stop("immediate");
    try {
      await expect(store.transact(write(A))).rejects.toMatchObject({ code: "storage_unreachable" });
      await expect(texts(store, A)).rejects.toMatchObject({ code: "storage_unreachable" });
      await expect(openStore(url, 300)).rejects.toMatchObject({ code: "storage_unreachable" });
    } finally {
      await server.start();
    }
    await keep(store, write(A));
  });
});

describe("the tables of a PostgreSQL store", () => {
  it("are created once if eight nodes open an empty database at the same time", async () => {
    const url = await createDatabase();
    const stores = await Promise.all(countTo(8).map(() => openStore(url)));
    await Promise.all(stores.map((store, n) => keep(store, begin(idOf(n + 1)))));
    const { rows } = await query(url, "SELECT count(*)::int AS n FROM belay.streams");
    expect(rows).toEqual([{ n: 8 }]);
  });

  it("are never read as a whole by a write, however small they are", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    for (const n of countTo(20)) await keep(store, begin(idOf(n + 1)));
    const [first] = (await query(url, "SELECT * FROM belay.streams WHERE seq = 1")).rows;
    const client = await openClient(url);
    await client.query("BEGIN");
    await client.query(
      `SELECT belay.write_batch(ARRAY[]::bigint[], $1, $2, $3, $4, NULL, $5, NULL, '[]', NULL, NULL, NULL, $6)`,
      [
        JSON.stringify([{ sid: first.sid, seq: 1, epoch: 0 }]),
        JSON.stringify([{ kind: "session", owner: "nobody", key: "none" }]),
        JSON.stringify([{ id: "none" }]),
        JSON.stringify([{ idem: "00" }]),
        JSON.stringify([{ ...first, seq: 2, hash: "00", start: 0, size: 2 }]),
        Buffer.from("{}"),
      ],
    );
    const { rows } = await client.query(
      "SELECT relname, n_tup_upd::int AS updated, seq_scan::int AS scans FROM pg_stat_xact_user_tables WHERE relname IN ('streams', 'keys') ORDER BY 1",
    );
    expect(rows).toEqual([
      { relname: "keys", updated: 0, scans: 0 },
      { relname: "streams", updated: 1, scans: 0 },
    ]);
  });

  it("are read no further than a list shows", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    const listings = ["active", "failed"].flatMap((status) =>
      ["scribe", "printer"].map((agent) => ({ status, agent })),
    );
    for (const [nth, owner] of ["ann", "bob"].entries()) {
      const ids = countTo(400).map((n) => idOf(400 * nth + n));
      await Promise.all(
        ids.map((id, n) => keep(store, begin(id, { owner, listing: { ...listings[n % 4] } }))),
      );
    }
    await query(url, "ANALYZE belay.streams");
    const [kind, owner, agent, status] = ["session", "ann", "scribe", "failed"] as const;
    for (const filter of [{ agent }, { status: [status] }, { agent, status: [status] }]) {
      const before = await countReads(url);
      const reader = await openPostgresStore({ url, isAlive: () => true });
      const { streams } = await reader.list({ kind, owner, filter, limit: 5 });
      expect(streams).toHaveLength(5);
      // A connection reports what it has read when it ends.
      await reader.close();
      await expect.poll(() => countReads(url)).toBeGreaterThan(before);
      expect((await countReads(url)) - before).toBeLessThan(20);
    }
  });

  it("are read no further than a page of events needs, however long the stream is", async () => {
    const url = await createDatabase();
    const store = await openStore(url);
    const lines = countTo(350).map((n) => `line ${n} ${"of a long stream ".repeat(120)}`);
    for (const n of [1, 2, 3]) await keep(store, begin(idOf(n), { lines }));
    await query(url, "ANALYZE belay.events");
    const reader = await openPostgresStore({ url, isAlive: () => true });
    const readPages = async () => {
      for (const page of [{ limit: 2 }, { limit: 2, bytes: 99_999 }]) {
        const events = await readEvents(reader, A, { before: 300, ...page });
        expect(events.map(({ seq }) => seq)).toEqual([298, 299]);
      }
    };
    // A connection keeps the plan that it has made when the stream was short.
    for (let n = 0; n < 10; n += 1) await readPages();
    for (let n = 0; n < 10; n += 1) await keep(store, write(A, { lines }));
    const before = await countReads(url, "events");
    await readPages();
    await reader.close();
    await expect.poll(() => countReads(url, "events")).toBeGreaterThan(before);
    expect((await countReads(url, "events")) - before).toBeLessThan(100);
  });

  async function countReads(url: string, table = "streams"): Promise<number> {
    const sql = `SELECT (idx_tup_fetch + seq_tup_read)::int AS n FROM pg_stat_user_tables WHERE relid = 'belay.${table}'::regclass`;
    return (await query(url, sql)).rows[0].n;
  }

  it("refuse a writer whose lease has passed to another", async () => {
    const url = await createDatabase();
    const [one, other] = [await openStore(url), await openStore(url)];
    await keep(one, begin(A));
    const holder = { name: "one", pid: 1, start_time: null, boot_id: null };
    const grant = await acquireLease(one, A, holder);
    if (!grant.granted) throw new Error("held by nobody, yet refused");
    await acquireLease(other, A, { ...holder, name: "other" }, true);
    const seen: (number | undefined)[] = [];
    await one.transact({
      streams: [{ id: A }],
      decide: ({ streams: [stream] }) => {
        seen.push(stream?.lease?.epoch);
        return { appends: [] };
      },
    });
    expect(seen.at(-1)).toBe(grant.epoch + 1);
  });
});

it("a script that does not close its store on PostgreSQL ends", async () => {
  const url = await createDatabase();
  const source = new URL("../../src/store/postgres/open-postgres-store.ts", import.meta.url);
  const script = `
    const { openPostgresStore } = await import(${JSON.stringify(source.href)});
    const store = await openPostgresStore({ url: ${JSON.stringify(url)}, isAlive: () => true });
    await store.read([{ ref: { id: "none" } }]);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: "inherit",
  });
  open.add({ close: async () => child.kill() });
  expect(await once(child, "exit")).toEqual([0, null]);
});
