import { describe, expect, it } from "vitest";
import { loadStream } from "../../src/store/read-streams.ts";
import { HOUR, onMemory } from "./on-memory.ts";

describe("cleanup", () => {
  it("takes what was idle for 24 hours, and leaves what is younger or protected", async () => {
    const { service, advance, caller } = onMemory();
    const create = (session_id: string) =>
      service.call("create", { agent_name: "a", session_id }, caller);
    for (const id of [
      "old-plain",
      "old-archived",
      "old-pinned",
      "old-waiting",
      "old-approval-phase",
    ]) {
      await create(id);
    }
    await service.call("archive", { id: "old-archived" }, caller);
    await service.call("pin", { id: "old-pinned" }, caller);
    await service.call("request_approval", { id: "old-waiting", title: "May I?" }, caller);
    await service.call("update", { id: "old-approval-phase", phase: "approval" }, caller);
    advance(2 * HOUR);
    await create("young");
    advance(23 * HOUR);

    const dry = await service.call("cleanup", { hours: 24, dry_run: true }, caller);
    expect(dry.removed.toSorted()).toEqual(["old-approval-phase", "old-plain"]);
    expect((await service.call("list", {}, caller)).sessions).toHaveLength(5);

    const { removed, protected: kept } = await service.call("cleanup", { hours: 24 }, caller);
    expect(removed.toSorted()).toEqual(dry.removed.toSorted());
    expect(kept.toSorted((a, b) => a.session_id.localeCompare(b.session_id))).toEqual([
      { session_id: "old-archived", because: "archived" },
      { session_id: "old-pinned", because: "pinned" },
      { session_id: "old-waiting", because: "waits for an approval" },
    ]);
    const { sessions } = await service.call("list", {}, caller);
    expect(sessions.map((session) => session.session_id).toSorted()).toEqual([
      "old-pinned",
      "old-waiting",
      "young",
    ]);
    const { events } = await service.call("log", { id: "old-plain" }, caller);
    expect(events.at(-1)).toMatchObject({ type: "session.deleted", data: { reason: "cleanup" } });
  });

  it("gives back what was removed until it is purged, and writes the purge down", async () => {
    const { service, advance, caller, store } = onMemory();
    await service.call("create", { agent_name: "a", session_id: "first" }, caller);
    await service.call("create", { agent_name: "a", session_id: "second" }, caller);
    advance(25 * HOUR);
    await service.call("cleanup", { hours: 24 }, caller);
    await service.call("undelete", { id: "first" }, caller);
    expect((await service.call("list", {}, caller)).sessions).toMatchObject([
      { session_id: "first" },
    ]);
    advance(7 * 24 * HOUR);
    const { purged, removed } = await service.call("cleanup", { hours: 24 }, caller);
    expect(purged).toEqual(["second"]);
    expect(removed).toEqual(["first"]);
    await expect(service.call("get", { id: "second" }, caller)).rejects.toMatchObject({
      code: "session_not_found",
    });
    const { events } = await service.call("audit", {}, caller);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "session.purged",
        data: expect.objectContaining({ session_id: "second" }),
      }),
    );
    expect(
      await loadStream(store, { kind: "session", owner: "ann", key: "second" }),
    ).toBeUndefined();
  });
});
