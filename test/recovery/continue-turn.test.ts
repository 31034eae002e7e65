import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { composeRecovery } from "../../src/compose-context.ts";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { CONTINUE_MESSAGE } from "../../src/contract/continue-message.ts";
import { RESUME_POLICY } from "../../src/contract/limits.ts";
import { mayDriveWaiting } from "../../src/core/resume/should-resume.ts";
import { isSessionHead } from "../../src/core/session/known-events.ts";
import { recoverAll } from "../../src/drive/recovery/recover-all.ts";
import { identifyProcess } from "../../src/process/process-identity.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { caller } from "../chores/chores-lab.ts";
import { openServedLab, type ServedLab } from "../chores/served-lab.ts";
import { runBelay } from "../cli/run-belay.ts";
import { promptEnding, until } from "../run/run-lab.ts";

const DEAD = { name: "dead", pid: 4_194_303, start_time: 1, boot_id: "another boot" };
const openLab = (continues = true) => openServedLab({}, undefined, { continues });
const sweep = (lab: ServedLab, drive = false) =>
  recoverAll(lab.runner.context, caller("local"), { drive });

/** A session of a driver that died; the first message is started unless it was before. */
async function dieIn(
  lab: ServedLab,
  id: string,
  commands: (turn_id: string) => readonly SessionCommand[] = () => [],
  by: Partial<Caller> = {},
): Promise<void> {
  const stream = await loadStream(lab.store, { kind: "session", owner: "local", key: id });
  if (!stream || !isSessionHead(stream.head)) throw new Error(`there is no ${id}`);
  const process = spawn("sleep", ["60"], { stdio: "ignore" });
  await once(process, "spawn");
  const holder = { name: "driver", ...identifyProcess(process.pid ?? 0) };
  const grant = await acquireLease(lab.store, stream.id, holder);
  if (!grant.granted) throw new Error("it is driven");
  const turn_id = stream.head.queue[0]?.id ?? newId();
  const content = "/say the first words";
  await changeSession(
    lab.runner.context,
    { ...caller("local"), ...by },
    {
      id,
      epoch: grant.epoch,
      commands: (head) => [
        ...(head?.queue.length === 0
          ? [{ type: "send_message", turn_id, content, interface: "api" } as const]
          : []),
        { type: "start_turn", turn_id, content: null },
        ...commands(turn_id),
      ],
    },
  );
  process.kill("SIGKILL");
  await once(process, "exit");
}

async function turnsOf(lab: ServedLab, id: string) {
  return (await lab.call("turns", { id })).turns;
}

const call = (turn_id: string, effects: "local" | "remote"): SessionCommand => ({
  type: "begin_action",
  action_id: newId(),
  turn_id,
  action_type: "execute",
  effects,
  idempotent: false,
  idempotency_key: null,
  detachable: false,
  orphanable: false,
  rollback: [],
  process: null,
  details: { title: "count the files" },
});

const STARTED: SessionCommand = {
  type: "note_agent_started",
  agent_session_id: "a-1",
  way: "new",
  reopens: true,
  process: { ...DEAD, cmd: null, stdout_path: null, stderr_path: null },
};

const FAILED: SessionCommand = { type: "record_error", error: "the agent failed" };

