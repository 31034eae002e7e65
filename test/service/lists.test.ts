import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, onMemory } from "./on-memory.ts";

describe("a list without filters", () => {
  it("hides archived and cancelled sessions, and failed ones 24 hours after they failed", async () => {
    const { service, caller, advance } = await lab(["live-1", "fail-1", "gone-1", "away-1"]);
    await service.call("finalize", { id: "fail-1", outcome: "failed" }, caller);
    advance(MINUTE);
    await service.call("cancel", { id: "gone-1" }, caller);
    await service.call("archive", { id: "away-1" }, caller);
    const ids = listing(service, caller);
    expect(await ids()).toEqual(["fail-1", "live-1"]);
    expect((await ids({ archived: true })).sort()).toEqual([
      "away-1",
      "fail-1",
      "gone-1",
      "live-1",
    ]);
    expect(await ids({ status: ["cancelled"] })).toEqual(["gone-1"]);
    advance(23 * HOUR);
    // A rename is activity, but does not change when the session failed.
    await service.call("rename", { id: "fail-1", title: "what went wrong" }, caller);
    expect(await ids()).toEqual(["fail-1", "live-1"]);
    advance(HOUR + MINUTE);
    expect(await ids()).toEqual(["live-1"]);
    expect(await ids({ search: "live" })).toEqual(["live-1"]);
    expect(await ids({ failed: true })).toEqual(["fail-1", "live-1"]);
    expect(await ids({ status: ["failed"] })).toEqual(["fail-1"]);
    expect(await ids({ archived: true, failed: true })).toHaveLength(4);
  });

  it("shows the activity of each session", async () => {
    const { service, caller } = await lab(["idle-1", "ask-1", "fail-1"]);
    await service.call("request_approval", { id: "ask-1", title: "May I?" }, caller);
    await service.call("finalize", { id: "fail-1", outcome: "failed" }, caller);
    const { sessions } = await service.call("list", {}, caller);
    expect(sessions.map(({ session_id, activity }) => [session_id, activity])).toEqual([
      ["ask-1", "needs_you"],
      ["fail-1", "failed"],
      ["idle-1", "idle"],
    ]);
  });
});

describe("the order of a list", () => {
  it("is pinned sessions, then those that need you, then by last activity, on every page", async () => {
    const names = ["old-pin", "old-ask", "both-1", "mid-1", "new-ask", "new-pin", "new-1"];
    const { service, caller, advance } = await lab(names);
    for (const id of ["old-pin", "both-1", "new-pin"]) await service.call("pin", { id }, caller);
    for (const id of ["old-ask", "both-1", "new-ask"]) {
      advance(MINUTE);
      await service.call("request_approval", { id, title: "May I?" }, caller);
    }
    const expected = ["both-1", "new-pin", "old-pin", "new-ask", "old-ask", "new-1", "mid-1"];
    for (const limit of [1, 2, 3, 4, 5, 7, 9]) {
      const found: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await service.call("list", { limit, ...(cursor && { cursor }) }, caller);
        expect(page.sessions.length).toBeGreaterThan(0);
        found.push(...page.sessions.map(({ session_id }) => session_id));
        cursor = page.next_cursor;
      }
      expect(found).toEqual(expected);
    }
    const searched = await service.call("list", { search: "1", limit: 2 }, caller);
    expect(searched.sessions.map(({ session_id }) => session_id)).toEqual(["both-1", "new-1"]);
    await expect(service.call("list", { cursor: "MTIz" }, caller)).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

type Lab = ReturnType<typeof onMemory>;

/** Sessions with these ids, each created a minute after the previous one. */
async function lab(ids: readonly string[]): Promise<Lab> {
  const opened = onMemory();
  for (const session_id of ids) {
    opened.advance(MINUTE);
    await opened.service.call("create", { agent_name: "a", session_id }, opened.caller);
  }
  return opened;
}

function listing(service: Lab["service"], caller: Lab["caller"]) {
  return async (input: object = {}) =>
    (await service.call("list", input, caller)).sessions.map(({ session_id }) => session_id);
}
