import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { begin, countTo, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { Connection } from "../../src/store/sqlite/database/connection.ts";
import { dataFolder } from "../../src/store/sqlite/database/data-folder.ts";
import { openDatabase } from "../../src/store/sqlite/database/open-database.ts";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { planArms } from "../../src/store/sqlite/read/list-arm.ts";
import { conditionsOf } from "../../src/store/sqlite/read/list-filter.ts";
import type { ListFilter } from "../../src/store/stream-store.ts";

let folder: string;
let store: SqliteStore;
let db: Connection;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "belay-unsettled-"));
  store = await openSqliteStore({ folder, isAlive: () => true });
  db = new Connection(() =>
    openDatabase(dataFolder(folder), { readOnly: true, synchronous: "FULL" }),
  );
});

afterEach(async () => {
  db.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

it("a list of unsettled sessions reads only the owners of such sessions", async () => {
  await Promise.all(
    countTo(60).map((n) =>
      keep(
        store,
        begin(idOf(n), {
          owner: `owner ${n}`,
          listing: { unsettled: n > 58 ? 1 : 0, status: n % 2 === 0 ? "active" : "created" },
        }),
      ),
    ),
  );
  expect(armsOf({})).toHaveLength(60);
  expect(armsOf({ unsettled: true })).toEqual([
    ["streams_unsettled", "session", "owner 59", "created"],
    ["streams_unsettled", "session", "owner 60", "active"],
  ]);
  // Long-ended streams are skipped if the statuses are given.
  expect(armsOf({ unsettled: true, status: ["active"] })).toEqual([
    ["streams_unsettled", "session", "owner 59", "active"],
    ["streams_unsettled", "session", "owner 60", "active"],
  ]);
});

it("a stream that settles leaves the index, and the rest of its listing is unchanged", async () => {
  await keep(store, begin(idOf(1), { listing: { unsettled: 1 } }));
  expect(indexed()).toBe(1);
  await keep(store, write(idOf(1), { listing: { unsettled: 0 } }));
  expect(indexed()).toBe(0);
  await keep(store, write(idOf(1), { listing: { unsettled: 1 } }));
  expect(indexed()).toBe(1);
  await keep(store, write(idOf(1), { listing: { unsettled: 0, status: "completed" } }));
  expect(indexed()).toBe(0);
  for await (const finding of store.inspect()) expect.unreachable(finding.what);
});

function armsOf(filter: ListFilter) {
  const query = { kind: "session", owner: null, filter, limit: 9 } as const;
  return planArms(db, query, conditionsOf(filter)).map(({ index, equal }) => [
    index,
    ...equal.flatMap(({ values }) => values),
  ]);
}

function indexed(): unknown {
  const sql =
    "SELECT count(*) AS n FROM streams INDEXED BY streams_unsettled WHERE unsettled = 1 AND kind = 'session'";
  return db.get(sql)?.n;
}