describe("a turn whose server died", () => {
  it("continues by itself, and its agent is told about the interruption", async () => {
    const lab = await openLab();
    await lab.call("create", { agent_name: "agent", session_id: "goes-on" });
    await dieIn(lab, "goes-on", (turn_id) => [STARTED, call(turn_id, "local")]);
    const { sessions } = await sweep(lab, true);
    expect(sessions).toMatchObject([{ status: "ok", continued_turn_id: expect.any(String) }]);
    await until("the answer", async () => (await turnsOf(lab, "goes-on")).at(-1)?.ended_at);
    expect(await turnsOf(lab, "goes-on")).toMatchObject([
      { status: "interrupted" },
      { turn_id: sessions[0]?.continued_turn_id, status: "completed", input: CONTINUE_MESSAGE },
    ]);
    const told = promptEnding(lab, CONTINUE_MESSAGE);
    expect(told).toContain("the first words");
    expect(told).toContain("count the files");
  });

  it("is not continued before a waiting message, which is answered at once", async () => {
    const lab = await openLab();
    await lab.call("create", { agent_name: "agent", session_id: "waits-1" });
    const content = "/say answered after all";
    await dieIn(lab, "waits-1", () => [
      { type: "send_message", turn_id: "second", content, interface: "api" },
    ]);
    expect((await sweep(lab, true)).sessions).toMatchObject([{ continued_turn_id: null }]);
    await until("the answer", async () => (await turnsOf(lab, "waits-1")).at(-1)?.ended_at);
    expect(await turnsOf(lab, "waits-1")).toMatchObject([
      { status: "interrupted" },
      { turn_id: "second", status: "completed" },
    ]);
  });

  it("continues at most twice, so that a turn that kills its server cannot loop", async () => {
    const lab = await openLab();
    await lab.call("create", { agent_name: "agent", session_id: "kills-it" });
    const continued: boolean[] = [];
    for (let death = 0; death < 4; death += 1) {
      if (death < 3) await dieIn(lab, "kills-it");
      const { sessions } = await sweep(lab);
      continued.push(...sessions.map(({ continued_turn_id }) => continued_turn_id !== null));
    }
    expect(continued).toEqual([true, true, false]);
    const statuses = (await turnsOf(lab, "kills-it")).map(({ status }) => status);
    expect(statuses).toEqual(["interrupted", "interrupted", "interrupted"]);
  });

  it.each([
    ["where a person has to decide", (turn: string) => [call(turn, "remote")], {}],
    ["that a person wanted to stop", () => [{ type: "interrupt" as const }], {}],
    ["of an agent that hooks saw elsewhere", () => [], { interface: "hook" }],
  ] as const)("does not continue %s", async (_, commands, by) => {
    const lab = await openLab();
    await lab.call("create", { agent_name: "agent", session_id: "stays-1" });
    await dieIn(lab, "stays-1", commands, by);
    expect((await sweep(lab)).sessions).toMatchObject([{ continued_turn_id: null }]);
    expect(await turnsOf(lab, "stays-1")).toHaveLength(1);
  });

  it("does not continue if a setting forbids it, or in a terminal", async () => {
    const lab = await openLab(false);
    await lab.call("create", { agent_name: "agent", session_id: "stays-2" });
    await dieIn(lab, "stays-2");
    expect((await sweep(lab)).sessions).toMatchObject([{ continued_turn_id: null }]);
    expect(composeRecovery(lab.home, lab.store, false).continues).toBe(false);
    expect(composeRecovery(lab.home, lab.store, true).continues).toBe(true);
    writeFileSync(join(lab.home, "recovery.json"), '{"continue": false}', { mode: 0o600 });
    expect(composeRecovery(lab.home, lab.store, true).continues).toBe(false);
  });

  it("continues in a terminal with recover --continue", async () => {
    const lab = await openLab();
    await lab.call("create", { agent_name: "agent", session_id: "by-hand" });
    await dieIn(lab, "by-hand");
    const place = { cwd: lab.home, home: lab.home };
    const { code, stdout } = await runBelay(["recover", "--continue"], place);
    expect(stdout).toContain("by-hand");
    expect(code).toBe(0);
    expect((await turnsOf(lab, "by-hand")).map(({ status }) => status)).toEqual([
      "interrupted",
      "completed",
    ]);
  });
});

describe("an idle session", () => {
  it("is not interrupted by the death of its driver; only the agent's end is recorded", async () => {
    const lab = await openLab();
    await lab.call("create", { agent_name: "agent", session_id: "idle-1" });
    await dieIn(lab, "idle-1", (turn_id) => [
      STARTED,
      { type: "end_turn", turn_id, outcome: "completed", error: null, usage: null },
    ]);
    expect(await lab.call("get", { id: "idle-1" })).toMatchObject({ stale: false });
    expect((await lab.call("recoveries", {})).pending).toEqual([]);
    expect((await sweep(lab)).sessions).toEqual([]);
    const types = (await lab.eventsOf("idle-1")).map(({ type }) => type);
    expect(types).toContain("agent.stopped");
    expect(types).not.toContain("session.recovered");
    expect((await sweep(lab)).checked).toBe(0);
  });
});

