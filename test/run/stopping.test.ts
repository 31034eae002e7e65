import { describe, expect, it } from "vitest";
import { isAlive } from "../../src/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { Lab } from "./run-lab.ts";
import {
  answers,
  begin,
  expectSettled,
  factsOf,
  find,
  logOf,
  openLab,
  processesMarked,
  processesOf,
  reopenLab,
  said,
  talk,
  until,
} from "./run-lab.ts";

const working = "/say begun\n/slow 20000";

/** A turn that has produced text and continues. */
async function beginWork(lab: Lab, message = working, place: { readonly id?: string } = {}) {
  const spoken = Promise.withResolvers<void>();
  const begun = await begin(lab, message, {
    ...place,
    on: (event) => (event.type === "message" ? spoken.resolve() : undefined),
  });
  await spoken.promise;
  return begun;
}

describe("a turn that is stopped", () => {
  it("is cancelled by an interrupt from another handle; the agent stays", async () => {
    const lab = await openLab();
    const other = await reopenLab(lab.home);
    const { id, done } = await beginWork(lab);
    const [pid] = await processesOf(lab, id);
    await other.belay.turns.interrupt({ id });
    const { events } = await done;
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "cancelled" });
    expect((await lab.belay.turns.list({ id })).turns[0]).toMatchObject({ output: "begun" });
    const next = await answers(lab, id);
    expect(find(next.events, "agent")).toEqual([]);
    expect(await processesOf(lab, id)).toEqual([pid]);
    await expect(other.belay.turns.interrupt({ id })).rejects.toMatchObject({
      code: "nothing_to_interrupt",
    });
  });

  it("stops at once, even if it is interrupted before its agent runs", async () => {
    const lab = await openLab({ flags: ["--init-delay", "20000"] });
    const { id, done } = await begin(lab, "hello");
    await lab.belay.turns.interrupt({ id });
    const { events } = await done;
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "cancelled" });
    expect(await processesOf(lab, id)).toEqual([]);
  });

  it("is interrupted by a suspension from another handle, and its agent is ended", async () => {
    const lab = await openLab();
    const other = await reopenLab(lab.home);
    const { id } = await talk(lab, "/say earlier");
    const { done } = await beginWork(lab, working, { id });
    const suspended = await other.belay.sessions.suspend({ id, reason: "user_requested" });
    expect(suspended).toMatchObject({ status: "suspended" });
    const { events } = await done;
    expect(find(events, "suspended")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "interrupted" });
    await until(
      "the driver's end",
      async () => (await other.belay.sessions.get({ id })).driver === null,
    );
    expect(await processesOf(other, id)).toEqual([]);
    const { checkpoints } = await other.belay.checkpoints.list({ id });
    const name = checkpoints.at(-1)?.name ?? "";
    const { state } = await other.belay.checkpoints.show({ id, name });
    expect(state).toMatchObject({
      history: [{ input: "/say earlier", output: "earlier" }, { input: working }],
    });
    await answers(other, id);
    await expectSettledSoon(other, id);
  });

  it("can be suspended until a stored time, and resumed earlier by hand", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/say one");
    const until_ = new Date(Date.now() + 3_600_000).toISOString();
    expect(
      await lab.belay.sessions.suspend({ id, reason: "user_requested", until: until_ }),
    ).toMatchObject({
      status: "suspended",
      suspended_until: until_,
    });
    await expect(lab.belay.turns.send({ id, message: "hello" })).rejects.toMatchObject({
      code: "session_suspended",
    });
    expect(await lab.belay.sessions.resume({ id })).toMatchObject({
      status: "active",
      suspended_until: null,
    });
    await answers(lab, id);
  });

  it("stores a long conversation compressed, and shows it unchanged", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/chunks 1000 20");
    const { turns } = await lab.belay.turns.list({ id });
    await lab.belay.sessions.suspend({ id, reason: "user_requested" });
    const [saved] = await factsOf(lab, id, "checkpoint.saved");
    expect(JSON.stringify(saved).length).toBeLessThan(10_000);
    expect(saved?.state).toHaveProperty("packed_history");
    const [checkpoint] = (await lab.belay.checkpoints.list({ id })).checkpoints;
    const { state } = await lab.belay.checkpoints.show({ id, name: checkpoint?.name ?? "" });
    expect(state.history).toEqual(turns);
  });
});

