import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BelayError } from "../../src/contract/errors.ts";
import { DEMO_ENV, DEMO_PROGRAM } from "../agent/demo/demo-program.ts";
import { find, type Lab, openLab, promptsKept, reopenLab, said, talk, until } from "./run-lab.ts";

/** Two agents with memories of their own: `agent`, and `other`. */
async function openTwo(): Promise<Lab> {
  const lab = await openLab();
  const file = join(lab.home, "agents.json");
  const { agents } = JSON.parse(readFileSync(file, "utf8"));
  const folder = join(lab.home, "other");
  mkdirSync(folder);
  const env = { ...DEMO_ENV, BELAY_DEMO_FOLDER: join(folder, "memory") };
  const other = { command: process.execPath, args: [DEMO_PROGRAM], env };
  const absent = { command: "/nowhere/agent" };
  writeFileSync(file, JSON.stringify({ agents: { ...agents, other, absent } }), { mode: 0o600 });
  await lab.belay.close();
  return reopenLab(lab.home);
}

/** The prompts of the other agent. */
function othersPrompts(lab: Lab): string[] {
  return promptsKept({ ...lab, home: join(lab.home, "other") });
}

async function handOn(lab: Lab, id: string, to: string, message: string): Promise<string> {
  const { turn_id } = await lab.belay.sessions.handoff({ id, to, message });
  await until("the answer", async () => {
    const { turns } = await lab.belay.turns.list({ id, limit: 1 });
    return turns[0]?.turn_id === turn_id && turns[0]?.ended_at !== null;
  });
  return (await lab.belay.turns.list({ id, limit: 1 })).turns[0]?.output ?? "";
}

describe("a session that is handed to another agent", () => {
  it("continues with the first agent's context, and back again with what the first missed", async () => {
    const lab = await openTwo();
    const { id } = await talk(lab, "/say the code word is heron");
    await lab.belay.sessions.update({ id, metadata: { findings: ["the disk is full"] } });
    const { version } = await lab.belay.sessions.get({ id });
    const preview = await lab.belay.sessions.handoff({ id, to: "other", dry_run: true });
    expect(preview).toMatchObject({ version, agent_name: "agent", turn_id: null });
    expect(await handOn(lab, id, "other", "/say taken over")).toContain("taken over");
    const [told = ""] = othersPrompts(lab);
    expect(told).toContain(preview.told?.trim());
    expect(told).toContain("The user has handed this session from agent to you, other.");
    expect(told).toContain("the code word is heron");
    expect(told).toContain("agent answered:");
    expect(told).toContain("the disk is full");
    expect(await lab.belay.sessions.get({ id })).toMatchObject({ agent_name: "other" });

    await handOn(lab, id, "other", "/say second message");
    expect(othersPrompts(lab)[1]).toBe("/say second message");

    await handOn(lab, id, "agent", "/say back again");
    const prompts = promptsKept(lab);
    const back = prompts.at(-1) ?? "";
    expect(back).toContain("This happened since your last turn:");
    expect(back).toContain("other answered:");
    // It knows its own turn by itself.
    expect(back).not.toContain("You answered");
    const { events } = await lab.belay.sessions.log({ id, limit: 1000 });
    const ways = events.flatMap(({ type, data }) => (type === "agent.started" ? [data.way] : []));
    expect(ways).toEqual(["new", "replay", expect.stringMatching(/resume|load/)]);
    const { turns } = await lab.belay.turns.list({ id });
    expect(turns.map(({ agent_name }) => agent_name)).toEqual(["agent", "other", "other", "agent"]);
  });

  it("during a turn stops that turn first", async () => {
    const lab = await openTwo();
    const begun = Promise.withResolvers<string>();
    const talking = talk(lab, "/slow 60000", {
      on: (event) => {
        if (event.type === "started") begun.resolve(event.session_id);
      },
    });
    const id = await begun.promise;
    expect(await handOn(lab, id, "other", "/say here I am")).toContain("here I am");
    expect(find((await talking).events, "completed")).toMatchObject([
      { outcome: expect.stringMatching(/cancelled|interrupted/) },
    ]);
  });

  it("is one change: both the message and its agent are stored, or neither", async () => {
    const lab = await openTwo();
    const { id } = await talk(lab, "/say hello");
    const before = await lab.belay.sessions.get({ id });
    const missing = lab.belay.sessions.handoff({ id, to: "nowhere", message: "hi" });
    await expect(missing).rejects.toThrow(BelayError);
    for (const dry_run of [true, false]) {
      const absent = lab.belay.sessions.handoff({ id, to: "absent", message: "hi", dry_run });
      await expect(absent).rejects.toMatchObject({
        code: "agent_not_found",
        message: expect.stringContaining("that program does not exist."),
      });
    }
    expect((await lab.belay.sessions.get({ id })).version).toBe(before.version);
    // The process ends here without a driver: the next one drives it, with the new agent.
    await lab.belay.close();
    const next = await reopenLab(lab.home);
    await next.belay.sessions.handoff({ id, to: "other" });
    const { events } = await talk(next, "/say from other", { id });
    expect(said(events)).toContain("from other");
    expect(existsSync(join(lab.home, "other", "memory"))).toBe(true);
  });

  it.each(["archive", "cancel", "delete"] as const)("is refused after %s", async (end) => {
    const lab = await openTwo();
    const { id } = await talk(lab, "/say hello");
    await lab.belay.sessions[end]({ id });
    await expect(lab.belay.sessions.handoff({ id, to: "other" })).rejects.toMatchObject({
      code:
        end === "archive"
          ? "session_archived"
          : end === "cancel"
            ? "session_cancelled"
            : "session_deleted",
    });
  });
});

describe("a replay", () => {
  it("sends the same prompts to another agent in a fork, and compares the answers", async () => {
    const lab = await openTwo();
    const { id } = await talk(lab, "/say one");
    await talk(lab, "/say two", { id });
    const replayed = await lab.belay.sessions.replay({ id, agent: "other" });
    expect(replayed).toMatchObject({ prompts: ["/say one", "/say two"], next_cursor: null });
    const fork = replayed.session_id;
    await until("both answers", async () => {
      const { turns } = await lab.belay.turns.list({ id: fork });
      return turns.length === 2 && turns.every(({ status }) => status === "completed");
    });
    expect(othersPrompts(lab)).toEqual(["/say one", "/say two"]);
    const compared = await lab.belay.sessions.compare({ id, with: fork });
    expect(compared).toMatchObject({
      a: { agent_name: "agent", turns: 2 },
      b: { agent_name: "other", turns: 2 },
    });
    expect(compared.turns.map(({ a, b }) => [a?.input, b?.input])).toEqual([
      ["/say one", "/say one"],
      ["/say two", "/say two"],
    ]);
  });

  it("is refused for a missing agent, and for a session without prompts", async () => {
    const lab = await openTwo();
    const { session_id: id } = await lab.belay.sessions.create({ agent_name: "agent" });
    const missing = lab.belay.sessions.replay({ id, agent: "nowhere" });
    await expect(missing).rejects.toMatchObject({ code: "agent_not_found" });
    const empty = lab.belay.sessions.replay({ id, agent: "other" });
    await expect(empty).rejects.toMatchObject({ code: "invalid_input" });
  });
});
