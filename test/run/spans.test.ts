import { describe, expect, it } from "vitest";
import { killAgent, openLab, talk, until } from "./run-lab.ts";

describe("the spans of a session with an agent", () => {
  it("show each lifetime of its process, with its turns and actions", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/write note.txt hello");
    await killAgent(lab, id);
    await until("its end", async () => (await lab.belay.sessions.get({ id })).driver === null);
    await talk(lab, "/say again", { id });
    await lab.belay.sessions.suspend({ id });
    await until("its end", async () => (await lab.belay.sessions.get({ id })).driver === null);
    const { sessions } = await lab.belay.past.spans({ entity_id: id });
    const spans = sessions[0]?.spans ?? [];
    const lives = spans.filter(({ kind }) => kind === "life");
    expect(lives.map(({ name, status }) => [name, status])).toEqual([
      ["new", "died"],
      [expect.stringMatching(/^(resume|load)$/), "suspended"],
    ]);
    const [first, second] = lives;
    expect(Date.parse(first?.to ?? "")).toBeLessThanOrEqual(Date.parse(second?.from ?? ""));
    const turns = spans.filter(({ kind }) => kind === "turn");
    expect(turns.map(({ name, status }) => [name, status])).toEqual([
      ["/write note.txt hello", "completed"],
      ["/say again", "completed"],
    ]);
    const action = spans.find(({ kind }) => kind === "action");
    expect(action).toMatchObject({ effects: "local", unknown: false, turn_id: turns[0]?.turn_id });
    const approval = spans.find(({ kind }) => kind === "approval");
    expect(approval?.action_id).toBe(action?.action_id ?? "none");
    expect(spans.filter(({ kind, to }) => kind !== "phase" && to === null)).toEqual([]);
    expect((await lab.belay.maintenance.verify()).findings).toEqual([]);
  });
});
