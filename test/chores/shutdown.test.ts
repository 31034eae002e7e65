import { describe, expect, it } from "vitest";
import { isAlive } from "../../src/process/process-identity.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { processesMarked, until } from "../run/run-lab.ts";
import type { ServedLab } from "./served-lab.ts";
import { openServedLab } from "./served-lab.ts";

/** An active session of an outside agent. */
async function serve(lab: ServedLab, session_id: string, owner = "local"): Promise<void> {
  await lab.call("create", { agent_name: "elsewhere", session_id }, owner);
  await lab.call("record_turn", { id: session_id, input: "Hello?", output: "Hi." }, owner);
}

async function statusOf(lab: ServedLab, id: string, owner = "local"): Promise<string> {
  return (await lab.call("get", { id }, owner)).status;
}

/** Starts a turn that runs until it is stopped. */
async function drive(lab: ServedLab, session_id: string, owner = "local"): Promise<void> {
  await lab.call("create", { agent_name: "agent", session_id }, owner);
  await lab.call("send_message", { id: session_id, message: "/say begun\n/slow 20000" }, owner);
  await until("the agent", async () =>
    (await lab.eventsOf(session_id, owner)).some(({ type }) => type === "agent.started"),
  );
}

describe("a server that shuts down", () => {
  it("suspends the sessions of all owners that it served or runs, in one commit", async () => {
    const lab = await openServedLab();
    await serve(lab, "served-ann", "ann");
    await serve(lab, "served-bob", "bob");
    await drive(lab, "driven-ann", "ann");
    const { entity_id } = await lab.call("get", { id: "driven-ann" }, "ann");
    await lab.shutDown();
    const all = [
      ["served-ann", "ann"],
      ["served-bob", "bob"],
      ["driven-ann", "ann"],
    ] as const;
    const { events } = await lab.store.readFeed({ after: "", limit: 1000 });
    const first = events.findIndex(({ type }) => type === "session.suspended");
    const suspended = events.filter(({ type }) => type === "session.suspended");
    expect(new Set(suspended.map(({ key }) => key))).toEqual(new Set(all.map(([id]) => id)));
    expect(new Set(suspended.map(({ at }) => at)).size).toBe(1);
    const last = events.findLastIndex(({ type }) => type === "session.suspended");
    const between = events.slice(first, last).map(({ type }) => type);
    expect(between.filter((type) => !TOGETHER.has(type))).toEqual([]);
    for (const [id, owner] of all) {
      expect(await lab.call("get", { id }, owner)).toMatchObject({
        status: "suspended",
        driver: null,
        metadata: { suspend_reason: "shutdown" },
      });
    }
    const { tasks } = await lab.call("list_tasks", {}, "bob");
    expect(tasks).toMatchObject([{ status: "suspended" }]);
    expect(processesMarked(entity_id)).toEqual([]);
  });

  it("saves the real conversation in the checkpoint", async () => {
    const lab = await openServedLab();
    await serve(lab, "served-1");
    await lab.shutDown();
    const { checkpoint_id } = await lab.call("get", { id: "served-1" });
    const { checkpoints } = await lab.call("list_checkpoints", { id: "served-1" });
    expect(checkpoints).toMatchObject([{ checkpoint_id }]);
    const name = checkpoints[0]?.name ?? "";
    expect(await lab.call("show_checkpoint", { id: "served-1", name })).toMatchObject({
      state: { reason: "shutdown", history: [{ input: "Hello?", output: "Hi." }] },
    });
    await lab.call("resume", { id: "served-1" });
    expect(await statusOf(lab, "served-1")).toBe("active");
  });

  it("does not suspend inactive sessions or sessions that it has not served", async () => {
    const before = await openServedLab();
    await serve(before, "not-served");
    const lab = await openServedLab({}, before.home);
    await lab.call("create", { agent_name: "elsewhere", session_id: "only-created" });
    for (const id of ["completed-1", "failed-1", "cancelled-1", "archived-1", "deleted-1"]) {
      await serve(lab, id);
    }
    await lab.call("finalize", { id: "completed-1", outcome: "completed" });
    await lab.call("finalize", { id: "failed-1", outcome: "failed" });
    await lab.call("cancel", { id: "cancelled-1" });
    await lab.call("archive", { id: "archived-1" });
    await lab.call("delete", { id: "deleted-1" });
    await serve(lab, "suspended-1");
    await lab.call("suspend", { id: "suspended-1", reason: "user_requested" });
    const seqs = () =>
      Promise.all([...lab.served].map(async (id) => (await loadStream(lab.store, { id }))?.seq));
    const then = await seqs();
    await lab.shutDown();
    expect(await seqs()).toEqual(then);
    expect(await statusOf(lab, "not-served")).toBe("active");
    expect(await lab.call("get", { id: "suspended-1" })).toMatchObject({
      metadata: { suspend_reason: "user_requested" },
    });
  });

  it("does not suspend a session that another living process runs", async () => {
    const other = await openServedLab();
    const lab = await openServedLab({}, other.home);
    await drive(other, "driven-elsewhere");
    await lab.call("rename", { id: "driven-elsewhere", title: "served here too" });
    expect(lab.served.size).toBe(1);
    await lab.shutDown();
    expect(await lab.call("get", { id: "driven-elsewhere" })).toMatchObject({
      status: "active",
      driver: expect.anything(),
    });
  });

  it("leaves sessions alone that wait for an answer about a crash", async () => {
    const lab = await openServedLab();
    await serve(lab, "asked-about");
    await lab.call("begin_action", { id: "asked-about", type: "deploy", effects: "remote" });
    await lab.call("recover", { id: "asked-about", force: true });
    expect((await lab.call("list_approvals", {})).approvals).toMatchObject([{ kind: "recovery" }]);
    const before = await lab.eventsOf("asked-about");
    await lab.shutDown();
    expect(await lab.eventsOf("asked-about")).toEqual(before);
  });

  it("reads little of each session, commits once for all, and leaves a sound store", async () => {
    const lab = await openServedLab();
    const ids = Array.from({ length: 300 }, (_, nth) => `many-${nth}`);
    await Promise.all(ids.map((id) => serve(lab, id)));
    lab.counted.clear();
    await lab.shutDown();
    const { transact, ...reads } = Object.fromEntries(lab.counted);
    expect(transact).toBe(1);
    const most = Object.values(reads).reduce((sum, count) => sum + count, 0) / ids.length;
    expect(most).toBeLessThan(10);
    expect(await lab.call("stats", {})).toMatchObject({
      total: { by_status: { suspended: ids.length } },
    });
    const care = await openSqliteStore({ folder: lab.home, isAlive });
    expect(await createMaintenance(care).verify()).toMatchObject({ ok: true });
    await care.close();
  });
});

