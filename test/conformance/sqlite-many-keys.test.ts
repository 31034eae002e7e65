import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { begin, countTo, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

const MANY = 6;
let folder: string;
let store: SqliteStore;

const KEYS = countTo(MANY).map((n) => `book ${n}`);

// Entries of a key ring are not cached.
describe.each(["session", "key"] as const)("streams of the kind %s", (kind) => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "belay-many-keys-"));
    store = await openSqliteStore({ folder, isAlive: () => true });
    for (const n of countTo(MANY)) await keep(store, begin(idOf(n), { kind, key: `book ${n}` }));
  });

  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  function readAll(keys: readonly string[]) {
    return store.read(keys.map((key) => ({ ref: { kind, owner: "ann", key } })));
  }

  it("many streams by key come in the order of the reads, also twice, without those that are missing", async () => {
    const asked = ["book 3", "missing", ...KEYS.toReversed(), "book 3"];
    const expected = asked.map((key) => (key === "missing" ? undefined : key));
    for (const _ of ["unread", "read before"]) {
      const parts = await readAll(asked);
      expect(parts.map((part) => part?.stream.key)).toEqual(expected);
    }
  });

  it("many streams by key show what was written since they were last read", async () => {
    await readAll(KEYS);
    await keep(store, write(idOf(2), { lines: ["new"] }));
    const parts = await readAll(KEYS);
    expect(parts.map((part) => part?.stream.seq)).toEqual([1, 2, 1, 1, 1, 1]);
  });

  it.each([
    ["head", "head = replace(head, '1', '2')"],
    ["key in its row", "key = 'book 9', sum = zeroblob(8)"],
  ])("many streams by key are refused if one of them has a damaged %s", async (_, change) => {
    const db = new DatabaseSync(join(folder, "belay.db"));
    db.exec(`UPDATE streams SET ${change} WHERE key = 'book 4'`);
    db.close();
    await expect(readAll([...KEYS, "book 9"])).rejects.toMatchObject({ code: "storage_damaged" });
  });
});
