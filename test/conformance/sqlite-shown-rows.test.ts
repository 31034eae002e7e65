import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { begin, countTo, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { Finding } from "../../src/store/store-care.ts";
import type { ListFilter } from "../../src/store/stream-store.ts";

const BOOK_2 = "WHERE key = 'book 2'";
const HOLDER = { name: "driver", pid: 4711, start_time: 1, boot_id: "boot" };
let folder: string;
let store: SqliteStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "belay-shown-rows-"));
  store = await openStore();
  for (const n of countTo(4)) await keep(store, begin(idOf(n), { key: `book ${n}` }));
  await store.lease(idOf(2), { acquire: HOLDER });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe("a list reads only what it shows", () => {
  it.each([
    ["seq", "seq = seq + 1"],
    ["epoch", "epoch = epoch + 1"],
    ["lease", "holder = replace(holder, 'driver', 'drover')"],
    ["missing lease", "holder = NULL"],
    ["head", "head = replace(head, 'a line', 'a lime')"],
    ["head of another form", "bytes = CAST(head AS BLOB)"],
    ["id", `id = '${idOf(9)}'`],
    ["key", "key = 'book 9'"],
    ["checksum", "crc = crc + 1"],
    ["checksum of another type", "crc = -1"],
  ])("and reports a changed %s as damage, as verify does", async (_, change) => {
    damage(`UPDATE streams SET ${change} WHERE key = 'book 2'`);
    const { streams, damaged } = await list();
    expect(streams.map(({ key }) => key)).toEqual(["book 4", "book 3", "book 1"]);
    expect(damaged).toHaveLength(1);
    expect(await inspect()).not.toEqual([]);
  });

  it("and a change of what it does not show is found by a read of the log, and by verify", async () => {
    damage("UPDATE streams SET phase = 'plamning' WHERE key = 'book 2'");
    const { streams, damaged } = await list();
    expect(streams.map(({ key }) => key)).toEqual(["book 4", "book 3", "book 2", "book 1"]);
    expect(streams[2]?.head).toEqual({ lines: 1, last: "a line" });
    expect(damaged).toEqual([]);
    const read = store.read([{ ref: { id: idOf(2) }, events: [{ after: 0, limit: 9 }] }]);
    await expect(read).rejects.toMatchObject({ code: "storage_damaged" });
    expect(await inspect()).toMatchObject([
      { kind: "damage", stream: idOf(2), what: "its head was changed after it was written" },
    ]);
  });

  it("and shows rows without a checksum of this part, of which it checks the whole", async () => {
    damage("UPDATE streams SET crc = NULL");
    expect((await list()).streams).toHaveLength(4);
    expect(await inspect()).toEqual([]);
    await reopen();
    damage("UPDATE streams SET phase = 'plamning' WHERE key = 'book 2'");
    expect((await list()).damaged).toEqual([{ id: idOf(2), key: "book 2" }]);
  });

  it("and shows rows that a process of an older version has changed, of which it checks the whole", async () => {
    await list();
    const database = new DatabaseSync(join(folder, "belay.db"));
    database.exec(`CREATE TEMP TABLE before AS SELECT * FROM streams ${BOOK_2}`);
    await keep(store, write(idOf(2), { lines: ["another line"] }));
    database.exec(`CREATE TEMP TABLE after AS SELECT * FROM streams ${BOOK_2}`);
    const columns = "seq, hash, opened, sum, head";
    const change = (written: string, from: string) =>
      database.exec(
        `UPDATE streams SET (${written}) = (SELECT ${written} FROM temp.${from}) ${BOOK_2}`,
      );
    change(`${columns}, crc`, "before");
    // That version does not know the checksum of this part.
    change(columns, "after");
    database.close();
    const { streams, damaged } = await list();
    expect(damaged).toEqual([]);
    expect(streams.find(({ key }) => key === "book 2")?.seq).toBe(2);
    expect(await inspect()).toEqual([]);
  });

  it("and a log can be read after a list has read its stream", async () => {
    await list();
    const [part] = await store.read([{ ref: { id: idOf(2) }, events: [{ after: 0, limit: 9 }] }]);
    expect(part?.events[0]).toHaveLength(1);
    expect(part?.stream.lease?.holder).toEqual(HOLDER);
  });
});

describe("an index that points to a stream that does not match", () => {
  it.each(["unread", "read by another list"])("shows it in no list: %s", async (how) => {
    await withStaleIndex(() => keep(store, write(idOf(2), { listing: { agent: "other" } })));
    if (how !== "unread") await list();
    const { streams } = await list({ agent: "scribe", status: ["active"] });
    expect(streams.map(({ key }) => key)).toEqual(["book 4", "book 3", "book 1"]);
  });
});

function openStore(): Promise<SqliteStore> {
  return openSqliteStore({ folder, isAlive: () => true });
}

async function reopen(): Promise<void> {
  await store.close();
  store = await openStore();
}

function list(filter: ListFilter = {}) {
  return store.list({ kind: "session", owner: "ann", filter, limit: 9 });
}

function damage(sql: string): void {
  const database = new DatabaseSync(join(folder, "belay.db"));
  database.exec(sql);
  database.close();
}

async function inspect(): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of store.inspect()) findings.push(finding);
  return findings;
}

/** Hides the index of agents from SQLite while something is written. */
async function withStaleIndex(work: () => Promise<unknown>): Promise<void> {
  await store.close();
  const database = openSchema();
  const { rootpage, sql } =
    database.prepare("SELECT rootpage, sql FROM sqlite_schema WHERE name = ?").get(INDEX) ?? {};
  database.prepare("DELETE FROM sqlite_schema WHERE name = ?").run(INDEX);
  database.close();
  store = await openStore();
  await work();
  await store.close();
  const again = openSchema();
  again
    .prepare("INSERT INTO sqlite_schema VALUES ('index', ?, 'streams', ?, ?)")
    .run(INDEX, rootpage ?? null, sql ?? null);
  again.close();
  store = await openStore();
}

const INDEX = "streams_by_agent";

function openSchema(): DatabaseSync {
  const database = new DatabaseSync(join(folder, "belay.db"), { defensive: false });
  database.exec("PRAGMA writable_schema = ON");
  return database;
}
