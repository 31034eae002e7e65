import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isSystemHead } from "../../src/core/session/known-events.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { runRetention } from "../../src/server/chores/run-retention.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StoredStream, StreamStore } from "../../src/store/stream-store.ts";
import type { ChoresLab } from "./chores-lab.ts";
import { DAY, HOUR, NEVER, openChoresLab, SERVER } from "./chores-lab.ts";

const run = (lab: ChoresLab, context = lab.context) =>
  runRetention(context, SERVER, NEVER, lab.uptime());

/** A server that runs for this many days, with one run per day. Returns the result of the last run. */
async function serve(lab: ChoresLab, days: number) {
  let last = await run(lab);
  for (let day = 0; day < days; day += 1) {
    lab.wait(DAY);
    last = await run(lab);
  }
  return last;
}

describe("retention", () => {
  it("moves due sessions of all owners to the trash, and no others", async () => {
    const lab = await openChoresLab();
    await lab.suspended("old-suspended", "ann");
    await lab.suspended("old-pinned", "ann");
    await lab.call("pin", { id: "old-pinned" }, "ann");
    await lab.call("create", { agent_name: "a", session_id: "old-waiting" }, "ann");
    await lab.call("request_approval", { id: "old-waiting", title: "May I?" }, "ann");
    await lab.call("create", { agent_name: "a", session_id: "old-created" }, "ann");
    await lab.call("create", { agent_name: "a", session_id: "old-completed" }, "ann");
    await lab.call("finalize", { id: "old-completed", outcome: "completed" }, "ann");
    lab.wait(6 * DAY);
    await lab.failed("old-failed", "bob");
    lab.wait(DAY + HOUR);
    expect(await run(lab)).toEqual({ removed: 0, purged: 0, waits: true });
    await lab.failed("young-failed", "bob");
    lab.wait(DAY);
    expect(await run(lab)).toEqual({ removed: 2, purged: 0, waits: false });
    expect(await lab.kept("ann")).toEqual([
      "old-completed",
      "old-created",
      "old-pinned",
      "old-waiting",
    ]);
    expect(await lab.kept("bob")).toEqual(["young-failed"]);
    const { events } = await lab.call("log", { id: "old-suspended" }, "ann");
    expect(events.at(-1)).toMatchObject({
      type: "session.deleted",
      data: { reason: "retention" },
    });
    await lab.call("undelete", { id: "old-failed" }, "bob");
    expect(await lab.kept("bob")).toEqual(["old-failed", "young-failed"]);
  });

  it("records for each owner only their own sessions", async () => {
    const lab = await openChoresLab();
    await lab.failed("of-ann", "ann");
    await lab.failed("of-bob", "bob");
    lab.wait(25 * HOUR);
    await serve(lab, 1);
    const told = async (owner: string) =>
      (await lab.events("retention.ran", owner)).map(({ data }) => data);
    const ran = { removed: [], purged: [], waits: false, served_ms: DAY };
    expect(await told("ann")).toEqual([{ ...ran, removed: ["of-ann"] }]);
    expect(await told("bob")).toEqual([{ ...ran, removed: ["of-bob"] }]);
    expect(await told("local")).toEqual([{ ...ran, waits: true, served_ms: 0 }, ran]);
  });

  it("purges the expired trash of all owners, and no restored session", async () => {
    const lab = await openChoresLab();
    for (const owner of ["ann", "bob"]) await lab.failed("gone-for-good", owner);
    await lab.failed("taken-back", "bob");
    lab.wait(25 * HOUR);
    await serve(lab, 1);
    await lab.call("undelete", { id: "taken-back" }, "bob");
    await lab.call("pin", { id: "taken-back" }, "bob");
    expect(await serve(lab, 6)).toMatchObject({ purged: 0 });
    expect(await serve(lab, 1)).toMatchObject({ purged: 2 });
    for (const owner of ["ann", "bob"]) {
      const [purge] = await lab.events("session.purged", owner);
      expect(purge).toMatchObject({ data: { session_id: "gone-for-good" } });
      await expect(lab.call("get", { id: "gone-for-good" }, owner)).rejects.toMatchObject({
        code: "session_not_found",
      });
    }
    expect(await lab.kept("bob")).toEqual(["taken-back"]);
    const { store } = await lab.open();
    await store.close();
    const care = await openSqliteStore({ folder: lab.home, isAlive });
    expect(await createMaintenance(care).verify()).toMatchObject({ ok: true, findings: [] });
    await care.close();
  });

  it("runs once in 24 hours, whichever process asks and however often", async () => {
    const lab = await openChoresLab();
    await lab.failed("first-old");
    lab.wait(25 * HOUR);
    await run(lab);
    lab.wait(DAY);
    const others = await Promise.all([lab.open(), lab.open(), lab.open()]);
    const ran = await Promise.all(
      [lab.context, ...others, lab.context].map((context) => run(lab, context)),
    );
    expect(ran.filter((one) => one !== null)).toEqual([{ removed: 1, purged: 0, waits: false }]);
    expect(await lab.events("retention.ran")).toHaveLength(2);
    await lab.failed("second-old");
    lab.wait(23 * HOUR);
    expect(await run(lab)).toBeNull();
    lab.wait(2 * HOUR);
    expect(await run(lab)).toMatchObject({ removed: 0, waits: true });
    lab.wait(DAY);
    expect(await run(lab, await lab.open())).toMatchObject({ removed: 1 });
  });

  it("checks again inside the commit: a session that was used again stays", async () => {
    const lab = await openChoresLab();
    await lab.suspended("comes-back");
    lab.wait(8 * DAY);
    await run(lab);
    lab.wait(DAY);
    const { store } = lab.context;
    let isFound = false;
    const context = {
      ...lab.context,
      store: {
        ...store,
        async transact(transaction: Parameters<typeof store.transact>[0]) {
          if (transaction.streams.length > 1) {
            isFound = true;
            await lab.call("resume", { id: "comes-back" });
          }
          return store.transact(transaction);
        },
      },
    };
    expect(await run(lab, context)).toMatchObject({ removed: 0 });
    expect(isFound).toBe(true);
    expect(await lab.kept()).toContain("comes-back");
  });

  it("removes more sessions than one commit holds, each once", async () => {
    const lab = await openChoresLab();
    const ids = Array.from({ length: 1100 }, (_, nth) => `old-${nth}`);
    await Promise.all(ids.map((id) => lab.failed(id, id.endsWith("7") ? "bob" : "ann")));
    lab.wait(25 * HOUR);
    expect(await serve(lab, 1)).toMatchObject({ removed: 1100 });
    const told = [
      ...(await lab.events("retention.ran", "ann")),
      ...(await lab.events("retention.ran", "bob")),
    ].flatMap(({ data }) => data.removed);
    expect(told.toSorted()).toEqual(ids.toSorted());
  });
});