describe("a session about which recovery asks", () => {
  it("is not resumed automatically, and works again after continue", async () => {
    const lab = await openLab();
    const approval_id = await askIn(lab, "asked-1", []);
    expect(await lab.call("should_resume", { id: "asked-1" })).toMatchObject({
      should_resume: false,
      reason: "recovery_pending",
    });
    const answered = await lab.call("answer_recovery", { approval_id, answer: "continue" });
    expect(answered).toMatchObject({ continued_turn_id: null });
    expect(await lab.call("get", { id: "asked-1" })).toMatchObject({
      status: "active",
      phase: "investigating",
    });
    expect(await lab.call("should_resume", { id: "asked-1" })).toMatchObject({
      should_resume: true,
    });
    // Belay has never run its agent, so it has nothing to tell it.
    expect(await turnsOf(lab, "asked-1")).toHaveLength(1);
  });

  it("continues its work after the answer continue, not after approve", async () => {
    const lab = await openLab(false);
    const approval_id = await askIn(lab, "asked-2", [STARTED]);
    const approved = lab.call("decide_approval", { approval_id, decision: "approved" });
    await expect(approved).rejects.toMatchObject({ code: "invalid_input" });
    const answered = await lab.call("answer_recovery", { approval_id, answer: "continue" });
    expect(answered).toMatchObject({ continued_turn_id: expect.any(String) });
    await until("the answer", async () => (await turnsOf(lab, "asked-2"))[1]?.ended_at);
    expect(await turnsOf(lab, "asked-2")).toMatchObject([
      { status: "interrupted" },
      { status: "completed", input: CONTINUE_MESSAGE },
    ]);
    expect(promptEnding(lab, CONTINUE_MESSAGE)).toContain("count the files");
  });

  it("keeps the continuation for the next driver if it is answered in a terminal", async () => {
    const lab = await openLab();
    const approval_id = await askIn(lab, "asked-3", [STARTED, FAILED, FAILED, FAILED]);
    const belay = (...args: string[]) => runBelay(args, { cwd: lab.home, home: lab.home });
    expect((await belay("suspend", "asked-3")).stderr).toContain("asked-3 is already suspended");
    expect(await belay("approve", approval_id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`belay answer ${approval_id} continue|rollback|abort`),
    });
    const { stdout, code } = await belay("answer", approval_id, "continue");
    expect(code).toBe(0);
    expect(stdout).toContain("Without a server: belay resume asked-3");
    // A server continues it, however often its turns have failed before.
    const stream = await loadStream(lab.store, { kind: "session", owner: "local", key: "asked-3" });
    if (!stream || !isSessionHead(stream.head)) throw new Error("there is no asked-3");
    expect(mayDriveWaiting(stream.head, stream.head.updated_at + 5000, RESUME_POLICY)).toBe(true);
    expect((await turnsOf(lab, "asked-3")).at(-1)).toMatchObject({
      status: "queued",
      input: CONTINUE_MESSAGE,
    });
    // Without a server, and without a terminal.
    expect(await belay("resume", "asked-3")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("✓ done"),
    });
    expect((await turnsOf(lab, "asked-3")).at(-1)).toMatchObject({ status: "completed" });
    expect(promptEnding(lab, CONTINUE_MESSAGE)).toContain("through cli at");
    expect(await belay("resume", "asked-3")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing to resume"),
    });
  });
});

/** A session whose driver died in a call of unknown outcome; returns recovery's question. */
async function askIn(
  lab: ServedLab,
  id: string,
  before: readonly SessionCommand[],
): Promise<string> {
  await lab.call("create", { agent_name: "agent", session_id: id });
  await dieIn(lab, id, (turn_id) => [...before, call(turn_id, "remote")]);
  return (await sweep(lab)).sessions[0]?.approval_id ?? "";
}
