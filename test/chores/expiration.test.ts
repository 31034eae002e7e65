import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Output } from "../../src/contract/operations.ts";
import { removeLeftFiles } from "../../src/drive/recovery/remove-left-files.ts";
import { deliverSpool } from "../../src/integrations/claude/deliver-spool.ts";
import {
  dropRejected,
  listRejected,
  listSpool,
  putInSpool,
  setAside,
} from "../../src/integrations/claude/spool.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { runRetention } from "../../src/server/chores/run-retention.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { type ChoresLab, DAY, HOUR, NEVER, openChoresLab, SERVER } from "./chores-lab.ts";

const run = (lab: ChoresLab, context = lab.context) =>
  runRetention(context, SERVER, NEVER, lab.uptime());

const inDays = (lab: ChoresLab, days: number): string =>
  new Date(lab.clock.now + days * DAY).toISOString();

/** Sessions of every protected kind, each with a date that will have passed, and some unprotected ones. */
async function fill(lab: ChoresLab): Promise<void> {
  const expires_at = inDays(lab, 2);
  const create = (session_id: string, more = {}) =>
    lab.call("create", { agent_name: "a", session_id, ...more });
  for (const id of ["dated", "dated-done", "pinned", "active", "waiting", "held-one", "archived"]) {
    await create(id, { expires_at });
  }
  await lab.call("finalize", { id: "dated-done", outcome: "completed" });
  await lab.call("pin", { id: "pinned" });
  await lab.call("update", { id: "active", phase: "planning" });
  await lab.call("request_approval", { id: "waiting", title: "May I?" });
  const { entity_id } = await lab.call("get", { id: "held-one" });
  const holder = { name: "driver", pid: process.pid, start_time: null, boot_id: null };
  await acquireLease(lab.context.store, entity_id, holder);
  await lab.call("archive", { id: "archived" });
  await create("undated");
  await create("later", { expires_at: inDays(lab, 30) });
}

const kept = ({ protected: some }: Output<"cleanup">) =>
  Object.fromEntries(some.map(({ session_id, because }) => [session_id, because]));

describe("expiration", () => {
  it("removes expired sessions that are not protected, and a dry run lists the same", async () => {
    const lab = await openChoresLab();
    await fill(lab);
    expect((await lab.call("cleanup", { expired: true })).removed).toEqual([]);
    lab.wait(2 * DAY + HOUR);
    const dry = await lab.call("cleanup", { expired: true, dry_run: true });
    expect(dry.removed.toSorted()).toEqual(["archived", "dated", "dated-done"]);
    expect(kept(dry)).toEqual({
      pinned: "pinned",
      active: "active",
      waiting: "waits for an approval",
      "held-one": "driven",
    });
    const done = await lab.call("cleanup", { expired: true, force: true });
    expect({ ...done, dry_run: true }).toEqual(dry);
    const { events } = await lab.call("log", { id: "dated" });
    expect(events.at(-1)).toMatchObject({ type: "session.deleted", data: { reason: "expired" } });
    expect(await lab.kept()).toEqual([
      "active",
      "held-one",
      "later",
      "pinned",
      "undated",
      "waiting",
    ]);
  });

  it("uses the smaller number of days, of the owner or of everyone", async () => {
    const lab = await openChoresLab();
    for (const owner of ["ann", "bob"]) {
      await lab.call("create", { agent_name: "a", session_id: "quiet" }, owner);
      await lab.call("create", { agent_name: "a", session_id: "used-one" }, owner);
    }
    expect(await lab.call("set_expiration", { after_days: 5 }, "ann")).toEqual({
      own_days: 5,
      everyone_days: null,
    });
    await lab.call("set_expiration", { after_days: 10, everyone: true }, "ann");
    expect(await lab.call("expiration", {}, "bob")).toEqual({ own_days: null, everyone_days: 10 });
    const expired = async (owner: string) =>
      (await lab.call("cleanup", { expired: true, dry_run: true }, owner)).removed;
    lab.wait(4 * DAY);
    for (const owner of ["ann", "bob"])
      await lab.call("rename", { id: "used-one", title: "t" }, owner);
    lab.wait(2 * DAY);
    expect([await expired("ann"), await expired("bob")]).toEqual([["quiet"], []]);
    lab.wait(5 * DAY);
    expect(await expired("bob")).toEqual(["quiet"]);
    await lab.call("set_expiration", { never: true, everyone: true }, "ann");
    expect([(await expired("ann")).toSorted(), await expired("bob")]).toEqual([
      ["quiet", "used-one"],
      [],
    ]);
  });

  it("for everyone cannot be set by an owner who is named like the stream that stores it", async () => {
    const lab = await openChoresLab();
    await lab.call("set_expiration", { after_days: 1 }, "belay");
    expect(await lab.call("expiration", {}, "ann")).toEqual({
      own_days: null,
      everyone_days: null,
    });
  });

  it("can be set, shown and removed; a past date or an incomplete setting is refused", async () => {
    const lab = await openChoresLab();
    await lab.call("create", { agent_name: "a", session_id: "dated" });
    const at = inDays(lab, 1);
    const updated = (await lab.call("get", { id: "dated" })).updated_at;
    lab.wait(HOUR);
    expect(await lab.call("set_expiry", { id: "dated", expires_at: at })).toMatchObject({
      expires_at: at,
      updated_at: updated,
    });
    const past = new Date(lab.clock.now).toISOString();
    for (const wrong of [{ expires_at: past }, {}, { expires_at: at, never: true }]) {
      await expect(lab.call("set_expiry", { id: "dated", ...wrong })).rejects.toMatchObject({
        code: "invalid_input",
      });
    }
    expect((await lab.call("set_expiry", { id: "dated", never: true })).expires_at).toBeNull();
    await expect(lab.call("cleanup", {})).rejects.toThrow('Give either "hours" or "expired".');
  });

  it("does not remove a session again that someone restored", async () => {
    const lab = await openChoresLab();
    await lab.call("create", { agent_name: "a", session_id: "dated", expires_at: inDays(lab, 1) });
    lab.wait(2 * DAY);
    await lab.call("cleanup", { expired: true, force: true });
    await lab.call("undelete", { id: "dated" });
    expect((await lab.call("cleanup", { expired: true, dry_run: true })).removed).toEqual([]);
  });

  it("is run by the server for all owners, and stays on record until the purge", async () => {
    const lab = await openChoresLab();
    await fill(lab);
    await lab.call(
      "create",
      { agent_name: "a", session_id: "bobs-one", expires_at: inDays(lab, 2) },
      "bob",
    );
    const purged: string[] = [];
    const context = {
      ...lab.context,
      onPurged: async ({ key }: { readonly key: string }) => void purged.push(key),
    };
    await run(lab, context);
    lab.wait(2 * DAY + HOUR);
    // It was not due in the previous run: a clock that was set ahead leaves a day.
    expect(await run(lab, context)).toMatchObject({ removed: 0, waits: true });
    lab.wait(DAY + HOUR);
    expect(await run(lab, context)).toMatchObject({ removed: 4 });
    expect(await lab.kept("bob")).toEqual([]);
    for (let day = 0; day < 8; day++) {
      lab.wait(DAY + HOUR);
      await run(lab, context);
    }
    expect(purged.toSorted()).toEqual(["archived", "bobs-one", "dated", "dated-done"]);
    const { events } = await lab.call("audit", { since: "2026-01-01" }, "bob");
    const told = events.map(({ type, data }) => [type, data.session_id ?? data.removed]);
    expect(told).toContainEqual(["session.purged", "bobs-one"]);
    expect(told).toContainEqual(["retention.ran", ["bobs-one"]]);
  });
});

