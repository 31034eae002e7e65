import { expect, describe as group, it } from "vitest";
import { checkProcess, identifyProcess } from "../../src/process/process-identity.ts";
import { endTree, sendSignal } from "../../src/process/process-tree.ts";
import { LEASE_MS } from "../../src/store/lease-rules.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { mayUnshare, OTHER_NAMESPACE } from "../process/pid-namespace.ts";
import { logOf, openLab, processesMarked, until } from "./run-lab.ts";
import { runWorker } from "./run-worker.ts";

// Not everyone may create a pid namespace.
group.skipIf(!mayUnshare)("a driver in another pid namespace", () => {
  it("keeps its session and its agent: nothing is recovered, no other driver takes over", async () => {
    const lab = await openLab();
    const worker = runWorker(lab.home, "/slow 60000", "", lab.cwd, OTHER_NAMESPACE);
    const { session_id: id } = await worker.hear("agent");
    if (typeof id !== "string") throw new Error("an agent without a session");
    const { entity_id, driver } = await lab.belay.sessions.get({ id });
    expect(driver).not.toBeNull();
    expect((await lab.belay.recovery.run({})).sessions).toEqual([]);
    expect((await lab.belay.recovery.run({ id })).sessions).toEqual([]);
    await lab.belay.turns.send({ id, message: "/say too early" });
    expect(await lab.belay.sessions.get({ id })).toMatchObject({ driver, stale: false });
    expect(processesMarked(entity_id).length).toBeGreaterThan(0);
    const kinds = (await logOf(lab, id)).map(({ type }) => type);
    expect(kinds.filter((type) => type === "agent.started")).toHaveLength(1);
    expect(kinds).not.toContain("turn.ended");

    // Control: a store that ignores namespaces treats this live driver as dead.
    const here = identifyProcess(process.pid).node;
    const blind = await openSqliteStore({
      folder: lab.home,
      isAlive: (identity) => checkProcess({ ...identity, node: here }),
    });
    expect((await loadStream(blind, { id: entity_id }))?.lease).toMatchObject({ live: false });
    await blind.close();

    // Its lease is held by time, and it has died since.
    await worker.kill();
    const late = Number(process.hrtime.bigint() / 1_000_000n) + LEASE_MS;
    const store = await openSqliteStore({
      folder: lab.home,
      isAlive: checkProcess,
      now: () => late,
    });
    expect((await loadStream(store, { id: entity_id }))?.lease).toMatchObject({ live: false });
    await store.close();
  });
});

group("a process of another pid namespace", () => {
  it("is neither known to be alive nor dead, and never gets a signal", async () => {
    const here = identifyProcess(process.pid);
    expect(checkProcess(here)).toBe(true);
    const there = { ...here, node: "pid:[1]" };
    expect(checkProcess(there)).toBeNull();
    expect(checkProcess({ ...there, boot_id: "another boot" })).toBe(false);
    // If it were treated as the process with this pid here, this would end the test.
    expect(sendSignal(there, "SIGKILL")).toBe(true);
    await endTree(there, { grace: 0 });
  });
});

group("a driver that is stopped", () => {
  it("can be replaced by force, and its later writes are refused", async () => {
    const lab = await openLab();
    const worker = runWorker(lab.home, "/slow 60000", "", lab.cwd);
    const { session_id: id } = await worker.hear("agent");
    if (typeof id !== "string") throw new Error("an agent without a session");
    worker.signal("SIGSTOP");
    const { entity_id } = await lab.belay.sessions.get({ id });
    expect((await lab.belay.recovery.run({ id })).sessions).toEqual([]);
    const { sessions } = await lab.belay.recovery.run({ id, force: true });
    expect(sessions).toMatchObject([{ session_id: id, changed: true }]);
    expect(processesMarked(entity_id)).toEqual([]);
    const settled = await lab.belay.sessions.get({ id });
    expect(settled).toMatchObject({ driver: null });
    worker.signal("SIGCONT");
    // It receives the end that another process recorded.
    await worker.hear("completed");
    expect(await worker.leave()).toBe(0);
    const log = await logOf(lab, id);
    expect(log.filter(({ type }) => type === "turn.ended")).toMatchObject([
      { data: { outcome: "interrupted" } },
    ]);
    expect(log.at(-1)?.seq).toBe(settled.version);
    await until("its end", () => processesMarked(entity_id).length === 0);
  });
});