async function expectSettledSoon(lab: Lab, id: string) {
  await lab.belay.sessions.suspend({ id, reason: "user_requested" });
  await until(
    "the driver's end",
    async () => (await lab.belay.sessions.get({ id })).driver === null,
  );
  await expectSettled(lab, id);
}

describe("a process that shuts down", () => {
  it("suspends all its sessions with their queues in one commit, and ends the agents", async () => {
    const lab = await openLab();
    const begun = [await beginWork(lab), await beginWork(lab)];
    const idle = await talk(lab, "/say idle");
    const ids = [...begun.map(({ id }) => id), idle.id];
    const [busy = ""] = ids;
    await lab.belay.turns.send({ id: busy, message: "/say later" });
    const entities = await Promise.all(
      ids.map(async (id) => (await lab.belay.sessions.get({ id })).entity_id),
    );
    await lab.belay.suspendAll();
    expect(entities.flatMap(processesMarked)).toEqual([]);
    const suspensions = await Promise.all(
      ids.map(async (id) => (await logOf(lab, id)).find((e) => e.type === "session.suspended")),
    );
    expect(new Set(suspensions.map((event) => event?.at)).size).toBe(1);
    expect(suspensions).toMatchObject(ids.map(() => ({ data: { reason: "shutdown" } })));
    expect(await suspendedTogether(lab.home)).toBe(3);
    for (const { done } of begun) {
      expect((await done).events.at(-1)).toMatchObject({ outcome: "interrupted" });
    }
    expect(await lab.belay.sessions.get({ id: busy })).toMatchObject({
      status: "suspended",
      queued_messages: 1,
      driver: null,
    });
    await lab.belay.close();

    const other = await reopenLab(lab.home);
    const { events } = await talk(other, "/say after", { id: busy });
    expect(said(events).split("\n")[0]).toBe("after");
    const { turns } = await other.belay.turns.list({ id: busy });
    expect(turns.map(({ status }) => status)).toEqual(["interrupted", "completed", "completed"]);
    expect(turns[1]?.output).toContain("later");
  });
});

/** The number of sessions that were suspended without other work in between. */
async function suspendedTogether(home: string): Promise<number> {
  const store = await openSqliteStore({ folder: home, isAlive });
  try {
    const { events } = await store.readFeed({ after: "", limit: 1000 });
    const ofSessions = events.filter(({ kind }) => kind === "session");
    const first = ofSessions.findIndex(({ type }) => type === "session.suspended");
    const after = ofSessions.slice(first);
    const end = after.findIndex(({ type }) => !SUSPENDING.has(type));
    const together = end < 0 ? after : after.slice(0, end);
    return together.filter(({ type }) => type === "session.suspended").length;
  } finally {
    await store.close();
  }
}
const SUSPENDING: ReadonlySet<string> = new Set(["checkpoint.saved", "session.suspended"]);

describe("a session that is ended while its turn runs", () => {
  const ends = {
    finalize: { status: "completed", turn: "interrupted" },
    cancel: { status: "cancelled", turn: "cancelled" },
    archive: { status: "archived", turn: "cancelled" },
    delete: { status: "active", turn: "interrupted" },
  } as const;

  it.each(Object.entries(ends))(
    "%s: the log stays complete and the agent is ended",
    async (how, as) => {
      const lab = await openLab();
      const other = await reopenLab(lab.home);
      const { id, done } = await beginWork(lab, "/say begun\n/run sleep 20");
      await until("the shell", async () => (await processesOf(lab, id)).length > 1);
      const { entity_id } = await lab.belay.sessions.get({ id });
      if (how === "finalize") await other.belay.sessions.finalize({ id, outcome: "completed" });
      if (how === "cancel") await other.belay.sessions.cancel({ id });
      if (how === "archive") await other.belay.sessions.archive({ id });
      if (how === "delete") await other.belay.sessions.delete({ id });
      await done;
      await until(
        "the driver's end",
        async () => (await other.belay.sessions.get({ id })).driver === null,
      );
      expect(processesMarked(entity_id)).toEqual([]);
      expect(await other.belay.sessions.get({ id })).toMatchObject({ status: as.status });
      const { turns } = await other.belay.turns.list({ id });
      expect(turns).toMatchObject([{ status: as.turn }]);
      await expectSettled(other, id);
      expect(await other.belay.maintenance.verify()).toMatchObject({ ok: true, findings: [] });
    },
  );
});
