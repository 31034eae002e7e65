import { describe, expect, it } from "vitest";
import { BelayError } from "../../src/contract/errors.ts";
import type { Input } from "../../src/contract/operations.ts";
import { as, HOUR, MINUTE, onMemory, START } from "../service/on-memory.ts";

const ACTIONS = [{ type: "work", result: "success" }];

type Lab = ReturnType<typeof onMemory>;

async function observe(lab: Lab, session_id: string, started_at: string, ended_at?: string) {
  const observation = { session_id, actions: ACTIONS, started_at, ended_at };
  return lab.service.call("submit_observation", observation, lab.caller);
}

async function idsOf(lab: Lab, query: Input<"history">): Promise<string[]> {
  const { sessions } = await lab.service.call("history", query, lab.caller);
  return sessions.map(({ snapshot }) => snapshot.session_id);
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof BelayError ? error.code : "none";
}

/** Their times are unrelated to the order of submission. */
async function withFive(): Promise<Lab> {
  const lab = onMemory();
  await observe(lab, "third", "2025-03-01T00:00:00Z", "2025-03-02T00:00:00Z");
  lab.advance(HOUR);
  await observe(lab, "first", "2025-01-01T00:00:00Z", "2025-09-01T00:00:00Z");
  lab.advance(HOUR);
  await observe(lab, "fifth", "2027-05-01T00:00:00Z");
  lab.advance(HOUR);
  // In another zone, so that the texts sort differently from the times.
  await observe(lab, "second", "2025-03-01T00:30:00+02:00", "2025-03-01T09:00:00+02:00");
  lab.advance(HOUR);
  await lab.service.call("create", { agent_name: "nine", session_id: "fourth" }, lab.caller);
  return lab;
}

