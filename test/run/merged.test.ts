import { describe, expect, it } from "vitest";
import { openLab, promptEnding, reopenLab, talk } from "./run-lab.ts";

describe("an agent whose session got a merge", () => {
  it("gets the events of the fork with its next prompt, once", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/say hello");
    const fork = await lab.belay.sessions.fork({ id });
    await talk(lab, "/say the answer is 42", { id: fork.session_id });
    await lab.belay.sessions.merge({ id: fork.session_id });

    await talk(lab, "/say go on", { id });
    const told = promptEnding(lab, "/say go on");
    expect(told).toContain(`The user merged ${fork.session_id}, a fork of this session`);
    expect(told).toContain("> - Asked: /say the answer is 42");
    await talk(lab, "/say and on", { id });
    expect(promptEnding(lab, "/say and on")).toBe("/say and on");
  });

  it("gets them also after a restart, or without memory", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/say hello");
    const fork = await lab.belay.sessions.fork({ id });
    await talk(lab, "/say the answer is 42", { id: fork.session_id });
    await lab.belay.sessions.merge({ id: fork.session_id });
    await lab.belay.close();
    const other = await reopenLab(lab.home);
    await talk(other, "/say go on", { id });
    expect(promptEnding(other, "/say go on")).toContain("The user merged");
    const again = await other.belay.sessions.fork({ id });
    await talk(other, "/say in a fork", { id: again.session_id });
    expect(promptEnding(other, "/say in a fork")).toContain("> - Asked: /say the answer is 42");
  });
});
