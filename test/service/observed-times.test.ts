import { describe, expect, it } from "vitest";
import { onMemory } from "./on-memory.ts";

const SHOP = {
  session_id: "shop-1",
  actions: [{ type: "run_tests", result: "passed" }],
  started_at: "2025-12-31T11:00:00Z",
  ended_at: "2025-12-31T12:00:00Z",
};

function observed() {
  const { service, caller, store } = onMemory();
  return {
    store,
    submit: (more: object) => service.call("submit_observation", { ...SHOP, ...more }, caller),
    get: () => service.call("get", { id: SHOP.session_id }, caller),
    stats: (from: string, to: string) => service.call("stats", { from, to }, caller),
    history: async () => {
      const { sessions } = await service.call("history", { session_id: SHOP.session_id }, caller);
      return sessions[0]?.snapshot;
    },
    timeline: async (entity_id: string) =>
      (await service.call("timeline", { entity_id }, caller)).events,
  };
}

describe("a session that was submitted as an observation", () => {
  it("has the end and the duration that its agent gave", async () => {
    const { submit, get } = observed();
    await submit({});
    expect(await get()).toMatchObject({
      status: "completed",
      activity: "done",
      ended_at: "2025-12-31T12:00:00.000Z",
      duration: 3600,
    });
  });

  it("is counted at the time of its run, not of its submission", async () => {
    const { submit, stats } = observed();
    await submit({});
    const then = await stats("2025-12-31", "2025-12-31");
    expect(then.total).toMatchObject({ sessions: 1, mean_duration_s: 3600 });
    expect(then.by_day).toEqual({ "2025-12-31": 1 });
    expect((await stats("2026-01-08", "2026-01-09")).total.sessions).toBe(0);
  });

  it("stays completed if its end is submitted again", async () => {
    const { submit, get } = observed();
    await submit({});
    await submit({ ended_at: undefined });
    await submit({});
    expect(await get()).toMatchObject({ status: "completed", activity: "done" });
  });

  it("warns where a later observation starts after the end", async () => {
    const { submit } = observed();
    await submit({});
    const { warnings } = await submit({
      started_at: "2025-12-31T13:00:00Z",
      ended_at: "2025-12-31T14:00:00Z",
    });
    expect(warnings).toEqual([
      "started_at 2025-12-31T13:00:00Z is after the end that was submitted before (2025-12-31T12:00:00Z)",
    ]);
  });

  it("reports unknown fields", async () => {
    const { submit } = observed();
    const { warnings } = await submit({
      mood: "good",
      actions: [{ type: "a", result: "b", tool: "x" }],
      outcomes: [{ type: "built", kind: "y" }],
    });
    expect(warnings).toEqual([
      "unknown field mood was ignored",
      "unknown field actions[0].tool was ignored",
      "unknown field outcomes[0].kind was ignored",
    ]);
  });

  it("replaces the state of a repeated checkpoint, and keeps it if none is given", async () => {
    const { submit, history } = observed();
    const saved = (state?: object) => ({
      checkpoints: [{ name: "done", timestamp: "2025-12-31T11:30:00Z", ...(state && { state }) }],
    });
    await submit(saved({ step: 1, todo: "b" }));
    await submit(saved({ step: 2 }));
    await submit(saved());
    expect((await history())?.checkpoints).toMatchObject([{ name: "done", state: { step: 2 } }]);
    expect((await history())?.checkpoints[0]?.state).not.toHaveProperty("todo");
  });

  it.each([
    [
      "the details of an outcome",
      { outcomes: [{ type: "t", id: "x", details: { unit_id: "FU-9" } }] },
    ],
    [
      "a list of ids",
      { actions: [{ type: "t", result: "ok", details: { validation_ids: ["FU-9", "FU-8"] } }] },
    ],
  ])("is found by an id in %s", async (_, more) => {
    const { submit, timeline } = observed();
    await submit(more);
    expect((await timeline("FU-9")).map(({ session_id }) => session_id)).toContain("shop-1");
  });
});
