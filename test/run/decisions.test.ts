import { describe, expect, it } from "vitest";
import {
  begin,
  openLab,
  openQuestion,
  promptEnding,
  reopenLab,
  talk,
  writeAgent,
} from "./run-lab.ts";

describe("a decision that was made while the agent was away", () => {
  it("is in the agent's first prompt afterwards, once", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/say hello");
    const asked = await lab.belay.approvals.request({ id, title: "Apply the plan?" });
    const { approval_id } = asked;
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    const note = "only eu-west";
    await other.belay.approvals.decide({ approval_id, decision: "approved", note });
    await other.belay.sessions.resume({ id });
    await talk(other, "/say go on", { id });
    const told = promptEnding(other, "/say go on");
    expect(told).toContain("The user decided since your last turn, newest first:\n> - approved by");
    expect(told).toMatch(/question: Apply the plan\?\n> {3}note: only eu-west\n/);
    await talk(other, "/say and on", { id });
    expect(promptEnding(other, "/say and on")).toBe("/say and on");
  });

  it("is told again after a turn that failed, and also to an agent without memory", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/say hello");
    const { approval_id } = await lab.belay.approvals.request({ id, title: "Apply the plan?" });
    await lab.belay.approvals.decide({ approval_id, decision: "rejected" });
    await lab.belay.sessions.resume({ id });
    await lab.belay.close();
    writeAgent(lab.home, { flags: ["--exit-on-initialize"] });
    const broken = await reopenLab(lab.home);
    await talk(broken, "/say lost", { id });
    await broken.belay.close();
    writeAgent(lab.home, { flags: ["--no-load", "--no-resume"] });
    const other = await reopenLab(lab.home);
    await talk(other, "/say go on", { id });
    expect(promptEnding(other, "/say go on")).toContain("The user decided since your last turn");
  });

  it("with a note for a permission is in the next prompt; without a note the agent knows it", async () => {
    const lab = await openLab();
    const first = await begin(lab, "/run echo one", { decide: "nobody" });
    const { id } = first;
    const one = await openQuestion(lab, id);
    const answer = { approval_id: one.approval_id, decision: "approved" } as const;
    await lab.belay.approvals.decide({ ...answer, note: "use a dry run next time" });
    await first.done;
    expect((await lab.belay.sessions.get({ id })).decisions).toMatchObject([
      { kind: "permission", note: "use a dry run next time" },
    ]);
    await talk(lab, "/run echo two", { id, decide: "approved" });
    expect(promptEnding(lab, "/run echo two")).toContain("note: use a dry run next time");
    await talk(lab, "/say bye", { id });
    expect(promptEnding(lab, "/say bye")).toBe("/say bye");
  });
});
