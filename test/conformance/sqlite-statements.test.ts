import { DatabaseSync } from "node:sqlite";
import { expect, it, vi } from "vitest";
import { Connection } from "../../src/store/sqlite/database/connection.ts";

it("a connection keeps the newest statements, and no more than a limited number", () => {
  const db = new Connection(() => new DatabaseSync(":memory:"));
  const prepared = vi.spyOn(DatabaseSync.prototype, "prepare");
  const read = (n: number) => [db.get(`SELECT ${n} AS n`)?.n, db.getValues(`SELECT ${n}`)?.[0]];
  try {
    for (let n = 0; n < 1200; n += 1) expect(read(n)).toEqual([n, n]);
    prepared.mockClear();
    expect(read(1199)).toEqual([1199, 1199]);
    expect(prepared).not.toHaveBeenCalled();
    // An old one was forgotten, and is prepared again.
    expect(read(0)).toEqual([0, 0]);
    expect(prepared).toHaveBeenCalledTimes(2);
  } finally {
    prepared.mockRestore();
    db.close();
  }
});
