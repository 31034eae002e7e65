import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { saveUpload } from "../../src/import/save-upload.ts";
import { readGaia } from "../../src/integrations/copilot/gaia-database.ts";
import { OpencodeDatabase } from "../../src/integrations/opencode/opencode-database.ts";

const MB = Buffer.alloc(1024 * 1024);

/** The gate does not limit a request without a length. */
it("an upload that is too large is stopped, and leaves nothing", async () => {
  let sent = 0;
  let isLeft = false;
  async function* endless() {
    try {
      for (; sent < 2 * LIMITS.BLOB_BYTES; sent += MB.length) yield MB;
    } finally {
      isLeft = true;
    }
  }
  await expect(saveUpload("a.json", endless())).rejects.toMatchObject({ code: "too_large" });
  expect(sent).toBeLessThan(LIMITS.BLOB_BYTES + 8 * MB.length);
  expect(isLeft).toBe(true);
  const { path, remove } = await saveUpload("a.json", (async function* () {})());
  remove();
  expect(existsSync(dirname(path))).toBe(false);
});

it("views in place of a workspace's tables are not read", () => {
  const folder = mkdtempSync(join(tmpdir(), "belay-view-"));
  try {
    const path = join(folder, "gaia.db");
    const made = new DatabaseSync(path);
    made.exec(
      "CREATE VIEW backlog AS SELECT 'T1' AS id, 't' AS title; CREATE VIEW audit AS SELECT 1",
    );
    made.close();
    expect(readGaia(path)).toEqual({ backlog: [], audit: null });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.each(["session", "SESSION"])("a database whose %s is a view is not read", async (name) => {
  const folder = mkdtempSync(join(tmpdir(), "belay-view-"));
  try {
    const path = join(folder, "opencode.db");
    const made = new DatabaseSync(path);
    // Twelve rows here; an attacker's has no end.
    made.exec(`CREATE TABLE message(id); CREATE TABLE part(id);
      CREATE VIEW ${name} AS WITH RECURSIVE n(id) AS
      (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 12)
      SELECT id, 0 AS parent_id, '' AS directory, '' AS title, '' AS version,
        0 AS time_created, 0 AS time_updated FROM n`);
    made.close();
    await expect(OpencodeDatabase.open(path)).rejects.toThrow('no table "session"');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
