import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { SESSION_LISTING } from "../../src/contract/stream.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { SEALED_LIMITS } from "../../src/store/append-rules.ts";
import { begin, idOf, keep } from "../../src/store/conformance/notebook.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { sealInner } from "../conformance/open-sealed.ts";
import { alterPostgresBlobs } from "./alter-postgres-blobs.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
afterAll(() => server.remove());

const caller: Caller = { owner: "me", actor: "test", interface: "library", trace_id: null };
const SESSIONS = 20;

describe("verifying the sessions of a PostgreSQL store", () => {
  it("sends five statements for a short stream, and a few for the list", async () => {
    await query(server.urlOf("postgres"), "CREATE DATABASE verified");
    const store = await openPostgresStore({
      url: server.urlOf("verified"),
      isAlive: () => true,
    });
    try {
      const service = createService({ store, now: Date.now, newId });
      for (let n = 0; n < SESSIONS; n += 1) {
        const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
        await service.call("record_turn", { id, input: "go on", output: "done" }, caller);
        await service.call("begin_action", { id, type: "build" }, caller);
      }
      const sent = vi.spyOn(pg.Client.prototype, "query");
      const findings = [];
      let streams = 0;
      const count = (done: number) => {
        streams = done;
      };
      for await (const finding of verifyStreams(store, count)) findings.push(finding);
      const statements = sent.mock.calls.length;
      sent.mockRestore();
      expect(findings).toEqual([]);
      // Each session has a task.
      expect(streams).toBe(2 * SESSIONS);
      // The stream, its events, its rows of all kinds, its stored heads, and its list entry with its names.
      expect(statements).toBeGreaterThanOrEqual(5 * streams);
      expect(statements).toBeLessThan(5 * streams + 20);
    } finally {
      await store.close();
    }
  });
});

describe.each(["plain", "encrypted"])("verifying an index in a database, %s", (way) => {
  const isSealed = way === "encrypted";
  const listing = SESSION_LISTING;
  const name = `indexed_${way}`;
  const url = server.urlOf(name);
  const open = async () => {
    const limits = isSealed ? SEALED_LIMITS : undefined;
    const store = await openPostgresStore({ url, isAlive: () => true, limits });
    return isSealed ? sealInner(store, { listing }) : store;
  };

  it("finds every changed column of a list entry, and every missing name", async () => {
    await query(server.urlOf("postgres"), `CREATE DATABASE ${name}`);
    const store = await open();
    const service = createService({ store, now: Date.now, newId });
    const created = { agent_name: "a", session_id: "origin", metadata: { cwd: "/work" } };
    const { session_id: id } = await service.call("create", created, caller);
    const action = { id, type: "build", details: { bucket_id: "b-1", other_ids: ["o-1", "o-2"] } };
    await service.call("begin_action", action, caller);
    await service.call("save_checkpoint", { id, name: "c", state: { a_id: "x" } }, caller);
    await service.call("request_approval", { id, title: "Really?" }, caller);
    await service.call("fork", { id }, caller);
    const verify = async () => (await createMaintenance(store).verify()).findings;
    expect(await verify()).toEqual([]);

    const what = (text: string) =>
      expect.arrayContaining([
        expect.objectContaining({ kind: "damage", what: expect.stringContaining(text) }),
      ]);
    for (const [field, kind] of Object.entries(listing.fields)) {
      const other = { text: `${field} || 'x'`, flag: `1 - ${field}` }[String(kind)];
      await query(url, "CREATE TABLE saved AS SELECT * FROM belay.streams");
      await query(url, `UPDATE belay.streams SET ${field} = ${other ?? `${field} + 1`}`);
      expect(await verify()).toEqual(what(`its list entry does not match the log: ${field}`));
      await query(
        url,
        `UPDATE belay.streams s SET ${field} = b.${field} FROM saved b WHERE b.sid = s.sid`,
      );
      await query(url, "DROP TABLE saved");
    }
    const { rows: names } = await query(url, NAMES);
    expect(names.length).toBeGreaterThanOrEqual(7);
    for (const { sid, name: text } of names) {
      const where = `WHERE sid = ${sid} AND name = '${text}'`;
      await query(url, `CREATE TABLE saved AS SELECT * FROM belay.names ${where}`);
      await query(url, `DELETE FROM belay.names ${where}`);
      expect(await verify()).toEqual(what("names that it is found by are missing: 1"));
      await query(url, "INSERT INTO belay.names SELECT * FROM saved; DROP TABLE saved");
    }
    expect(await verify()).toEqual([]);
    await store.close();
  });

  it("finds a changed chunk of a file by its checksum", async () => {
    const store = await open();
    const [stream] = (await store.list({ kind: "session", owner: "me", filter: {}, limit: 1 }))
      .streams;
    const put = await store.blobs?.put(stream?.id ?? "", [
      Buffer.alloc(2 * LIMITS.BLOB_CHUNK, "x"),
    ]);
    const inspect = async () => {
      const findings = [];
      for await (const finding of store.inspect()) findings.push(finding);
      return findings;
    };
    const read = async () => {
      const found = await store.blobs?.get(stream?.id ?? "", put?.digest ?? "");
      let bytes = 0;
      for await (const chunk of found?.bytes() ?? []) bytes += chunk.length;
      return bytes;
    };
    expect(await inspect()).toEqual([]);
    const what = expect.stringContaining("is not what was put there");
    await alterPostgresBlobs(url, "change a byte");
    expect(await inspect()).toMatchObject([{ kind: "damage", what }]);
    await expect(read()).rejects.toMatchObject({ code: "storage_damaged" });
    await alterPostgresBlobs(url, "change a byte");
    expect(await inspect()).toEqual([]);
    expect(await read()).toBe(2 * LIMITS.BLOB_CHUNK);
    await store.close();
  });
});