describe("the clock of retention", () => {
  it("removes nothing in the first run after it jumped ahead", async () => {
    const lab = await openChoresLab();
    await lab.suspended("dear-session");
    await run(lab);
    lab.wait(DAY);
    lab.leap(365 * DAY);
    await lab.work("new-work");
    expect(await run(lab)).toEqual({ removed: 0, purged: 0, waits: true });
    // The clock is corrected in time, and nothing was lost.
    lab.leap(-365 * DAY);
    expect(await serve(lab, 2)).toEqual({ removed: 0, purged: 0, waits: false });
    expect(await lab.kept()).toContain("dear-session");
  });

  it("is not confirmed by a second jump: the second run comes after a day of serving", async () => {
    const lab = await openChoresLab();
    await lab.suspended("dear-session");
    lab.leap(365 * DAY);
    expect(await run(lab)).toMatchObject({ removed: 0, waits: true });
    for (let leap = 0; leap < 20; leap += 1) {
      lab.leap(30 * DAY);
      await lab.work(`new-work-${leap}`);
      expect(await run(lab)).toBeNull();
    }
    expect(await lab.kept()).toContain("dear-session");
  });

  it("removes sessions once a run after a day of serving agrees", async () => {
    const lab = await openChoresLab();
    await lab.suspended("old-suspended");
    lab.leap(40 * DAY);
    expect(await serve(lab, 1)).toEqual({ removed: 1, purged: 0, waits: false });
  });

  it("purges nothing alone: servers must have run for as long as the trash keeps sessions", async () => {
    const lab = await openChoresLab();
    await lab.suspended("by-retention");
    await lab.work("by-hand");
    lab.wait(8 * DAY);
    await serve(lab, 1);
    await lab.call("delete", { id: "by-hand" });
    lab.leap(365 * DAY);
    expect(await serve(lab, 6)).toMatchObject({ purged: 0 });
    expect(await serve(lab, 1)).toMatchObject({ purged: 2 });
  });

  it("continues over restarts, and does not count time without a server", async () => {
    const lab = await openChoresLab();
    await run(lab);
    await lab.work("in-the-trash");
    await lab.call("delete", { id: "in-the-trash" });
    // No server runs for a year; then one runs eight hours each day, on a machine that is off at night.
    lab.wait(365 * DAY);
    expect(await run(lab)).toMatchObject({ purged: 0 });
    let purged = 0;
    let days = 0;
    for (; purged === 0 && days < 30; days += 1) {
      lab.restart();
      for (let hour = 0; hour < 8; hour += 1) {
        lab.wait(HOUR);
        purged += (await run(lab))?.purged ?? 0;
      }
    }
    expect(days).toBe(18);
  });

  it("comes from the log, not from the age of the files", async () => {
    const lab = await openChoresLab();
    await lab.suspended("young-suspended");
    lab.wait(HOUR);
    for (const name of readdirSync(lab.home)) utimesSync(join(lab.home, name), 1, 1);
    expect(await run(lab)).toMatchObject({ removed: 0 });
    expect(await lab.kept()).toEqual(["young-suspended"]);
  });
});