describe("an expired session", () => {
  it("is in no file after it is purged and the store is compacted", async () => {
    const lab = await openChoresLab();
    const store = await openSqliteStore({ folder: lab.home, isAlive });
    const CANARY = "canary-5d1c-of-this-session";
    const id = "short-lived";
    await lab.call("create", {
      agent_name: "a",
      session_id: id,
      title: CANARY,
      purpose: CANARY,
      expires_at: inDays(lab, 1),
    });
    for (let n = 0; n < 40; n++) {
      await lab.call("record_turn", {
        id,
        input: `${CANARY} ${n} ${"x".repeat(n * 50)}`,
        output: CANARY,
      });
    }
    await lab.call("save_checkpoint", { id, name: CANARY, state: { text: CANARY } });
    await lab.call("finalize", { id, outcome: "completed", summary: CANARY });
    await lab.call("create", { agent_name: "a", session_id: "other-one", title: "other" });
    for (const path of [
      ["agent-logs", `${id}.log`],
      ["recovery", id, "CHECKPOINT_1.md"],
    ]) {
      const file = join(lab.home, ...path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, CANARY);
    }
    const context = {
      ...lab.context,
      onPurged: async ({ key }: { readonly key: string }) => {
        removeLeftFiles(lab.home, key);
        dropRejected({ home: lab.home, cwd: lab.home }, key, undefined);
      },
    };
    await spoolTwice(lab, id, CANARY);
    await run(lab, context);
    for (let day = 0; day < 12; day++) {
      lab.wait(DAY + HOUR);
      await run(lab, context);
    }
    expect((await lab.call("list", { deleted: true })).sessions).toEqual([]);
    const found = () => filesBelow(lab.home).filter((file) => readFileSync(file).includes(CANARY));
    // In the pages that SQLite has freed, so that the search can fail.
    expect(found().length).toBeGreaterThan(0);
    await createMaintenance(store).compact();
    expect(found()).toEqual([]);
    expect((await createMaintenance(store).verify()).findings).toEqual([]);
    expect((await lab.call("get", { id: "other-one" })).title).toBe("other");
    await store.close();
  });
});

/** Events of a hook: the first is delivered, and the second is set aside. */
async function spoolTwice(lab: ChoresLab, session_id: string, text: string): Promise<void> {
  const places = { home: lab.home, cwd: lab.home };
  const begin = { agent_name: "a", cwd: "/x", metadata: { text }, supports_resume: false };
  const origin = { key: "spooled", actor: text, trace_id: null, session_id, begin };
  const sighting = { ...origin, at: lab.clock.now, seen: { kind: "delegated" as const } };
  putInSpool(places, { owner: "local", sighting }, "01990000-0000-7000-8000-000000000001");
  await deliverSpool(lab.context, { ...places, owner: "local" });
  putInSpool(places, { owner: "local", sighting }, "01990000-0000-7000-8000-000000000002");
  for (const file of listSpool(places)) setAside(file);
  expect(listRejected(places)).toHaveLength(1);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}
