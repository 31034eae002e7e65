import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { begin, idOf, keep } from "../../src/store/conformance/notebook.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
afterAll(() => server.remove());

const caller: Caller = { owner: "me", actor: "test", interface: "library", trace_id: null };
const SESSIONS = 20;

describe("verifying the sessions of a PostgreSQL store", () => {
  it("sends four statements for a short stream, and a few for the list", async () => {
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
      // The stream, its events, its rows of all kinds, and its stored heads.
      expect(statements).toBeGreaterThanOrEqual(4 * streams);
      expect(statements).toBeLessThan(4 * streams + 20);
    } finally {
      await store.close();
    }
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
