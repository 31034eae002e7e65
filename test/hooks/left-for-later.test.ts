import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mayEventsWait } from "../../src/compose-spool.ts";
import { openBelay } from "../../src/index.ts";
import { leaveInSpool } from "../../src/integrations/claude/hooks/leave-in-spool.ts";
import { planHook } from "../../src/integrations/claude/hooks/plan-hook.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { createLab, type HookLab } from "./hook-lab.ts";
import { runHookProcess } from "./hook-process.ts";

const SESSION = "402e7a18-1d9b-4983-815e-734ca53fd8fa";
const OTHER = "agent-123";

let lab: HookLab;
beforeEach(async () => {
  lab = createLab();
  // The first hook of a data folder records its event itself, and stores that there are no mirrors.
  for (let nth = 1; nth <= 2; nth += 1) await prompt(nth);
});
afterEach(() => lab.clean());

describe("a hook whose data folder no process has open", () => {
  it("leaves its event in the spool", async () => {
    await prompt(3);
    expect(lab.spooled()).toHaveLength(1);
    expect(await recorded()).toEqual(prompts(2));
  });

  it("shows it to the next command, in order", async () => {
    for (const nth of [3, 4, 5]) await prompt(nth);
    expect(lab.spooled()).toHaveLength(3);
    const { stdout } = await runInProcess(lab.home, ["get", SESSION], true);
    expect(JSON.parse(stdout)).toMatchObject({ turn_count: 5 });
    expect(lab.spooled()).toEqual([]);
    expect(await recorded()).toEqual(prompts(5));
  });

  it("shows it to a program that uses the library", async () => {
    await prompt(3);
    await using belay = await openBelay({ home: lab.home });
    const { turns } = await belay.turns.list({ id: SESSION });
    expect(turns.map(({ input }) => input)).toEqual(prompts(3));
    await prompt(4);
    const then = await belay.turns.list({ id: SESSION });
    expect(then.turns.map(({ input }) => input)).toEqual(prompts(4));
  });

  it("records it itself if a process has the store open, which may be reading", async () => {
    const other = new DatabaseSync(join(lab.home, "belay.db"));
    other.prepare("SELECT count(*) FROM streams").get();
    await prompt(3);
    other.close();
    expect(lab.spooled()).toEqual([]);
    expect(await recorded()).toEqual(prompts(3));
  });

  it("delivers it itself if a process opens the store at that moment", async () => {
    const answers = [true, false];
    const deps = { ...lab.deps, mayEventsWait: async () => answers.shift() ?? false };
    const plan = planHook("claude-code", payload(3), deps);
    expect(await leaveInSpool(plan, deps)).toBe("overtaken");
    expect(lab.spooled()).toHaveLength(1);
    const always = { ...lab.deps, mayEventsWait: async () => true };
    expect(await leaveInSpool(planHook("claude-code", payload(4), deps), always)).toBe("left");
  });

  it("records everything itself now and then", async () => {
    for (let nth = 3; nth <= 22; nth += 1) await prompt(nth);
    const stored = await recorded();
    // A slow machine delivers a part of them at a time.
    expect(stored.length).toBeGreaterThan(2);
    expect(stored).toEqual(prompts(stored.length));
    expect(stored.length + lab.spooled().length).toBe(22);
  });

  it("records it itself in a workspace with mirrors, which show it at once", async () => {
    expect(mayEventsWait(lab.home)).toBe(true);
    const { code } = await runInProcess(lab.home, ["init", "--mirror", "claude"], false);
    expect(code).toBe(0);
    expect(mayEventsWait(lab.home)).toBe(false);
    await prompt(3);
    expect(lab.spooled()).toEqual([]);
    expect(mayEventsWait(lab.home)).toBe(false);
  });

  it.each([
    ["another database in its place", (bytes: Buffer) => bytes],
    ["a damaged database", () => Buffer.alloc(65_536, "not a database ")],
  ])("does not rely on what is known of %s", (_, change) => {
    const path = join(lab.home, "belay.db");
    const bytes = change(readFileSync(path));
    expect(mayEventsWait(lab.home)).toBe(true);
    writeFileSync(`${path}.new`, bytes);
    expect(existsSync(`${path}-wal`)).toBe(false);
    renameSync(`${path}.new`, path);
    expect(mayEventsWait(lab.home)).toBe(false);
  });
});

describe("pre-delegate after events were left", () => {
  it("answers about a session without its events only if none wait", async () => {
    await lab.call("create", { agent_name: "Explore", session_id: OTHER });
    await lab.call("update", { id: OTHER, phase: "approval" });
    await prompt(3);
    await ask({ agent_id: OTHER });
    expect(lab.spooled()).toHaveLength(1);
    await runHookProcess("subagent-stop", { task_info: { agent_id: OTHER } }, lab);
    expect(lab.spooled()).toHaveLength(2);
    await askUntilNoneWaits({ agent_id: OTHER });
    expect(lab.spooled()).toEqual([]);
    expect(await recorded()).toEqual(prompts(3));
    await prompt(4);
    await askUntilNoneWaits({ agent_name: "Explore" });
    expect(lab.spooled()).toEqual([]);
  });

  it("leaves no file that looks as if a process had the store open", async () => {
    await ask({ agent_id: OTHER });
    expect(mayEventsWait(lab.home)).toBe(true);
    const { stdout } = await runHookProcess("claude-code", delegation(), lab);
    expect(stdout).toBe("");
    expect(mayEventsWait(lab.home)).toBe(true);
  });
});

function payload(nth: number) {
  return {
    session_id: SESSION,
    cwd: lab.cwd,
    hook_event_name: "UserPromptSubmit",
    prompt_id: `p-${nth}`,
    prompt: `prompt ${nth}`,
  };
}

function delegation() {
  const tool_input = { subagent_type: "Explore" };
  return { ...payload(0), hook_event_name: "PreToolUse", tool_name: "Agent", tool_input };
}

async function prompt(nth: number): Promise<void> {
  expect(await runHookProcess("claude-code", payload(nth), lab)).toMatchObject({ code: 0 });
}

async function ask(query: object): Promise<void> {
  const { stdout } = await runHookProcess("pre-delegate", query, lab);
  expect(JSON.parse(stdout).reason).not.toBe("error");
}

/** On a busy machine a hook may run out of time. Then it leaves the events for the next one. */
async function askUntilNoneWaits(query: object): Promise<void> {
  for (let tries = 0; tries < 5 && lab.spooled().length > 0; tries += 1) await ask(query);
}

function prompts(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `prompt ${n + 1}`);
}

/** The prompts in the store, without those in the spool. */
async function recorded(): Promise<unknown[]> {
  return (await lab.call("turns", { id: SESSION })).turns.map(({ input }) => input);
}
