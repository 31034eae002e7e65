import { describe, expect, it } from "vitest";
import { logOf, openLab, reopenLab, said, talk, typesOf } from "./run-lab.ts";

describe("a conversation with an agent", () => {
  it("streams the answer, and the log holds it in a few parts", async () => {
    const lab = await openLab();
    const { id, events } = await talk(lab, "/chunks 10000 10");
    expect(events.filter(({ type }) => type === "message").length).toBeGreaterThan(9_000);
    const log = await logOf(lab, id);
    const parts = log.filter(({ type }) => type === "turn.part");
    expect(parts.length).toBeLessThan(40);
    expect(parts.map(({ data }) => data.text).join("")).toBe(said(events));
    const { turns } = await lab.belay.turns.list({ id });
    expect(turns[0]?.output).toBe(said(events));
  });

  it("stores the prompt before the agent is started", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "hello");
    const types = (await logOf(lab, id)).map(({ type }) => type);
    expect(types.indexOf("message.queued")).toBeLessThan(types.indexOf("agent.started"));
    expect(types.indexOf("turn.started")).toBeLessThan(types.indexOf("agent.started"));
  });

  it("continues with context after its process is gone, also in another process", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "remember that the door code is 4711");
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    const { events } = await talk(other, "what do you remember?", { id });
    expect(said(events)).toContain("4711");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "agent", state: "started", how: "resume" }),
    );
  });

  it("shows how it would be resumed", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/say hello");
    expect(await lab.belay.sessions.resumePlan({ id })).toMatchObject({
      way: "attach",
      found: { turns: 1 },
    });
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    expect(await other.belay.sessions.resumePlan({ id })).toMatchObject({
      way: "resume",
      found: { driver: null, cwd_moved: false, context_bytes: "/say hellohello".length },
    });
  });

  it("adds up usage and cost per turn and session", async () => {
    const lab = await openLab();
    const { id, events } = await talk(lab, "/usage 10 20 0.5");
    expect(events.at(-1)).toMatchObject({
      type: "completed",
      usage: { input_tokens: 10, output_tokens: 20, cost_usd: 0.5 },
    });
    await talk(lab, "/usage 1 2 0.25", { id });
    const { usage } = await lab.belay.sessions.get({ id });
    expect(usage).toEqual({ input_tokens: 11, output_tokens: 22, cost_usd: 0.75 });
  });

  it("answers messages in order that were sent while it worked", async () => {
    const lab = await openLab();
    const first = talk(lab, "/slow 500\n/say one");
    const [session] = await lab.belay.sessions.list({}).then(async ({ sessions }) => {
      for (let found = sessions; ; found = (await lab.belay.sessions.list({})).sessions) {
        if (found[0]?.version && found[0].version > 3) return found;
      }
    });
    const id = session?.session_id ?? "";
    await lab.belay.turns.send({ id, message: "/say two" });
    const last = await talk(lab, "/say three", { id });
    await first;
    const { turns } = await lab.belay.turns.list({ id });
    expect(turns.map(({ output }) => output)).toEqual(["one", "two", "three"]);
    expect(typesOf(last.events).at(-1)).toBe("completed");
  });
});
