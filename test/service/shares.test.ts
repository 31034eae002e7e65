import { describe, expect, it } from "vitest";
import type { OperationName } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { SESSION_ROLES, type SessionRole } from "../../src/contract/vocabulary.ts";
import { LEAST_ROLE, mayDo } from "../../src/core/shares.ts";
import { as, HOUR, MINUTE, onMemory } from "./on-memory.ts";

const bob = as("bob", "api");
const eve = as("eve", "api");

describe("a shared session", () => {
  it("is found by OWNER/ID and by its entity id, only by its people", async () => {
    const { service, caller, share } = await prepare();
    const { entity_id } = await service.call("get", { id: "ann-1" }, caller);
    for (const id of ["ann/ann-1", entity_id, "ann-1", `ann/${entity_id}`, "ann/absent"]) {
      await expect(service.call("get", { id }, bob)).rejects.toMatchObject({
        code: "session_not_found",
      });
    }
    await share("viewer");
    for (const id of ["ann/ann-1", entity_id, `ann/${entity_id}`]) {
      const found = await service.call("get", { id }, bob);
      expect(found).toMatchObject({ session_id: "ann/ann-1", owner: "ann", entity_id });
      await expect(service.call("get", { id }, eve)).rejects.toMatchObject({
        code: "session_not_found",
      });
    }
    expect(await service.call("get", { id: "ann/ann-1" }, caller)).toMatchObject({
      session_id: "ann-1",
    });
    // A prefix matches only shared sessions.
    await service.call("create", { agent_name: "a", session_id: "other-1" }, caller);
    expect(await service.call("get", { id: "ann/ann" }, bob)).toMatchObject({ entity_id });
    await expect(service.call("get", { id: "ann/other" }, bob)).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  it("allows each role what the table says, and records who did it", async () => {
    for (const role of SESSION_ROLES) {
      const { service, caller, share } = await prepare();
      await share(role);
      const { approval_id } = await service.call(
        "request_approval",
        { id: "ann-1", title: "May I?" },
        caller,
      );
      const id = "ann/ann-1";
      const attempt = async (name: OperationName, input: object): Promise<string> =>
        service.call(name, input, bob).then(
          () => "done",
          (error: { readonly code?: string }) => error.code ?? String(error),
        );
      const tried: readonly (readonly [OperationName, object, string?])[] = [
        ["get", { id }],
        ["log", { id }],
        ["turns", { id }],
        ["history", { session_id: id }],
        ["timeline", { entity_id: id }],
        ["spans", { entity_id: id }],
        ["list_checkpoints", { id }],
        ["list_artifacts", { id }],
        ["decide_approval", { approval_id, decision: "approved" }],
        ["resume", { id }],
        ["suspend", { id }],
        ["resume", { id }],
        ["interrupt", { id }, "nothing_to_interrupt"],
        ["fork", { id, session_id: "bobs-fork" }],
        ["rename", { id, title: "mine" }],
        ["delete", { id }],
        ["update", { id, phase: "planning" }],
        ["begin_action", { id, type: "deploy" }],
        ["save_checkpoint", { id, name: "c" }],
        ["restore_checkpoint", { id, name: "c" }],
        ["share", { id, everyone: true }],
        ["unshare", { id, with: "bob" }],
        ["shares", { id }],
        ["audit", { id }],
      ];
      for (const [name, input, refused = "done"] of tried) {
        const expected = mayDo(role, name) ? refused : "not_allowed";
        expect([role, name, await attempt(name, input)]).toEqual([role, name, expected]);
      }
      const { sessions } = await service.call("spans", { entity_id: id }, bob);
      expect(sessions.map(({ session_id }) => session_id)).toEqual(["ann/ann-1"]);
      const { events } = await service.call("log", { id: "ann-1" }, caller);
      const theirs = events.filter(({ actor }) => actor === "person:bob").map(({ type }) => type);
      const acted = { viewer: [], approver: ["approval.decided"] };
      if (role !== "editor") expect(theirs).toEqual(acted[role]);
      else expect(theirs).toContain("session.resumed");
    }
  });

  it("has a role for every operation of the table, once", () => {
    expect(Object.keys(LEAST_ROLE).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  });

  it("is handed to another agent only by its owner, not by a message either", async () => {
    const { service, caller, share } = await prepare();
    await share("editor");
    const { agent_name } = await service.call("get", { id: "ann-1" }, caller);
    const message = { id: "ann/ann-1", message: "hello", agent: "other" };
    await expect(service.call("send_message", message, bob)).rejects.toMatchObject({
      code: "not_allowed",
      message: "You have the role editor in ann/ann-1; only ann may hand it to another agent.",
    });
    expect((await service.call("get", { id: "ann-1" }, caller)).agent_name).toBe(agent_name);
  });

  it("counts only the questions that a role may answer", async () => {
    const { service, caller, share } = await prepare();
    const id = "ann-1";
    const fork = (await service.call("fork", { id }, caller)).session_id;
    await service.call("update", { id, metadata: { color: "red" } }, caller);
    await service.call("update", { id: fork, metadata: { color: "blue" } }, caller);
    await service.call("request_approval", { id, title: "May I?" }, caller);
    await service.call("merge", { id: fork, rule: "ask" }, caller);
    expect((await service.call("count", {}, caller)).waiting).toBe(2);
    const waiting: Record<string, number> = {};
    for (const role of SESSION_ROLES) {
      await share(role);
      waiting[role] = (await service.call("count", {}, bob)).waiting;
    }
    // Only the owner answers the question about the merge.
    expect(waiting).toEqual({ viewer: 0, approver: 1, editor: 1 });
  });

  it("accepts the answer always only from its owner", async () => {
    const { service, caller, share } = await prepare();
    await share("editor");
    const asked = { id: "ann-1", title: "May I?" };
    const { approval_id } = await service.call("request_approval", asked, caller);
    const decision = { approval_id, decision: "approved", always: true };
    await expect(service.call("decide_approval", decision, bob)).rejects.toMatchObject({
      code: "not_allowed",
      message: 'Only ann may answer "always".',
    });
  });

  it("is in no answer after the share is removed or expired, the session is deleted, or a person is disabled", async () => {
    const { service, caller, share, advance, now } = await prepare();
    const sees = async () => {
      const { sessions } = await service.call("list", {}, bob);
      const { events } = await service.call("events", { limit: 100 }, bob);
      const { sessions: shared } = await service.call("shared", {}, bob);
      const { by_status } = await service.call("count", {}, bob);
      const got = await service.call("get", { id: "ann/ann-1" }, bob).then(
        () => true,
        () => false,
      );
      return [sessions.length, events.length > 0, shared.length, got, by_status.active > 0];
    };
    const nothing = [0, false, 0, false, false];
    const all = [1, true, 1, true, true];
    await service.call("update", { id: "ann-1", phase: "planning" }, caller);
    expect(await sees()).toEqual(nothing);
    await share("viewer");
    expect(await sees()).toEqual(all);
    await service.call("unshare", { id: "ann-1", with: "bob" }, caller);
    expect(await sees()).toEqual(nothing);
    const until = new Date(now() + HOUR).toISOString();
    await service.call("share", { id: "ann-1", with: "bob", until }, caller);
    expect(await sees()).toEqual(all);
    advance(HOUR);
    expect(await sees()).toEqual(nothing);
    await service.call("share", { id: "ann-1", everyone: true }, caller);
    expect(await sees()).toEqual(all);
    await service.call("delete", { id: "ann-1" }, caller);
    expect(await sees()).toEqual(nothing);
    await service.call("undelete", { id: "ann-1" }, caller);
    expect(await sees()).toEqual(all);
    await service.call("disable_person", { name: "bob" }, caller);
    expect(await sees()).toEqual(nothing);
    await service.call("add_person", { name: "bob" }, caller);
    await service.call("add_person", { name: "zoe", role: "admin" }, caller);
    await service.call("disable_person", { name: "ann" }, as("zoe", "cli"));
    expect(await sees()).toEqual(nothing);
  });

  it("stays the owner's, while a fork belongs to its creator and is not shared", async () => {
    const { service, caller, share } = await prepare();
    await share("editor");
    await service.call("add_person", { name: "eve" }, caller);
    await service.call("share", { id: "ann-1", with: "eve" }, caller);
    const fork = await service.call("fork", { id: "ann/ann-1", session_id: "bobs-1" }, bob);
    expect(fork).toMatchObject({ owner: "bob", session_id: "bobs-1" });
    expect((await service.call("turns", { id: "bobs-1" }, bob)).turns).toHaveLength(1);
    expect((await service.call("shares", { id: "bobs-1" }, bob)).shares).toEqual([]);
    for (const other of [caller, eve]) {
      await expect(service.call("get", { id: "bob/bobs-1" }, other)).rejects.toMatchObject({
        code: "session_not_found",
      });
    }
    await expect(service.call("fork", { id: "ann/ann-1" }, eve)).rejects.toMatchObject({
      code: "not_allowed",
    });
    const { branches } = await service.call("branches", { id: "bobs-1" }, bob);
    expect(branches.map(({ session_id }) => session_id)).toEqual(["bobs-1"]);
    for (const into of [undefined, "ann/ann-1"]) {
      const merge = { id: "bobs-1", ...(into !== undefined && { into }) };
      await expect(service.call("merge", merge, bob)).rejects.toMatchObject({
        code: "session_not_found",
      });
    }
    const own = await service.call("fork", { id: "ann-1", session_id: "anns-fork" }, caller);
    expect((await service.call("shares", { id: own.session_id }, caller)).shares).toEqual([]);
    await expect(service.call("get", { id: "ann/anns-fork" }, bob)).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  it("keeps the idempotency keys of each person apart", async () => {
    const { service, caller, share } = await prepare();
    await share("editor");
    const idempotency_key = "one";
    await service.call("suspend", { id: "ann-1", idempotency_key }, caller);
    await service.call("resume", { id: "ann-1" }, caller);
    const again = await service.call("suspend", { id: "ann/ann-1", idempotency_key }, bob);
    expect(again.status).toBe("suspended");
    const { events } = await service.call("log", { id: "ann-1" }, caller);
    const actors = events.filter(({ type }) => type === "session.suspended");
    expect(actors.map(({ actor }) => actor)).toEqual(["user:ann", "person:bob"]);
  });

  it("can be shared only with people on record, and not with its owner", async () => {
    const { service, caller } = await prepare();
    await expect(service.call("share", { id: "ann-1", with: "zoe" }, caller)).rejects.toMatchObject(
      { code: "person_not_found" },
    );
    for (const wrong of [{ with: "ann" }, {}, { with: "bob", everyone: true }]) {
      await expect(service.call("share", { id: "ann-1", ...wrong }, caller)).rejects.toMatchObject({
        code: "invalid_input",
      });
    }
  });
});

describe("a list of own and shared sessions", () => {
  it("keeps a session and its questions, however often another member shares theirs", async () => {
    const { service, caller, share } = await prepare();
    await service.call("add_person", { name: "eve" }, caller);
    await share("approver");
    await service.call("request_approval", { id: "ann-1", title: "Publish?" }, caller);
    const found = async () => {
      const { sessions } = await service.call("shared", {}, bob);
      const { approvals } = await service.call("list_approvals", {}, bob);
      return [sessions.map(({ session_id }) => session_id).slice(0, 2), approvals.length];
    };
    const eves = { id: "eve-1", with: "bob" };
    await service.call("create", { agent_name: "a", session_id: eves.id }, eve);
    for (let n = 0; n < 510; n += 1) {
      await service.call("share", eves, eve);
      await service.call("unshare", eves, eve);
    }
    expect(await found()).toEqual([["ann/ann-1"], 1]);
    await service.call("share", eves, eve);
    expect(await found()).toEqual([["ann/ann-1", "eve/eve-1"], 1]);
    for (let n = 2; n < 1010; n += 1) {
      const { session_id: id } = await service.call("create", { agent_name: "a" }, eve);
      await service.call("share", { id, with: "bob" }, eve);
    }
    expect(await found()).toEqual([["ann/ann-1", expect.stringContaining("eve/")], 1]);
  });

  it("has each session once, in the order of all lists, with any page size", async () => {
    const { service, caller, advance } = await prepare();
    for (let n = 0; n < 24; n += 1) {
      const owner = n % 3 === 0 ? bob : caller;
      const session_id = `${owner.owner}-list-${n}`;
      await service.call("create", { agent_name: "a", session_id }, owner);
      if (n % 5 === 0)
        await service.call("request_approval", { id: session_id, title: "?" }, owner);
      if (n % 7 === 0) await service.call("pin", { id: session_id }, owner);
      if (owner !== bob && n % 2 === 0) {
        await service.call("share", { id: session_id, with: "bob" }, caller);
      }
      advance(n % 4 === 0 ? 0 : MINUTE);
    }
    const whole = await page(100);
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.length).toBe(8 + 8);
    for (const limit of [1, 2, 3, 5, 7, 15]) expect(await page(limit)).toEqual(whole);
    const sessions = (await service.call("list", { limit: 100 }, bob)).sessions;
    const bands = sessions.map(({ pinned, pending_approvals }) =>
      pinned ? 0 : pending_approvals > 0 ? 1 : 2,
    );
    expect(bands).toEqual(bands.toSorted((a, b) => a - b));
    const found = await service.call("list", { search: "ann-list-2" }, bob);
    expect(found.sessions.map(({ session_id }) => session_id)).toContain("ann/ann-list-2");
    const { approvals } = await service.call("list_approvals", { limit: 100 }, bob);
    expect(approvals.map(({ session_id }) => session_id).toSorted()).toEqual(
      ["bob-list-0", "bob-list-15", "ann/ann-list-10", "ann/ann-list-20"].toSorted(),
    );

    async function page(limit: number): Promise<string[]> {
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const input: object = { limit, ...(cursor !== null && { cursor }) };
        const answer = await service.call("list", input, bob);
        ids.push(...answer.sessions.map(({ session_id }) => session_id));
        cursor = answer.next_cursor;
      } while (cursor !== null);
      return ids;
    }
  });
});

/** Ann has one session, bob is a person, eve is not on record. */
async function prepare() {
  const lab = onMemory();
  const { service, caller } = lab;
  await service.call("add_person", { name: "bob" }, caller);
  await service.call("create", { agent_name: "a", session_id: "ann-1", title: "Ann's" }, caller);
  await service.call("record_turn", { id: "ann-1", input: "a", output: "b" }, caller);
  return {
    ...lab,
    share: (role: SessionRole) => service.call("share", { id: "ann-1", with: "bob", role }, caller),
  };
}
