import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dumpSchema } from "../../src/store/sqlite/database/dump-schema.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

it("the committed schema is that of a new database", async () => {
  const folder = mkdtempSync(join(tmpdir(), "belay-schema-"));
  try {
    const store = await openSqliteStore({ folder, isAlive: () => true });
    await store.close();
    const committed = new URL("../../src/store/sqlite/schema.sql", import.meta.url);
    expect(dumpSchema(folder)).toBe(readFileSync(committed, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