/** The events that one commit of a shutdown writes. */
const TOGETHER: ReadonlySet<string> = new Set([
  "checkpoint.saved",
  "session.suspended",
  "task.followed",
  "action.completed",
  "turn.ended",
]);

describe("agents of a server", () => {
  it("are ended after an idle time, and counted", async () => {
    const lab = await openServedLab({ idle: 1 });
    await lab.call("create", { agent_name: "agent", session_id: "short-1" });
    await lab.call("send_message", { id: "short-1", message: "/say done" });
    await until("its answer", async () =>
      (await lab.eventsOf("short-1")).some(({ type }) => type === "turn.ended"),
    );
    await until("the idle agent to be reaped", async () => (await lab.runner.reap()) === 1);
    expect(await lab.runner.reap()).toBe(0);
    expect(await lab.call("get", { id: "short-1" })).toMatchObject({
      status: "active",
      driver: null,
    });
  });

  it("start in sessions of all owners whose suspension time is over; one failure does not stop the others", async () => {
    const lab = await openServedLab();
    for (const [id, agent_name, owner] of [
      ["wakes-ann", "agent", "ann"],
      ["fails-bob", "nobody-here", "bob"],
      ["wakes-bob", "agent", "bob"],
    ] as const) {
      await lab.call("create", { agent_name, session_id: id }, owner);
      await queueAndSuspend(lab, id, owner);
    }
    await expect(lab.runner.wakeDue(null)).rejects.toMatchObject({ code: "agent_not_found" });
    for (const [id, owner] of [
      ["wakes-ann", "ann"],
      ["wakes-bob", "bob"],
    ] as const) {
      await until(`${id} to be answered`, async () =>
        (await lab.eventsOf(id, owner)).some(({ type }) => type === "turn.ended"),
      );
    }
    expect(await statusOf(lab, "fails-bob", "bob")).toBe("active");
    expect(await lab.runner.wakeDue(null)).toBe(0);
  });
});

/** A message that waits in a session whose suspension has ended. */
async function queueAndSuspend(lab: ServedLab, id: string, owner: string): Promise<void> {
  const { changeSession } = await import("../../src/service/change-session.ts");
  const by = { owner, actor: "test", interface: "api", trace_id: null } as const;
  const { store } = lab;
  const now = Date.now();
  await changeSession({ store, now: () => now, newId: () => "x" }, by, {
    id,
    commands: () => [
      { type: "send_message", turn_id: `turn-${id}`, content: "/say awake", interface: "api" },
      { type: "suspend", reason: "user_requested", checkpoint_id: null, until: now - 1 },
    ],
  });
}
