import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAlive } from "../../src/process/process-identity.ts";
import { runRetention } from "../../src/service/chores/run-retention.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { ChoresLab } from "./chores-lab.ts";
import { DAY, HOUR, NEVER, openChoresLab, SERVER } from "./chores-lab.ts";

const run = (lab: ChoresLab) => runRetention(lab.context, SERVER, NEVER);

describe("retention", () => {
  it("moves what is due to the trash, of all owners, and leaves the rest", async () => {
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
    await lab.failed("young-failed", "bob");
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

  it("tells each owner of its own sessions, and nobody of another's", async () => {
    const lab = await openChoresLab();
    await lab.failed("of-ann", "ann");
    await lab.failed("of-bob", "bob");
    lab.wait(25 * HOUR);
    await lab.work("new-work");
    await run(lab);
    const told = async (owner: string) =>
      (await lab.events("retention.ran", owner)).map(({ data }) => data);
    expect(await told("ann")).toEqual([{ removed: ["of-ann"], purged: [], waits: false }]);
    expect(await told("bob")).toEqual([{ removed: ["of-bob"], purged: [], waits: false }]);
    expect(await told("local")).toEqual([{ removed: [], purged: [], waits: false }]);
  });

  it("purges the expired trash of all owners, and nothing that was taken out of it", async () => {
    const lab = await openChoresLab();
    for (const owner of ["ann", "bob"]) await lab.failed("gone-for-good", owner);
    await lab.failed("taken-back", "bob");
    lab.wait(25 * HOUR);
    await lab.work("new-work");
    await run(lab);
    await lab.call("undelete", { id: "taken-back" }, "bob");
    await lab.call("pin", { id: "taken-back" }, "bob");
    lab.wait(6 * DAY);
    await lab.work("newer-work");
    expect(await run(lab)).toMatchObject({ purged: 0 });
    lab.wait(DAY);
    await lab.work("newest-work");
    expect(await run(lab)).toMatchObject({ purged: 2 });
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
    await lab.work("new-work");
    const others = await Promise.all([lab.open(), lab.open(), lab.open()]);
    const ran = await Promise.all(
      [lab.context, ...others, lab.context].map((context) => runRetention(context, SERVER, NEVER)),
    );
    expect(ran.filter((one) => one !== null)).toEqual([{ removed: 1, purged: 0, waits: false }]);
    expect(await lab.events("retention.ran")).toHaveLength(1);
    await lab.failed("second-old");
    lab.wait(23 * HOUR);
    expect(await run(lab)).toBeNull();
    lab.wait(2 * HOUR);
    await lab.work("newer-work");
    expect(await runRetention(await lab.open(), SERVER, NEVER)).toMatchObject({ removed: 1 });
  });

  it("judges again inside of the commit: what has come back to life stays", async () => {
    const lab = await openChoresLab();
    await lab.suspended("comes-back");
    lab.wait(8 * DAY);
    await lab.work("new-work");
    const { store } = lab.context;
    let isFound = false;
    const context = {
      ...lab.context,
      store: {
        ...store,
        async transact(transaction: Parameters<typeof store.transact>[0]) {
          isFound = transaction.streams.length > 1;
          await lab.call("resume", { id: "comes-back" });
          return store.transact(transaction);
        },
      },
    };
    expect(await runRetention(context, SERVER, NEVER)).toMatchObject({ removed: 0 });
    expect(isFound).toBe(true);
    expect(await lab.kept()).toContain("comes-back");
  });

  it("removes more than one commit takes, each session once", async () => {
    const lab = await openChoresLab();
    const ids = Array.from({ length: 1100 }, (_, nth) => `old-${nth}`);
    await Promise.all(ids.map((id) => lab.failed(id, id.endsWith("7") ? "bob" : "ann")));
    lab.wait(25 * HOUR);
    await lab.work("new-work");
    expect(await run(lab)).toMatchObject({ removed: 1100 });
    const told = [
      ...(await lab.events("retention.ran", "ann")),
      ...(await lab.events("retention.ran", "bob")),
    ].flatMap(({ data }) => data.removed);
    expect(told.toSorted()).toEqual(ids.toSorted());
  });
});

describe("the clock that retention goes by", () => {
  it("is not believed at once when it is more than a day past all activity", async () => {
    const lab = await openChoresLab();
    await lab.suspended("old-suspended");
    lab.wait(40 * DAY);
    expect(await run(lab)).toEqual({ removed: 0, purged: 0, waits: true });
    lab.wait(19 * HOUR);
    expect(await run(lab)).toBeNull();
    expect(await lab.kept()).toEqual(["old-suspended"]);
    lab.wait(HOUR);
    expect(await run(lab)).toEqual({ removed: 1, purged: 0, waits: false });
    expect((await lab.events("retention.ran")).map(({ data }) => data.waits).toSorted()).toEqual([
      false,
      true,
    ]);
  });

  it("loses nothing to a clock that leaps ahead and is put right", async () => {
    const lab = await openChoresLab();
    await lab.suspended("dear-session");
    lab.wait(365 * DAY);
    expect(await run(lab)).toMatchObject({ waits: true });
    lab.wait(-365 * DAY + HOUR);
    await lab.work("new-work");
    expect(await run(lab)).toEqual({ removed: 0, purged: 0, waits: false });
    expect(await lab.kept()).toContain("dear-session");
  });

  it("is the log's: how old the files are says nothing", async () => {
    const lab = await openChoresLab();
    await lab.suspended("young-suspended");
    lab.wait(HOUR);
    for (const name of readdirSync(lab.home)) utimesSync(join(lab.home, name), 1, 1);
    expect(await run(lab)).toMatchObject({ removed: 0 });
    expect(await lab.kept()).toEqual(["young-suspended"]);
  });
});
