import { describe, expect, it } from "vitest";
import {
  answers,
  begin,
  factsOf,
  find,
  killAgent,
  logOf,
  openLab,
  promptEnding,
  promptsKept,
  reopenLab,
  said,
  talk,
  until,
  writeAgent,
} from "./run-lab.ts";

describe("an agent that does not reopen its session correctly", () => {
  it.each([-32002, -32602, -32603])(
    "is replaced and gets the history if load fails with %i",
    async (code) => {
      const lab = await openLab();
      const { id } = await talk(lab, "the door code is 4711");
      writeAgent(lab.home, { flags: ["--load-fails", `${code}`, "--no-resume"] });
      await killAgent(lab, id);
      await until("its end", async () => (await lab.belay.sessions.get({ id })).driver === null);
      const { events } = await answers(lab, id);
      expect(find(events, "agent")).toMatchObject([{ state: "started", how: "replay" }]);
      expect(find(events, "note").map(({ text }) => text)).toEqual([
        expect.stringContaining("load did not work"),
      ]);
      expect(promptEnding(lab, "/say still here")).toContain("4711");
    },
  );

  it("is replaced if it hangs in load and in resume, and no process of it is left", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "the door code is 4711");
    const flags = ["--load-hangs", "--resume-hangs"];
    writeAgent(lab.home, { flags, timeouts: { open: 0.5 } });
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    const { events } = await answers(other, id);
    expect(find(events, "agent")).toMatchObject([{ how: "replay" }]);
    expect(find(events, "note").map(({ text }) => text)).toEqual([
      expect.stringContaining("resume did not work"),
      expect.stringContaining("load did not work"),
    ]);
    expect(promptEnding(lab, "/say still here")).toContain("4711");
  });

  it("gets a prompt again that it has lost", async () => {
    const lab = await openLab({ flags: ["--forget-prompt"] });
    const { id } = await talk(lab, "hello");
    const { done } = await begin(lab, "/write plan.txt the plan", {
      id,
      decide: "nobody",
      on: (event) => (event.type === "permission" ? killAgent(lab, id) : undefined),
    });
    await done;
    const { events } = await answers(lab, id);
    expect(find(events, "agent")).toMatchObject([{ how: "load" }]);
    const prompt = promptEnding(lab, "/say still here");
    expect(prompt).toContain("The user had said:\n> - /write plan.txt the plan");
    expect(prompt).toContain("Write plan.txt: it did not run");
    expect(prompt).not.toContain("hello");
  });

  it("gets the whole history again if it has lost the prompt with the history", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "the door code is 4711");
    writeAgent(lab.home, { flags: ["--forget-prompt", "--load-fails", "-32603", "--no-resume"] });
    await lab.belay.close();
    const second = await reopenLab(lab.home);
    const { done } = await begin(second, "/ask May I?", {
      id,
      decide: "nobody",
      on: (event) => (event.type === "permission" ? killAgent(second, id) : undefined),
    });
    await done;
    writeAgent(lab.home, {});
    const { events } = await answers(second, id);
    expect(find(events, "agent")).toMatchObject([{ how: "load" }]);
    expect(promptEnding(lab, "/say still here")).toContain("4711");
  });

  it("does not record its history twice, however late it replays it", async () => {
    const lab = await openLab({ flags: ["--late-replay", "--no-resume"] });
    const { id } = await talk(lab, "/say one\n/run echo two");
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    const before = (await logOf(other, id)).length;
    const { events } = await answers(other, id, "three");
    expect(find(events, "agent")).toMatchObject([{ how: "load" }]);
    expect(said(events)).toBe("three");
    expect(find(events, "tool_call")).toEqual([]);
    await answers(other, id, "four");
    const later = (await logOf(other, id)).slice(before).filter(({ type }) => type === "turn.part");
    expect(later.map(({ data }) => data.text)).toEqual(["three", "four"]);
    expect(promptsKept(lab)).toHaveLength(3);
  });

  it("gets its mode set again", async () => {
    const lab = await openLab({ flags: ["--forget-mode"], mode: "auto" });
    const { id, events } = await talk(lab, "/run echo one");
    expect(find(events, "permission")).toEqual([]);
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    const next = await talk(other, "/run echo two", { id });
    expect(find(next.events, "agent")).toMatchObject([{ how: "resume" }]);
    expect(find(next.events, "permission")).toEqual([]);
    expect(find(next.events, "tool_call").at(-1)).toMatchObject({ result: "success" });
  });

  it("that allows one process per session reopens it each time", async () => {
    const lab = await openLab({ flags: ["--single"] });
    const { id } = await talk(lab, "/say one");
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    const { events } = await answers(other, id);
    expect(find(events, "agent")).toMatchObject([{ how: "resume" }]);
  });

  it("has its cost counted once", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/usage 10 20 0.5");
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    await talk(other, "/usage 1 2 0.25", { id });
    expect((await other.belay.sessions.get({ id })).usage.cost_usd).toBe(0.75);
  });
});

