import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { BelayError } from "../../src/contract/errors.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { readEvents, readRows } from "../../src/store/read-streams.ts";
import { checksumOfEvent } from "../../src/store/sqlite/database/digests.ts";
import { EVENT_VALUES, readEventRow } from "../../src/store/sqlite/database/event-log.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

const caller: Caller = { owner: "local", actor: "test", interface: "library", trace_id: null };
const TURNS = 9;
const opened: { readonly home: string; close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const { home, close } of opened.splice(0)) {
    await close();
    rmSync(home, { recursive: true });
  }
});

describe("a recorded turn", () => {
  it("is its own index row", async () => {
    const { database, store, id } = await newSession();
    const count = "SELECT count(*) AS n FROM rows WHERE kind = 'turn'";
    expect(database.prepare(count).get()).toEqual({ n: 0 });
    const rows = await readRows(store, id, { kind: "turn" });
    expect(rows.map(({ data }) => data.input)).toEqual(inputs());
  });

  it("that is long has a separate index row, so that an index is read without its body", async () => {
    const { store, service, id } = await newSession();
    const output = "o".repeat(9000);
    await service.call("record_turn", { id: "s-long", input: "long", output }, caller);
    const rows = await readRows(store, id, { kind: "turn" });
    expect(rows.at(-1)?.data).toEqual({});
    const { turns } = await service.call("turns", { id: "s-long", limit: 3 }, caller);
    expect(turns.at(-1)?.output).toBe(output);
  });
});

describe("the index of recorded turns", () => {
  it.each([{ after: 0 }, { before: 99, limit: 50 }])(
    "is read without other events: %o",
    async (range) => {
      const { database, store, id } = await newSession();
      const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
      await readRows(store, id, { kind: "turn", ...range });
      const sql = prepare.mock.calls
        .map(([text]) => text)
        .find((text) => text.includes("opens IS ?"));
      prepare.mockRestore();
      const steps = database.prepare(`EXPLAIN ${sql}`).all();
      // The event itself is read only after a column of the index was compared.
      const [seek = -1, compared] = ["DeferredSeek", "Ne"].map((opcode) =>
        steps.findIndex((step) => step.opcode === opcode),
      );
      expect(steps[seek + 1]).toMatchObject({ opcode: "Column", p1: steps[seek]?.p1 });
      expect(compared).toBe(seek + 2);
    },
  );
});

describe("a recorded turn that is missing in an altered index", () => {
  it.each([
    ["forwards", { after: 0 }],
    ["from its neighbour on", { after: 5 }],
    ["backwards", { before: 99, limit: 50 }],
    ["from the middle backwards", { before: 8, limit: 50 }],
    ["as of an earlier event", { at: 7 }],
    ["as of the event before it", { at: 5, before: 6, limit: 1 }],
  ])("is missing when %s is read", async (_, range) => {
    const { database, store, id, verify } = await newSession();
    const query = { kind: "turn", ...range };
    expect((await readRows(store, id, query)).length).toBeGreaterThan(0);
    for (const seq of [5, 6]) {
      database.prepare("UPDATE events SET opens = 'turo' WHERE sid = 1 AND seq = ?").run(seq);
    }
    await expect(readRows(store, id, query)).rejects.toMatchObject({ code: "storage_damaged" });
    expect((await verify()).ok).toBe(false);
  });

  it("is detected at the end, where only the stream row names it", async () => {
    const { database, store, id, verify } = await newSession();
    database.exec(`UPDATE events SET opens = NULL WHERE sid = 1 AND seq = ${TURNS + 2}`);
    for (const range of [{}, { before: 99, limit: 2 }]) {
      const read = readRows(store, id, { kind: "turn", ...range });
      await expect(read).rejects.toMatchObject({ code: "storage_damaged" });
    }
    expect((await verify()).ok).toBe(false);
  });
});

describe("an event that was altered by accident", () => {
  const altered = {
    type: "'turn.recordee'",
    at: "at + 1",
    actor: "'tesu'",
    interface: "'librarx'",
    trace_id: "''",
    hash: "zeroblob(32)",
    idem: "''",
    digest: "''",
    span: "1",
    origin: "''",
    body: "replace(body, 'question', 'questiom')",
    bytes: "CAST(body AS BLOB)",
    opens: "NULL",
    row_key: "''",
    opened: "opened - 1",
    crc: "crc + 1",
  };

  it.each(Object.entries(altered))("in its %s is not served", async (column, value) => {
    const { database, store, id, verify } = await newSession();
    database.exec(`UPDATE events SET ${column} = ${value} WHERE sid = 1 AND seq = 7`);
    const read = readEvents(store, id, { after: 5, limit: 4 });
    await expect(read).rejects.toMatchObject({ code: "storage_damaged" });
    expect((await verify()).ok).toBe(false);
  });

  it("without a checksum is checked against the hash of the event before it", async () => {
    const { database, store, id } = await newSession();
    const alter = (set: string) =>
      database.exec(`UPDATE events SET ${set} WHERE sid = 1 AND seq = 7`);
    const read = (after: number) => readEvents(store, id, { after, limit: 4 }).catch(codeOf);
    alter("crc = NULL");
    for (const after of [5, 6]) expect(await read(after)).toHaveLength(4);
    alter(`body = ${altered.body}`);
    for (const after of [5, 6]) expect(await read(after)).toBe("storage_damaged");
  });
});

describe("an event that was altered together with its checksum", () => {
  it("is found by verify and export, which check the chain of hashes", async () => {
    const { database, store, service, id, verify } = await newSession();
    database.exec(
      `UPDATE events SET body = replace(body, 'question', 'QUESTION') WHERE sid = 1 AND seq = 7`,
    );
    const statement = database.prepare(
      `SELECT ${EVENT_VALUES} FROM events WHERE sid = 1 AND seq = 7`,
    );
    const event = readEventRow(Object.values(statement.get() ?? {}), id);
    const crc = checksumOfEvent(id, event, event.hash, event.body);
    database.prepare("UPDATE events SET crc = ? WHERE sid = 1 AND seq = 7").run(crc);
    expect(await readEvents(store, id, { after: 6, limit: 1 })).toHaveLength(1);
    const exported = service.call("export", { id: "s-long" }, caller);
    await expect(exported).rejects.toMatchObject({ code: "storage_damaged" });
    const { ok, findings } = await verify();
    expect(ok).toBe(false);
    expect(findings[0]).toMatchObject({ seq: 7, what: "event 7 was changed after it was written" });
  });
});

async function newSession() {
  const home = mkdtempSync(join(tmpdir(), "belay-opened-"));
  const store = await openSqliteStore({ folder: home, isAlive: () => true });
  const database = new DatabaseSync(join(home, "belay.db"));
  opened.push({
    home,
    close: () => {
      database.close();
      return store.close();
    },
  });
  const service = createService({ store, now: Date.now, newId });
  const created = { session_id: "s-long", agent_name: "a" };
  const { entity_id: id } = await service.call("create", created, caller);
  for (const input of inputs()) {
    await service.call("record_turn", { id: "s-long", input, output: "answer" }, caller);
  }
  return { database, store, service, id, verify: () => createMaintenance(store).verify() };
}

function inputs(): string[] {
  return Array.from({ length: TURNS }, (_, n) => `question ${n}`);
}

function codeOf(error: unknown): string {
  return error instanceof BelayError ? error.code : String(error);
}