describe("the history of all sessions", () => {
  it.each([
    ["started_at", "asc", ["first", "second", "third", "fourth", "fifth"]],
    ["started_at", "desc", ["fifth", "fourth", "third", "second", "first"]],
    ["ended_at", "asc", ["second", "third", "first", "fifth", "fourth"]],
    ["ended_at", "desc", ["first", "third", "second", "fourth", "fifth"]],
    ["updated_at", "asc", ["third", "first", "fifth", "second", "fourth"]],
    ["updated_at", "desc", ["fourth", "second", "fifth", "first", "third"]],
  ] as const)("is in the order of %s, %s, in one page or many", async (order_by, order, ids) => {
    const lab = await withFive();
    expect(await idsOf(lab, { order_by, order })).toEqual(ids);
    for (const limit of [1, 2, 3]) {
      const paged: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { order_by, order, limit, ...(cursor !== undefined && { cursor }) };
        const page = await lab.service.call("history", query, lab.caller);
        expect(page.sessions.length).toBeLessThanOrEqual(limit);
        paged.push(...page.sessions.map(({ snapshot }) => snapshot.session_id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(paged).toEqual(ids);
    }
  });

  it("shows each session once, also those of the same moment", async () => {
    const lab = onMemory();
    const ids = Array.from({ length: 25 }, (_, at) => `same-${at}`);
    for (const id of ids) await observe(lab, id, "2025-01-01T00:00:00Z");
    for (const order_by of ["started_at", "ended_at", "updated_at"] as const) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: Input<"history"> = { order_by, limit: 4, ...(cursor !== null && { cursor }) };
        const page = await lab.service.call("history", query, lab.caller);
        seen.push(...page.sessions.map(({ snapshot }) => snapshot.session_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toHaveLength(25);
      expect(new Set(seen)).toEqual(new Set(ids));
    }
  });

  it("sorts exactly, although lists sort by the minute", async () => {
    const lab = onMemory();
    const ids = Array.from({ length: 8 }, (_, at) => `mixed-${at}`);
    for (const id of ids) await observe(lab, id, "2025-01-01T00:00:00Z");
    lab.advance(HOUR);
    const order = [3, 6, 1, 7, 0, 5, 2, 4].map((at) => `mixed-${at}`);
    for (const id of order) {
      await observe(lab, id, "2025-01-01T00:00:00Z");
      lab.advance(MINUTE / 10);
    }
    for (const limit of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const newest = await idsOf(lab, { order_by: "updated_at", limit });
      expect(newest).toEqual(order.toReversed().slice(0, limit));
    }
  });

  it("reads rows of the sessions on the page only", async () => {
    const lab = await withFive();
    const read = new Set<string>();
    const { read: readStreams } = lab.store;
    lab.store.read = (reads, bytes) => {
      for (const { ref, rows } of reads) if (rows && "id" in ref) read.add(ref.id);
      return readStreams.call(lab.store, reads, bytes);
    };
    const { sessions } = await lab.service.call("history", { limit: 2 }, lab.caller);
    expect(read).toEqual(new Set(sessions.map(({ entity_id }) => entity_id)));
  });

  it("does not show deleted sessions, and says so on request", async () => {
    const lab = await withFive();
    await lab.service.call("delete", { id: "third" }, lab.caller);
    expect(await idsOf(lab, {})).toEqual(["fifth", "fourth", "second", "first"]);
    const asked = lab.service.call("history", { session_id: "third" }, lab.caller);
    expect(await codeOf(asked)).toBe("session_deleted");
    await lab.service.call("undelete", { id: "third" }, lab.caller);
    expect(await idsOf(lab, { session_id: "third" })).toEqual(["third"]);
  });

  it("shows no session of another owner, who cannot use its cursors either", async () => {
    const lab = await withFive();
    const bob = as("bob", "mcp");
    const { next_cursor } = await lab.service.call("history", { limit: 1 }, lab.caller);
    expect((await lab.service.call("history", {}, bob)).sessions).toEqual([]);
    const cursor = next_cursor ?? "";
    const answers = await Promise.all(
      [cursor, "bogus", Buffer.from("[1]").toString("base64url")].map((tried) =>
        codeOf(lab.service.call("history", { limit: 1, cursor: tried }, bob)),
      ),
    );
    expect(answers).toEqual(["invalid_input", "invalid_input", "invalid_input"]);
    const otherOrder = lab.service.call("history", { order: "asc", cursor }, lab.caller);
    expect(await codeOf(otherOrder)).toBe("invalid_input");
    const { entity_id } = await lab.service.call("get", { id: "first" }, lab.caller);
    for (const session_id of ["first", entity_id, "fir"]) {
      const asked = lab.service.call("history", { session_id }, bob);
      expect(await codeOf(asked)).toBe("session_not_found");
    }
  });

  it("refuses an invalid id like get", async () => {
    const lab = await withFive();
    const ask = (session_id: string) =>
      codeOf(lab.service.call("history", { session_id }, lab.caller));
    expect(await ask("nobody")).toBe("session_not_found");
    expect(await ask("../x")).toBe("invalid_id");
    expect(await ask("fi")).toBe("ambiguous_id");
  });
});

describe("the snapshot of a session", () => {
  it("has the actions, states, outcomes and times that were recorded here", async () => {
    const lab = onMemory();
    const change = { id: "driven" };
    const run = (name: "begin_action" | "complete_action", input: object) =>
      lab.service.call(name, { ...change, ...input }, lab.caller);
    await lab.service.call("create", { agent_name: "nine", session_id: "driven" }, lab.caller);
    await run("begin_action", { action_id: "a1", type: "commit", details: { branch: "main" } });
    await run("complete_action", { action_id: "a1", result: "success", details: { sha: "abc" } });
    await run("begin_action", { action_id: "a2", type: "deploy" });
    for (const step of [1, 2]) {
      const saved = { ...change, name: "half_way", state: { step } };
      await lab.service.call("save_checkpoint", saved, lab.caller);
    }
    const outcome = { ...change, type: "released", outcome_id: "R-1", details: { at: "eu" } };
    await lab.service.call("record_outcome", outcome, lab.caller);
    const before = await lab.service.call("history", { session_id: "driven" }, lab.caller);
    const time = new Date(START).toISOString();
    const snapshot = {
      session_id: "driven",
      actions: [
        {
          type: "commit",
          result: "success",
          details: { branch: "main", output: { sha: "abc" } },
          timestamp: time,
          action_id: "a1",
        },
        { type: "deploy", result: "started", timestamp: time, action_id: "a2" },
      ],
      checkpoints: [{ name: "half_way", state: { step: 2 }, timestamp: time }],
      outcomes: [{ type: "released", id: "R-1", details: { at: "eu" } }],
      started_at: time,
    };
    expect(before.sessions.map((session) => session.snapshot)).toEqual([snapshot]);
    lab.advance(HOUR);
    await run("complete_action", { action_id: "a2", status: "failed", result: "timeout" });
    await lab.service.call("finalize", { ...change, outcome: "failed" }, lab.caller);
    const after = await lab.service.call("history", { session_id: "driven" }, lab.caller);
    expect(after.sessions[0]?.snapshot).toMatchObject({
      actions: [{}, { type: "deploy", result: "timeout" }],
      ended_at: new Date(START + HOUR).toISOString(),
      duration: 3600,
    });
  });

  it("combines observations and records", async () => {
    const lab = onMemory();
    await lab.service.call("create", { agent_name: "nine", session_id: "both-1" }, lab.caller);
    const begun = { id: "both-1", action_id: "a1", type: "work" };
    await lab.service.call("begin_action", begun, lab.caller);
    await observe(lab, "both-1", "2025-01-01T00:00:00Z");
    const { sessions } = await lab.service.call("history", { session_id: "both-1" }, lab.caller);
    expect(sessions[0]?.snapshot).toMatchObject({
      actions: [{ type: "work", result: "success", action_id: "a1" }],
      started_at: "2025-01-01T00:00:00Z",
    });
  });
});
