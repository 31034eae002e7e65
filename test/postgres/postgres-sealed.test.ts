import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { composeEncryption } from "../../src/compose-encryption.ts";
import { openStore } from "../../src/compose-store.ts";
import { readEncryptionMark } from "../../src/files/encryption-mark.ts";
import { begin, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { readEverything } from "../../src/store/conformance/read-everything.ts";
import { readEvents } from "../../src/store/read-streams.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { killEnable } from "../sealed/kill-enable.ts";
import { CANARY, expectUsable, fillPlain, withoutHashes } from "../sealed/plain-data.ts";
import { newKeyFile, withKey } from "../sealed/with-key.ts";
import { dumpSchema } from "./dump-schema.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
const url = server.urlOf("postgres");
const home = temporaryFolder();
const open = () => openStore({ home, onNotice: () => {} });
const enable = () => composeEncryption(home, () => {}).enable({ plain_mirrors: false });

beforeAll(async () => {
  await server.start();
  process.env.BELAY_DATABASE_URL = url;
});
afterAll(async () => {
  delete process.env.BELAY_DATABASE_URL;
  await server.remove();
});

it("encrypts a database that has data, and continues after a kill", async () => {
  const store = await open();
  await fillPlain(store);
  const before = await readEverything(store);
  const { cursor } = await store.readFeed({ after: "", limit: 1000 });
  const schema = await dumpSchema(url);
  await withKey(() => expect(enable()).rejects.toMatchObject({ code: "store_busy" }));
  await store.close();
  expect(await isFound()).toBe(true);

  await withKey(async () => {
    let kills = 0;
    // There are 52 events: a second life is enough if it continues the first, and no number of lives otherwise.
    for (; killEnable(home, 30); kills += 1) expect(kills).toBeLessThan(4);
    expect(kills).toBe(1);
    expect(existsSync(join(home, "encryption.json"))).toBe(false);
    const sealed = await open();
    expect((await sealed.readFeed({ after: cursor, limit: 9 })).events).toEqual([]);
    expect(withoutHashes(await readEverything(sealed))).toEqual(withoutHashes(before));
    expect(await isFound()).toBe(false);
    expect(await dumpSchema(url)).toEqual(schema);
    const findings = [];
    for await (const finding of sealed.inspect?.() ?? []) findings.push(finding);
    expect(findings).toEqual([]);
    await expectUsable(sealed);
    await sealed.close();
    await expect(enable()).rejects.toMatchObject({ code: "storage_unsupported" });
  });
});

it("decrypts no row of a purged session, unless its wrapped key was copied before", async () => {
  await withKey(async () => {
    const sealed = await open();
    await keep(sealed, begin(idOf(60), { lines: [CANARY] }));
    const [key] = (await query(url, KEY_OF_NEWEST)).rows;
    await query(url, "CREATE SCHEMA saved");
    for (const table of SAVED) {
      await query(url, `CREATE TABLE saved.${table} AS SELECT * FROM belay.${table}`);
    }
    await sealed.purge(idOf(60), Date.now());
    await sealed.close();
    const restore = async (id: string) => {
      for (const table of SAVED) {
        const sql = `INSERT INTO belay.${table} SELECT * FROM saved.${table} WHERE sid = (SELECT sid FROM saved.streams WHERE id = '${id}')`;
        await query(url, sql);
      }
    };
    await restore(idOf(60));
    const read = async () => {
      const store = await open();
      try {
        return await readEvents(store, idOf(60), { after: 0, limit: 9 });
      } finally {
        await store.close();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "storage_damaged" });
    await restore(key.id);
    expect(await read()).toMatchObject([{ data: { text: CANARY } }]);
  });
});

const SAVED = ["streams", "events", "names"];
const KEY_OF_NEWEST = "SELECT id FROM belay.streams WHERE kind = 'key' ORDER BY sid DESC LIMIT 1";

/** True if any row of any table has the text of the sessions. */
async function isFound(): Promise<boolean> {
  const { rows } = await query(
    url,
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname LIKE 'belay%'",
  );
  const hex = Buffer.from(CANARY).toString("hex");
  for (const { name } of rows) {
    const sql = `SELECT 1 FROM ${name} t WHERE t::text LIKE '%${CANARY}%' OR t::text LIKE '%${hex}%' LIMIT 1`;
    if ((await query(url, sql)).rows.length > 0) return true;
  }
  return false;
}

it("finds a changed event without the key, also one of a purged session that a fork has", async () => {
  await query(url, "CREATE DATABASE checked");
  const [other, folder] = [server.urlOf("checked"), temporaryFolder()];
  process.env.BELAY_DATABASE_URL = other;
  const verify = () => composeEncryption(folder, () => {}).verifyWithoutKey();
  const [origin, fork] = [idOf(71), idOf(72)];
  await withKey(async () => {
    const store = await openStore({ home: folder, onNotice: () => {} });
    await keep(store, begin(origin, { lines: ["one", "two", "three"] }));
    await keep(store, begin(fork, { base: { id: origin, seq: 2 }, lines: ["four"] }));
    await store.purge(origin, 0);
    await store.close();
  });
  expect(await verify()).toMatchObject({ ok: true, findings: [] });
  for (const change of ["at = at + 1", "type = 'x'", "bytes = bytes || '\\x00'::bytea"]) {
    for (const seq of [2, 3]) {
      const ids = `SELECT sid FROM belay.streams WHERE id IN ('${origin}', '${fork}')`;
      const where = `WHERE seq = ${seq} AND sid IN (${ids})`;
      await query(other, `CREATE TABLE saved AS SELECT * FROM belay.events ${where}`);
      await query(other, `UPDATE belay.events SET ${change} ${where}`);
      const what = `Stream ${fork} is damaged: event ${seq} was changed after it was written.`;
      const found = { kind: "damage", stream: fork, what: expect.stringContaining(what) };
      expect((await verify()).findings).toContainEqual(expect.objectContaining(found));
      await query(other, `DELETE FROM belay.events ${where}`);
      await query(other, "INSERT INTO belay.events SELECT * FROM saved");
      await query(other, "DROP TABLE saved");
    }
  }
  expect(await verify()).toMatchObject({ ok: true });
  process.env.BELAY_DATABASE_URL = url;
});

it("opens on every node after one of them has rotated the key", async () => {
  await query(url, "CREATE DATABASE rotated");
  process.env.BELAY_DATABASE_URL = server.urlOf("rotated");
  const [folder, other, key] = [temporaryFolder(), temporaryFolder(), newKeyFile()];
  const openIn = (node: string) => openStore({ home: node, onNotice: () => {} });
  try {
    await withKey(async () => {
      for (const node of [folder, other]) await (await openIn(node)).close();
      await composeEncryption(folder, () => {}).rotate();
      for (const node of [other, folder]) {
        const store = await openIn(node);
        await keep(store, begin(idOf(node === other ? 1 : 2)));
        await store.close();
      }
    }, key);
    expect(readEncryptionMark(other)).toEqual(readEncryptionMark(folder));
    const refused = withKey(() => openIn(other));
    await expect(refused).rejects.toMatchObject({ code: "encryption_key_wrong" });
  } finally {
    process.env.BELAY_DATABASE_URL = url;
  }
});

it("encrypts nothing while another process has the database open, however long that does nothing", async () => {
  await query(url, "CREATE DATABASE idle");
  process.env.BELAY_DATABASE_URL = server.urlOf("idle");
  const folder = temporaryFolder();
  const store = await openStore({ home: folder, onNotice: () => {} });
  const enabling = () => composeEncryption(folder, () => {}).enable({ plain_mirrors: false });
  try {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    await keep(store, begin(idOf(1), { lines: [CANARY] }));
    vi.advanceTimersByTime(IDLE_MS);
    vi.useRealTimers();
    await withKey(() => expect(enabling()).rejects.toMatchObject({ code: "store_busy" }));
    await keep(store, write(idOf(1)));
  } finally {
    vi.useRealTimers();
    await store.close();
    process.env.BELAY_DATABASE_URL = url;
  }
});

const IDLE_MS = 3_600_000;
