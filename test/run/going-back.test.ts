import { describe, expect, it } from "vitest";
import {
  answers,
  find,
  openLab,
  promptEnding,
  promptsKept,
  reopenLab,
  talk,
  writeAgent,
} from "./run-lab.ts";

describe("restoring a checkpoint", () => {
  it("starts a new agent session, which gets that state and nothing later", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "the plan is blue");
    await lab.belay.checkpoints.save({ id, name: "plan", state: { colour: "blue", step: 7 } });
    await talk(lab, "the plan is red", { id });
    await lab.belay.checkpoints.restore({ id, name: "plan" });
    const { events } = await answers(lab, id);
    expect(find(events, "agent")).toMatchObject([
      { state: "stopped" },
      { state: "started", how: "replay" },
    ]);
    const prompt = promptEnding(lab, "/say still here");
    expect(prompt).toContain('gone back to the checkpoint "plan"');
    expect(prompt).toContain('{"colour":"blue","step":7}');
    expect(prompt).toContain("the plan is blue");
    expect(prompt).not.toContain("the plan is red");
    const later = await talk(lab, "and on", { id });
    expect(find(later.events, "agent")).toEqual([]);
    expect(promptEnding(lab, "and on")).toBe("and on");
  });

  it("works in a session without a driver, and for the checkpoint of a suspension", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/say one");
    await lab.belay.sessions.suspend({ id, reason: "user_requested" });
    const [saved] = (await lab.belay.checkpoints.list({ id })).checkpoints;
    await lab.belay.sessions.resume({ id });
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    await talk(other, "a mistake", { id });
    await other.belay.checkpoints.restore({ id, name: saved?.name ?? "" });
    await other.belay.close();
    const third = await reopenLab(lab.home);
    const { events } = await answers(third, id);
    expect(find(events, "agent")).toMatchObject([{ how: "replay" }]);
    const prompt = promptEnding(lab, "/say still here");
    expect(prompt).toContain('"user_requested"');
    expect(prompt).not.toContain("a mistake");
  });
});

describe("a history that is too long for a prompt", () => {
  it("is given as five complete turns, a line for each earlier turn, and a count of the rest", async () => {
    const lab = await openLab({ flags: ["--no-load", "--no-resume"] });
    const { session_id: id } = await lab.belay.sessions.create({
      agent_name: "agent",
      project: { cwd: lab.cwd, repo: null, branch: null },
    });
    for (let nth = 1; nth <= 60; nth += 1) {
      const long = `${"word ".repeat(2000)}end${nth}`;
      await lab.belay.turns.record({
        id,
        input: `question ${nth}.`,
        output: `answer ${nth}. ${long}`,
      });
    }
    const { events } = await answers(lab, id);
    expect(find(events, "agent")).toMatchObject([{ how: "replay" }]);
    const prompt = promptEnding(lab, "/say still here");
    expect(prompt).toContain("(Not shown: 30 earlier turns.)");
    expect(prompt).not.toContain("question 30.");
    for (let nth = 31; nth <= 55; nth += 1) {
      expect(prompt.split("\n").filter((line) => line.includes(`question ${nth}.`))).toEqual([
        expect.stringMatching(`^> - asked: question ${nth}\\. / completed: answer ${nth}\\.`),
      ]);
      expect(prompt).not.toContain(`end${nth}`);
    }
    for (let nth = 56; nth <= 60; nth += 1) {
      expect(prompt).toContain(`> - question ${nth}.\n`);
      expect(prompt).toContain(`end${nth}`);
    }
    expect(prompt.length).toBeLessThan(5 * 11_000 + 25 * 400 + 2000);
  });

  it("has a limit also if the newest turns are huge", async () => {
    const lab = await openLab();
    const { session_id: id } = await lab.belay.sessions.create({
      agent_name: "agent",
      project: { cwd: lab.cwd, repo: null, branch: null },
    });
    for (let nth = 1; nth <= 6; nth += 1) {
      await lab.belay.turns.record({ id, input: `ask ${nth}`, output: "x".repeat(1_000_000) });
    }
    await answers(lab, id);
    const prompt = promptEnding(lab, "/say still here");
    expect(prompt).toContain("[cut]");
    expect(prompt.length).toBeLessThan(400_000);
  });

  it("is not repeated to an agent that knows it", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "hello");
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    await talk(other, "hello again", { id });
    expect(promptsKept(lab)).toEqual(["hello", "hello again"]);
    await other.belay.close();
    writeAgent(lab.home, { flags: ["--no-resume"] });
    await talk(await reopenLab(lab.home), "and again", { id });
    expect(promptsKept(lab)).toEqual(["hello", "hello again", "and again"]);
  });
});
