import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { recoverAll } from "../../src/drive/recovery/recover-all.ts";
import { wakeDue } from "../../src/drive/run/wake-due.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { dumpSchema } from "../../src/store/sqlite/database/dump-schema.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { OLD_SCHEMAS, type OldSchema, writeOldFolder } from "./old-folder.ts";

const WRITTEN = Date.parse("2026-03-01T12:00:00Z");
const HOUR = 3_600_000;
const caller: Caller = { owner: "local", actor: "test", interface: "library", trace_id: null };
const opened: { readonly home: string; close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const { home, close } of opened.splice(0)) {
    await close();
    rmSync(home, { recursive: true });
  }
});

describe.each(OLD_SCHEMAS)("a folder that was written with %s", (schema) => {
  it("keeps its contents, and gets the tables of the current schema", async () => {
    const { home, verify } = await openOld(schema);
    expect(await verify()).toEqual({ ok: true, findings: [], settled: 0 });
    const committed = new URL("../../src/store/sqlite/schema.sql", import.meta.url);
    expect(dumpSchema(home)).toBe(readFileSync(committed, "utf8"));
  });
});

describe("a folder that was written with schema 1", () => {
  it("keeps its contents, before and after the first write", async () => {
    const { verify, service } = await openOld();
    expect(await verify()).toEqual({ ok: true, findings: [], settled: 0 });
    for (const id of ["idle-1", "busy-1", "fork-1"]) {
      await service.call("record_turn", { id, input: "more", output: "done" }, caller);
    }
    await service.call("delete", { id: "ended-1" }, caller);
    expect(await verify()).toEqual({ ok: true, findings: [], settled: 0 });
  });

  it("lists every session as unsettled until the session is written again", async () => {
    const { unsettled, service } = await openOld();
    expect(await unsettled()).toEqual(["asleep-1", "busy-1", "ended-1", "fork-1", "idle-1"]);
    for (const id of ["idle-1", "busy-1", "ended-1"]) {
      await service.call("rename", { id, title: "written again" }, caller);
    }
    expect(await unsettled()).toEqual(["asleep-1", "busy-1", "fork-1"]);
  });

  it("is checked by chores: interrupted sessions are recovered, and suspended ones are resumed", async () => {
    const { context, service, verify } = await openOld();
    const { checked, sessions } = await recoverAll(context, caller, { owner: null });
    expect(sessions.map(({ session_id }) => session_id)).toEqual(["busy-1"]);
    expect(checked).toBe(4);
    await wakeDue(context, null);
    expect(await service.call("get", { id: "asleep-1" }, caller)).toMatchObject({
      status: "active",
    });
    expect((await verify()).findings).toEqual([]);
  });
});

describe("a folder that was written with schema 2", () => {
  it("keeps its pinned sessions, and lists them first", async () => {
    const { service, verify } = await openOld("schema-2");
    const { sessions } = await service.call("list", { limit: 2 }, caller);
    expect(sessions.map(({ session_id }) => session_id)).toEqual(["pinned-2", "pinned-1"]);
    expect(await verify()).toEqual({ ok: true, findings: [], settled: 0 });
    await service.call("unpin", { id: "pinned-2" }, caller);
    await service.call("pin", { id: "plain-1" }, caller);
    const now = await service.call("list", { limit: 2 }, caller);
    expect(now.sessions.map(({ session_id }) => session_id)).toEqual(["pinned-1", "plain-1"]);
    expect((await verify()).ok).toBe(true);
  });

  it("does not make a damaged row look sound", async () => {
    const { home, verify } = await openOld("schema-2", "status = 'archived'");
    expect((await verify()).findings[0]?.what).toBe("its head was changed after it was written");
    const database = new DatabaseSync(join(home, "belay.db"));
    const { n } =
      database.prepare("SELECT count(*) AS n FROM streams WHERE pinned = 1").get() ?? {};
    database.close();
    expect(n).toBe(1);
  });

  it.each(["plain-1", "pinned-1"])(
    "notices when %s is pinned or unpinned behind it",
    async (id) => {
      const { home, verify } = await openOld("schema-2");
      const database = new DatabaseSync(join(home, "belay.db"));
      database.prepare("UPDATE streams SET pinned = 1 - pinned WHERE key = ?").run(id);
      database.close();
      expect((await verify()).findings[0]?.what).toBe("its head was changed after it was written");
    },
  );
});

describe("a folder that was written with schema 6", () => {
  it("shows its turns together with new ones, also in forks", async () => {
    const { service, verify } = await openOld("schema-6");
    const ids = ["idle-1", "fork-1", "fork-26", "fork-33", "orphan-1"];
    const said = async (id: string) =>
      (await service.call("turns", { id }, caller)).turns.map(({ input }) => input);
    const before = await Promise.all(ids.map(said));
    expect(before[0]).toEqual(["question 1", "question 2", "question 3"]);
    expect(before[3]).toHaveLength(6);
    for (const [n, id] of ids.entries()) {
      for (const input of ["now", "and now"]) {
        await service.call("record_turn", { id, input, output: "done" }, caller);
      }
      await service.call("fork", { id, session_id: `again-${n}` }, caller);
      expect(await said(id)).toEqual([...(before[n] ?? []), "now", "and now"]);
      expect(await said(`again-${n}`)).toEqual([...(before[n] ?? []), "now", "and now"]);
    }
    expect((await verify()).findings).toEqual([]);
  });
});

describe("whether a stream is unsettled", () => {
  it.each([
    ["busy-1", "as an older Belay left it"],
    ["idle-1", "written anew and settled"],
    ["asleep-1", "written anew and unsettled"],
  ])("is not changed without notice: %s, %s", async (id, how) => {
    const { home, verify, service } = await openOld();
    if (how.startsWith("written anew")) await service.call("rename", { id, title: "t" }, caller);
    expect((await verify()).ok).toBe(true);
    const database = new DatabaseSync(join(home, "belay.db"));
    database.prepare("UPDATE streams SET unsettled = 1 - unsettled WHERE key = ?").run(id);
    database.close();
    const { ok, findings } = await verify();
    expect(ok).toBe(false);
    expect(findings[0]?.what).toBe("its head was changed after it was written");
  });
});

async function openOld(schema: OldSchema = "schema-1", damage?: string) {
  const home = mkdtempSync(join(tmpdir(), `belay-${schema}-`));
  writeOldFolder(home, schema, damage && `UPDATE streams SET ${damage} WHERE key = 'pinned-1'`);

  const store = await openSqliteStore({ folder: home, isAlive: ({ pid }) => pid === process.pid });
  opened.push({ home, close: () => store.close() });
  const context = { store, now: () => WRITTEN + 2 * HOUR, newId };
  return {
    home,
    context,
    service: createService(context),
    verify: () => createMaintenance(store).verify(),
    unsettled: async () => {
      const filter = { unsettled: true } as const;
      const { streams } = await store.list({ kind: "session", owner: null, filter, limit: 99 });
      return streams.map(({ key }) => key).sort();
    },
  };
}