describe("control: retention that is broken on purpose", () => {
  it("removes sessions after a jump if a run compares its clock with itself", async () => {
    const lab = await openChoresLab();
    await lab.suspended("dear-session");
    await run(lab);
    lab.wait(DAY);
    lab.leap(365 * DAY);
    expect(await run(lab, { ...lab.context, store: agreeing(lab) })).toMatchObject({ removed: 1 });
    expect(await lab.kept()).not.toContain("dear-session");
  });

  it("removes sessions after a second jump if served time follows the clock", async () => {
    const lab = await openChoresLab();
    await lab.suspended("dear-session");
    const byClock = () =>
      runRetention(lab.context, SERVER, NEVER, { boot_id: "boot-1", uptime_ms: lab.clock.now });
    lab.leap(365 * DAY);
    expect(await byClock()).toMatchObject({ removed: 0, waits: true });
    lab.leap(30 * DAY);
    expect(await byClock()).toMatchObject({ removed: 1 });
  });
});

/** A store in which the last retention run is always recent. */
function agreeing({ context, clock }: ChoresLab): StreamStore {
  const { store } = context;
  const forge = <T extends StoredStream | undefined>(stream: T): T =>
    isSystemHead(stream?.head) && stream.head.retention
      ? { ...stream, head: { ...stream.head, retention: { at: clock.now, waits: false } } }
      : stream;
  return {
    ...store,
    read: async (reads, bytes) =>
      (await store.read(reads, bytes)).map(
        (part) => part && { ...part, stream: forge(part.stream) },
      ),
    transact: (transaction) =>
      store.transact({
        ...transaction,
        decide: (loaded) =>
          transaction.decide({ ...loaded, streams: loaded.streams.map((one) => forge(one)) }),
      }),
  };
}
