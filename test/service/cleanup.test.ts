import { describe, expect, it } from "vitest";
import { readBootId } from "../../src/process/read-proc.ts";
import { countServedTime } from "../../src/service/retention/served-time.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { as, HOUR, onMemory } from "./on-memory.ts";

describe("cleanup", () => {
  it("removes sessions that were idle for 24 hours, and keeps younger or protected ones", async () => {
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

  it("can be undone until the purge, which is recorded", async () => {
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

describe("a purge", () => {
  it("lists forks that share its events, and copies that it does not remove", async () => {
    const { service, advance, caller } = onMemory();
    const fork = (id: string, session_id: string) =>
      service.call("fork", { id, session_id }, caller);
    for (const id of ["plain", "origin"]) {
      await service.call("create", { agent_name: "a", session_id: id }, caller);
      await service.call("record_turn", { id, input: "i", output: "o" }, caller);
    }
    await fork("origin", "child");
    await fork("child", "grandchild");
    await fork("origin", "gone-too");
    for (const id of ["plain", "origin", "gone-too"]) {
      await service.call("delete", { id }, caller);
    }
    advance(8 * 24 * HOUR);
    const input = { hours: 24 * 365 };
    const dry = await service.call("cleanup", { ...input, dry_run: true }, caller);
    expect(dry).toMatchObject({
      shared: [{ session_id: "origin", forks: ["child", "grandchild"] }],
      not_covered: ["backups", "agent_transcripts"],
    });
    expect(dry.purged.toSorted()).toEqual(["gone-too", "origin", "plain"]);
    expect(await service.call("cleanup", input, caller)).toEqual({ ...dry, dry_run: false });
    const nothing = await service.call("cleanup", input, caller);
    expect(nothing).toMatchObject({ purged: [], shared: [], not_covered: [] });
  });
});

describe("what stays after a purge", () => {
  it("includes forks of other people, who had a share, without the ids of their sessions", async () => {
    const { service, caller, advance } = onMemory();
    for (const name of ["bob", "carl", "dora"]) await service.call("add_person", { name }, caller);
    for (const session_id of ["for-bob", "for-all"]) {
      await service.call("create", { agent_name: "a", session_id }, caller);
    }
    await service.call("share", { id: "for-bob", with: "bob", role: "editor" }, caller);
    await service.call("share", { id: "for-all", everyone: true, role: "editor" }, caller);
    await service.call("fork", { id: "ann/for-bob", session_id: "bobs-secret" }, as("bob", "api"));
    await service.call("fork", { id: "ann/for-all", session_id: "doras" }, as("dora", "api"));
    await service.call("unshare", { id: "for-bob", with: "bob" }, caller);
    for (const id of ["for-bob", "for-all"]) await service.call("delete", { id }, caller);
    advance(8 * 24 * HOUR);
    const { shared } = await service.call("cleanup", { hours: 24 * 365, force: true }, caller);
    expect(shared.toSorted((a, b) => (a.session_id < b.session_id ? -1 : 1))).toEqual([
      { session_id: "for-all", forks: ["dora/…"] },
      { session_id: "for-bob", forks: ["bob/…"] },
    ]);
  });
});

describe("cleanup by a clock that may be wrong", () => {
  const lab = async () => {
    const on = onMemory();
    const context = { store: on.store, now: () => on.now(), newId: () => "served" };
    const uptime = { boot_id: readBootId(), uptime_ms: HOUR };
    await on.service.call("create", { agent_name: "a", session_id: "dear-session" }, on.caller);
    const clean = (input = {}) => on.service.call("cleanup", { hours: 24, ...input }, on.caller);
    return { ...on, clean, serve: () => countServedTime(context, on.caller, uptime) };
  };
  const DOUBT = { code: "clock_uncertain" };

  it("is refused if nothing was written for a long time, unless forced; a dry run is allowed", async () => {
    const { advance, clean } = await lab();
    advance(365 * 24 * HOUR);
    await expect(clean()).rejects.toMatchObject(DOUBT);
    expect(await clean({ dry_run: true })).toMatchObject({ removed: ["dear-session"] });
    expect(await clean({ force: true })).toMatchObject({ removed: ["dear-session"] });
  });

  it("is refused if a server ran before this machine can have started", async () => {
    const { service, caller, advance, clean, serve } = await lab();
    await serve();
    advance(365 * 24 * HOUR);
    await service.call("create", { agent_name: "a", session_id: "new-work" }, caller);
    await expect(clean()).rejects.toMatchObject(DOUBT);
  });

  it("is refused if there are entries with a later time", async () => {
    const { service, caller, advance, clean } = await lab();
    advance(4 * 24 * HOUR);
    await service.call("create", { agent_name: "a", session_id: "new-work" }, caller);
    advance(-2 * 24 * HOUR);
    await expect(clean()).rejects.toMatchObject(DOUBT);
  });

  it("runs if no evidence contradicts the clock", async () => {
    const { service, caller, advance, clean } = await lab();
    advance(20 * 24 * HOUR);
    await service.call("create", { agent_name: "a", session_id: "new-work" }, caller);
    expect(await clean()).toMatchObject({ removed: ["dear-session"] });
  });
});
