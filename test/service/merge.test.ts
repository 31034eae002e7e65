import { beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import type { Input, OperationName, Output } from "../../src/contract/operations.ts";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { as, onMemory } from "./on-memory.ts";

let belay: ReturnType<typeof onMemory>;
const ORIGIN = "origin-1";
const FORK = "fork-1";

function call<K extends OperationName>(name: K, input: Input<K>): Promise<Output<K>> {
  return belay.service.call(name, input, belay.caller);
}

const say = (id: string, input: string) => call("record_turn", { id, input, output: `${input}!` });

beforeEach(async () => {
  belay = onMemory();
  await call("create", { agent_name: "demo", session_id: ORIGIN, metadata: { a: 1, log: ["x"] } });
  await say(ORIGIN, "before");
  await call("fork", { id: ORIGIN, session_id: FORK });
});

async function eventTypes(id: string): Promise<string[]> {
  return (await call("log", { id, limit: 1000 })).events.map(({ type }) => type);
}

describe("a merge", () => {
  it("brings turns, metadata, checkpoints, artifacts and outcomes as one event", async () => {
    await say(FORK, "tried it");
    await call("update", { id: FORK, metadata: { b: 2, log: ["x", "fork"] } });
    await call("update", { id: ORIGIN, metadata: { log: ["x", "origin"] } });
    await call("save_checkpoint", { id: FORK, name: "green", state: { at: "fork" } });
    await call("record_artifact", { id: FORK, name: "plan.md" });
    await call("record_outcome", { id: FORK, type: "pr", outcome_id: "7" });
    await call("finalize", { id: FORK, outcome: "completed", summary: "it worked" });
    const before = (await eventTypes(ORIGIN)).length;

    const merged = await call("merge", { id: FORK });
    expect(merged).toMatchObject({
      session_id: ORIGIN,
      metadata: { a: 1, b: 2, log: ["x", "origin", "fork"] },
      turn_count: 2,
      merge: { added: true, turns: 1, conflicts: [], outcomes: ["pr 7"] },
    });
    expect((await eventTypes(ORIGIN)).slice(before)).toEqual(["session.merged"]);
    const { turns } = await call("turns", { id: ORIGIN });
    expect(turns.at(-1)).toMatchObject({
      status: "merged",
      merged: { session_id: FORK, turns: 1 },
      output: "Asked: tried it\nAnswered: tried it!",
    });
    const { artifacts } = await call("list_artifacts", { id: ORIGIN });
    expect(artifacts).toMatchObject([{ name: "plan.md", merged_from: FORK }]);
    const restored = await call("restore_checkpoint", { id: ORIGIN, name: "green" });
    expect(restored.state).toEqual({ at: "fork" });
    expect((await call("history", { session_id: ORIGIN })).sessions[0]?.snapshot).toMatchObject({
      outcomes: [{ type: "pr", id: "7" }],
      checkpoints: [{ name: "green", state: { at: "fork" } }],
    });
  });

  it("done twice adds nothing, and later adds only new turns", async () => {
    await say(FORK, "one");
    await call("merge", { id: FORK });
    const before = await eventTypes(ORIGIN);
    expect((await call("merge", { id: FORK })).merge).toMatchObject({ added: false, turns: 0 });
    expect(await eventTypes(ORIGIN)).toEqual(before);
    await say(FORK, "two");
    expect((await call("merge", { id: FORK })).merge).toMatchObject({ added: true, turns: 1 });
    expect((await call("get", { id: ORIGIN })).turn_count).toBe(3);
  });

  it("is done once for two callers at once", async () => {
    await say(FORK, "one");
    const both = await Promise.all([call("merge", { id: FORK }), call("merge", { id: FORK })]);
    expect(both.map(({ merge }) => merge.added).toSorted()).toEqual([false, true]);
    expect((await eventTypes(ORIGIN)).filter((type) => type === "session.merged")).toHaveLength(1);
  });

  it("refuses conflicting changes, or resolves them by a rule without losing the other value", async () => {
    await call("update", { id: FORK, metadata: { a: "fork" } });
    await call("update", { id: ORIGIN, metadata: { a: "origin" } });
    await call("save_checkpoint", { id: FORK, name: "green", state: { at: "fork" } });
    await call("save_checkpoint", { id: ORIGIN, name: "green", state: { at: "origin" } });
    await expect(call("merge", { id: FORK })).rejects.toMatchObject({
      code: "merge_conflict",
      message: expect.stringContaining("metadata a, checkpoint green"),
    });
    const ours = await call("merge", { id: FORK, rule: "ours" });
    expect(ours.metadata.a).toBe("origin");
    expect((await call("show_checkpoint", { id: ORIGIN, name: "green" })).state.at).toBe("origin");
    const { events } = await call("log", { id: ORIGIN, limit: 1000 });
    expect(events.at(-1)?.data.conflicts).toMatchObject([
      { kind: "metadata", name: "a", taken: "ours", other: "fork" },
      { kind: "checkpoint", name: "green", taken: "ours" },
    ]);
    const { checkpoints } = await call("list_checkpoints", { id: ORIGIN });
    const theirs = checkpoints.find(({ merged_from }) => merged_from === FORK);
    const shown = await call("show_checkpoint", { id: ORIGIN, name: theirs?.checkpoint_id ?? "" });
    expect(shown.state.at).toBe("fork");
  });

  it.each([
    ["approved", "fork"],
    ["rejected", "origin"],
  ] as const)(
    "asks a person, and the answer %s selects the value of the %s",
    async (decision, a) => {
      await say(FORK, "one");
      await call("update", { id: FORK, metadata: { a: "fork" } });
      await call("update", { id: ORIGIN, metadata: { a: "origin" } });
      const asked = await call("merge", { id: FORK, rule: "ask" });
      expect(asked).toMatchObject({ status: "suspended", turn_count: 1, pending_approvals: 1 });
      await say(FORK, "later");
      const approval_id = asked.merge.approval_id ?? "";
      await call("decide_approval", { approval_id, decision });
      expect(await call("get", { id: ORIGIN })).toMatchObject({
        metadata: { a },
        turn_count: 2,
        pending_approvals: 0,
      });
      await expect(call("decide_approval", { approval_id, decision })).rejects.toMatchObject({
        code: "approval_closed",
      });
    },
  );

  it("is not approved with values that nobody was shown", async () => {
    await call("update", { id: FORK, metadata: { a: "fork" } });
    await call("update", { id: ORIGIN, metadata: { a: "origin" } });
    const approval_id = (await call("merge", { id: FORK, rule: "ask" })).merge.approval_id ?? "";
    await call("update", { id: ORIGIN, metadata: { a: "changed since" } });
    await expect(
      call("decide_approval", { approval_id, decision: "approved" }),
    ).rejects.toMatchObject({ code: "approval_changed" });
    expect(await call("get", { id: ORIGIN })).toMatchObject({
      metadata: { a: "changed since" },
      pending_approvals: 1,
    });
    await call("decide_approval", { approval_id, decision: "rejected" });
    expect(await call("get", { id: ORIGIN })).toMatchObject({
      metadata: { a: "changed since" },
      pending_approvals: 0,
    });
  });

  it("has no conflict if both sides deleted the same", async () => {
    for (const id of [ORIGIN, FORK]) await call("update", { id, metadata: { a: null } });
    expect((await call("merge", { id: FORK })).merge).toMatchObject({
      conflicts: [],
      added: false,
    });
  });

  it("of a fork of a fork goes to its parent, or completely to the first session", async () => {
    await say(FORK, "one");
    await call("fork", { id: FORK, session_id: "fork-2" });
    await say("fork-2", "two");
    const whole = await call("merge", { id: "fork-2", into: ORIGIN });
    expect(whole.merge).toMatchObject({ turns: 2, into: ORIGIN });
    // The part that came with the fork of the fork is known.
    expect((await call("merge", { id: FORK })).merge.added).toBe(false);
    expect((await call("merge", { id: "fork-2" })).merge).toMatchObject({ into: FORK, turns: 1 });
    expect((await call("merge", { id: FORK })).merge.added).toBe(false);
  });

  it("in both directions gives each side what only the other has", async () => {
    await say(FORK, "fork");
    await call("record_artifact", { id: FORK, name: "fork.md" });
    await call("update", { id: FORK, metadata: { a: "fork" } });
    await call("merge", { id: FORK });
    await call("record_artifact", { id: ORIGIN, name: "origin.md" });
    await call("update", { id: FORK, metadata: { a: "later" } });
    const back = await call("merge", { id: ORIGIN, into: FORK });
    expect(back.merge).toMatchObject({ artifacts: ["origin.md"], conflicts: [] });
    expect(back.metadata.a).toBe("later");
  });

  it("shows with dry_run what it would do, and does nothing", async () => {
    await say(FORK, "one");
    const before = await eventTypes(ORIGIN);
    const { merge } = await call("merge", { id: FORK, dry_run: true });
    expect(merge).toMatchObject({ dry_run: true, added: true, turns: 1 });
    expect(await eventTypes(ORIGIN)).toEqual(before);
  });

  it("protects its source from a purge, and verifies", async () => {
    await say(FORK, "one");
    await call("merge", { id: FORK });
    await call("delete", { id: FORK });
    belay.advance(30 * 24 * 3_600_000);
    const { purged, protected: kept } = await call("cleanup", { hours: 1_000_000, force: true });
    expect([purged, kept]).toMatchObject([[], [{ session_id: FORK }]]);
    const { turns } = await call("turns", { id: ORIGIN });
    expect(turns.at(-1)?.output).toContain("one!");
    for await (const finding of verifyStreams(belay.store)) expect(finding).toBeUndefined();
  });

  it.each([
    ["unrelated", "other-1", {}, "not_related"],
    ["not a fork", ORIGIN, {}, "not_related"],
    ["itself", FORK, { into: FORK }, "not_related"],
    ["unknown", "missing-1", {}, "session_not_found"],
    ["beyond its end", FORK, { at: 999 }, "event_not_found"],
  ] as const)("of %s is refused", async (_, id, more, code) => {
    await call("create", { agent_name: "demo", session_id: "other-1" });
    const into = id === "other-1" ? { into: ORIGIN } : {};
    await expect(call("merge", { id, ...into, ...more })).rejects.toMatchObject({ code });
  });

  it("from a working session, or into a closed one, is refused with a hint", async () => {
    await call("begin_action", { id: FORK, action_id: "a-1", type: "deploy" });
    await expect(call("merge", { id: FORK })).rejects.toMatchObject({
      code: "turn_open",
      message: expect.stringContaining(`belay interrupt ${FORK}`),
    });
    await call("complete_action", { id: FORK, action_id: "a-1" });
    await call("archive", { id: ORIGIN });
    await expect(call("merge", { id: FORK })).rejects.toMatchObject({ code: "session_archived" });
    await call("delete", { id: FORK });
    await expect(call("merge", { id: FORK })).rejects.toMatchObject({ code: "session_deleted" });
  });

  it("is refused to others, and if it exceeds the size of an event", async () => {
    const bob = as("bob", "cli");
    await expect(belay.service.call("merge", { id: FORK }, bob)).rejects.toMatchObject({
      code: "session_not_found",
    });
    const details = { text: "x".repeat(LIMITS.MERGED.bytes / 4) };
    for (let n = 0; n < 5; n += 1)
      await call("record_artifact", { id: FORK, name: `${n}`, details });
    await expect(call("merge", { id: FORK })).rejects.toMatchObject({
      code: "limit_reached",
      message: expect.stringContaining('"at"'),
    });
    const { version } = await call("get", { id: FORK });
    await call("merge", { id: FORK, at: version - 3 });
    await call("merge", { id: FORK });
    expect((await call("list_artifacts", { id: ORIGIN })).artifacts).toHaveLength(5);
  });
});

describe("a long merge", () => {
  it("reads the same amount for a thousand turns on each side as for ten", async () => {
    const reads = async (turns: number) => {
      for (let n = 0; n < turns; n += 1)
        await Promise.all([say(ORIGIN, `o${n}`), say(FORK, `f${n}`)]);
      const { store } = belay;
      let rows = 0;
      const read = store.read.bind(store);
      const spy = vi.spyOn(store, "read").mockImplementation(async (...asked) => {
        const parts = await read(...asked);
        for (const part of parts) {
          rows += [...(part?.rows ?? []), ...(part?.events ?? [])].reduce(
            (n, of) => n + of.length,
            0,
          );
        }
        return parts;
      });
      const { merge } = await call("merge", { id: FORK });
      await call("compare", { id: ORIGIN, with: FORK, limit: 5 });
      spy.mockRestore();
      return { turns: merge.turns, rows };
    };
    const few = await reads(10);
    const many = await reads(1000);
    expect(many.turns).toBe(1000);
    expect(many.rows).toBeLessThan(few.rows + 300);
    const { events } = await call("log", { id: ORIGIN, before: 100_000, limit: 1 });
    expect(JSON.stringify(events).length).toBeLessThan(2000);
  });
});

describe("a checkpoint that a merge brought", () => {
  const bob = as("bob", "cli");
  const lost = {
    code: "checkpoint_not_found",
    message: expect.stringContaining(`in session ${FORK}, which was purged or is not shared`),
  };

  beforeEach(async () => {
    await call("save_checkpoint", { id: FORK, name: "green", state: { at: "fork" } });
    await call("merge", { id: FORK });
  });

  it("is not shown as an empty one to a person who cannot see its session", async () => {
    await call("add_person", { name: "bob" });
    await call("share", { id: ORIGIN, with: "bob" });
    const id = `ann/${ORIGIN}`;
    const shown = belay.service.call("show_checkpoint", { id, name: "green" }, bob);
    await expect(shown).rejects.toMatchObject(lost);
    const { sessions } = await belay.service.call("history", { session_id: id }, bob);
    const [checkpoint] = sessions[0]?.snapshot.checkpoints ?? [];
    expect(checkpoint).toEqual({ name: "green", timestamp: expect.any(String) });
  });

  it("is not restored as an empty one after its session was purged", async () => {
    const { session_id } = await call("fork", { id: ORIGIN });
    for (const id of [ORIGIN, FORK]) {
      await call("delete", { id });
      await call("purge", { id });
    }
    const restored = call("restore_checkpoint", { id: session_id, name: "green" });
    await expect(restored).rejects.toMatchObject(lost);
    expect(await eventTypes(session_id)).not.toContain("checkpoint.restored");
  });
});

describe("a comparison", () => {
  it("shows what each side did since the fork", async () => {
    await say(ORIGIN, "origin");
    await say(FORK, "fork");
    await call("update", { id: FORK, metadata: { a: 2 } });
    const compared = await call("compare", { id: ORIGIN, with: FORK });
    expect(compared).toMatchObject({
      common: { session_id: ORIGIN },
      a: { session_id: ORIGIN, turns: 1 },
      b: { session_id: FORK, turns: 1 },
      metadata: [{ key: "a", a: 1, b: 2 }],
      turns: [{ a: { input: "origin" }, b: { input: "fork" } }],
      next_cursor: null,
    });
  });

  it("of unrelated sessions compares them completely, in pages", async () => {
    await call("create", { agent_name: "other", session_id: "other-1" });
    for (const text of ["one", "two", "three"]) await say("other-1", text);
    const first = await call("compare", { id: ORIGIN, with: "other-1", limit: 2 });
    expect(first).toMatchObject({ common: null, next_cursor: 2 });
    const rest = await call("compare", { id: ORIGIN, with: "other-1", limit: 2, after: 2 });
    expect(rest.turns).toMatchObject([{ a: null, b: { input: "three" } }]);
    expect(rest.next_cursor).toBeNull();
  });
});

describe("the tree of forks", () => {
  it("is the same from any of its sessions, with the target of each merge", async () => {
    await call("fork", { id: FORK, session_id: "fork-2" });
    await call("fork", { id: ORIGIN, session_id: "fork-3" });
    await say(FORK, "one");
    await call("merge", { id: FORK });
    const { branches } = await call("branches", { id: "fork-2" });
    expect(branches.map(({ session_id, depth }) => [session_id, depth])).toEqual([
      [ORIGIN, 0],
      [FORK, 1],
      ["fork-2", 2],
      ["fork-3", 1],
    ]);
    expect(branches[1]?.merged_into).toEqual([ORIGIN]);
  });
});

describe("a checkpoint of a finished session", () => {
  it("is shown without changes, and continues in a fork from its position", async () => {
    await call("save_checkpoint", { id: ORIGIN, name: "green", state: { step: 1 } });
    await say(ORIGIN, "after it");
    await call("finalize", { id: ORIGIN, outcome: "failed" });
    const before = await eventTypes(ORIGIN);
    expect(await call("restore_checkpoint", { id: ORIGIN, name: "green" })).toMatchObject({
      state: { step: 1 },
      session_id: ORIGIN,
      restored: false,
    });
    const fork = await call("restore_checkpoint", { id: ORIGIN, name: "green", fork: true });
    expect(fork).toMatchObject({ state: { step: 1 }, restored: true });
    expect(await eventTypes(ORIGIN)).toEqual(before);
    const { turns } = await call("turns", { id: fork.session_id });
    expect(turns.map(({ input }) => input)).toEqual(["before"]);
    expect((await eventTypes(fork.session_id)).slice(-2)).toEqual([
      "session.forked",
      "checkpoint.restored",
    ]);
    expect((await call("get", { id: fork.session_id })).parent_session_id).toBe(ORIGIN);
  });

  it("in the trash is refused", async () => {
    await call("save_checkpoint", { id: ORIGIN, name: "green" });
    await call("delete", { id: ORIGIN });
    await expect(call("restore_checkpoint", { id: ORIGIN, name: "green" })).rejects.toMatchObject({
      code: "session_deleted",
    });
  });
});