it("checking the chains reads large events in pages", async () => {
  await query(server.urlOf("postgres"), "CREATE DATABASE large");
  const store = await openPostgresStore({ url: server.urlOf("large"), isAlive: () => true });
  try {
    const lines = Array.from({ length: 12 }, () => "x".repeat(1024 * 1024));
    await keep(store, begin(idOf(1), { lines }));
    const sent = vi.spyOn(pg.Client.prototype, "query");
    const findings = [];
    for await (const finding of store.inspectChains?.() ?? []) findings.push(finding);
    const answers = await Promise.all(sent.mock.results.map(({ value }) => value));
    sent.mockRestore();
    expect(findings).toEqual([]);
    const sizes = answers.map((answer) => JSON.stringify(answer?.rows ?? []).length);
    expect(Math.max(...sizes)).toBeGreaterThan(1024 * 1024);
    expect(Math.max(...sizes)).toBeLessThan(1.1 * LIMITS.PAGE_BYTES);
  } finally {
    await store.close();
  }
});

it("a file that is removed while it is verified is not damaged", async () => {
  await query(server.urlOf("postgres"), "CREATE DATABASE removed");
  const store = await openPostgresStore({ url: server.urlOf("removed"), isAlive: () => true });
  try {
    await keep(store, begin(idOf(1)));
    const chunks = Array.from({ length: 40 }, () => Buffer.alloc(LIMITS.BLOB_CHUNK, "x"));
    await store.blobs?.put(idOf(1), chunks);
    const sent = vi.spyOn(pg.Client.prototype, "query");
    const inspecting = (async () => {
      const findings = [];
      for await (const finding of store.inspect()) findings.push(finding);
      return findings;
    })();
    await vi.waitFor(() => {
      expect(JSON.stringify(sent.mock.calls)).toContain("FROM belay.blob_chunks WHERE bid");
    });
    sent.mockRestore();
    await store.purge(idOf(1), 1);
    expect(await inspecting).toEqual([]);
  } finally {
    await store.close();
  }
});

/** Without those of the key ring. */
const NAMES = `SELECT sid, name FROM belay.names JOIN belay.streams USING (sid)
  WHERE kind IN ('session', 'task') ORDER BY 1, 2`;