describe("an agent with quirks", () => {
  it("may ask about a call before it announces the call", async () => {
    const lab = await openLab({ flags: ["--permission-first", "--no-in-progress"] });
    const { id, events } = await talk(lab, "/run echo hello");
    expect(find(events, "tool_call").map(({ status }) => status)).toEqual(["started", "completed"]);
    expect(await factsOf(lab, id, "action.started")).toHaveLength(1);
    expect(await factsOf(lab, id, "approval.requested")).toHaveLength(1);
  });

  it("may fail without text; the turn is then empty, and the next one works", async () => {
    const lab = await openLab({ flags: ["--silent-failure"] });
    const { id, events } = await talk(lab, "/fail");
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "completed" });
    expect(said(events)).toBe("");
    await answers(lab, id);
  });

  it("may fail with a text, which the turn contains", async () => {
    const lab = await openLab();
    const { id, events } = await talk(lab, "/fail the model is asleep");
    expect(find(events, "error")[0]?.message).toContain("the model is asleep");
    await answers(lab, id);
  });

  it("may open more calls at once than the limit, and none is lost", async () => {
    const lab = await openLab();
    const { id, events } = await talk(lab, "/tools 40");
    expect(said(events)).toBe("I made 40 tool calls at once.");
    expect(await factsOf(lab, id, "action.started")).toHaveLength(40);
    const ended = await factsOf(lab, id, "action.completed");
    expect(ended.map(({ status }) => status)).toEqual(Array(40).fill("completed"));
  });

  it("may ask more questions at once than the limit", async () => {
    const lab = await openLab({ flags: ["--ask-always"] });
    const { events } = await talk(lab, "/tools 12");
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "completed" });
    expect(find(events, "permission")).toHaveLength(12);
    expect(said(events)).toBe("I made 12 tool calls at once.");
  });
});

describe("a prompt that never reached the agent", () => {
  it("is sent with the next one that does", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "hello");
    await lab.belay.close();
    writeAgent(lab.home, { flags: ["--exit-on-initialize"] });
    const other = await reopenLab(lab.home);
    for (const message of ["book the blue room", "are you there?"]) {
      expect(find((await talk(other, message, { id })).events, "error")).toHaveLength(1);
    }
    writeAgent(lab.home, {});
    const { events } = await answers(other, id);
    expect(find(events, "agent")).toMatchObject([{ how: "resume" }]);
    const prompt = promptEnding(lab, "/say still here");
    expect(prompt).toContain("> - book the blue room\n>   are you there?\n");
    expect(prompt).not.toContain("hello");
    await answers(other, id, "and no more");
    expect(promptEnding(lab, "/say and no more")).toBe("/say and no more");
  });

  it("is sent even if the same text was sent before", async () => {
    const lab = await openLab({ flags: ["--forget-prompt"] });
    const { id } = await talk(lab, "/ask May I?");
    await talk(lab, "hello", { id });
    const { done } = await begin(lab, "/ask May I?", {
      id,
      decide: "nobody",
      on: (event) => (event.type === "permission" ? killAgent(lab, id) : undefined),
    });
    await done;
    await answers(lab, id);
    expect(promptEnding(lab, "/say still here")).toContain("The user had said:\n> - /ask May I?");
  });
});
