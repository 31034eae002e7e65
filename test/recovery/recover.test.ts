import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { askRemoteWith } from "../../src/drive/recovery/ask-remote.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { openRecoveryLab } from "./recovery-lab.ts";

const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function startProcess(): number {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  children.push(child);
  return child.pid ?? 0;
}

const stepsOf = (
  found: Awaited<ReturnType<Awaited<ReturnType<typeof openRecoveryLab>>["recover"]>>,
) => found.sessions.flatMap(({ actions }) => actions.map(({ type, step }) => [type, step]));

describe("recovery of declared actions", () => {
  it("does not change sessions that may still work, or that are idle", async () => {
    const lab = await openRecoveryLab();
    await lab.create("idle-1");
    await lab.create("busy-1");
    await lab.begin("busy-1", { type: "deploy", effects: "remote" });
    lab.wait(4);
    expect(await lab.recover()).toEqual({ checked: 1, sessions: [], failed: [] });
    lab.wait(2);
    expect((await lab.recover()).sessions.map(({ session_id }) => session_id)).toEqual(["busy-1"]);
  });

  it("follows the table: repeats harmless actions, waits for running ones, asks about the rest", async () => {
    const lab = await openRecoveryLab();
    await lab.create("mixed-1");
    await lab.begin("mixed-1", { type: "read", effects: "none" });
    await lab.begin("mixed-1", { type: "edit", effects: "local" });
    await lab.begin("mixed-1", {
      type: "pay",
      effects: "remote",
      idempotent: true,
      action_key: "k-1",
    });
    await lab.begin("mixed-1", { type: "mail", effects: "remote" });
    await lab.begin("mixed-1", { type: "unstated" });
    await lab.begin("mixed-1", { type: "build", effects: "local", pid: startProcess() });
    await lab.begin("mixed-1", {
      type: "serve",
      effects: "local",
      pid: startProcess(),
      detachable: true,
    });
    await lab.begin("mixed-1", { type: "upload", effects: "remote", pid: startProcess() });
    lab.wait(6);
    const found = await lab.recover();
    expect(stepsOf(found)).toEqual([
      ["read", "rerun"],
      ["edit", "rerun"],
      ["pay", "rerun_with_key"],
      ["mail", "ask"],
      ["unstated", "ask"],
      ["build", "wait"],
      ["serve", "leave"],
      ["upload", "leave_and_ask"],
    ]);
    expect(await lab.get("mixed-1")).toMatchObject({
      status: "suspended",
      phase: "approval",
      open_actions: 5,
      pending_approvals: 1,
    });
    for (const child of children) expect(child.exitCode).toBeNull();
  });

  it("changes nothing when it is run again", async () => {
    const lab = await openRecoveryLab();
    await lab.create("twice-1");
    await lab.begin("twice-1", { type: "mail", effects: "remote" });
    await lab.begin("twice-1", { type: "build", effects: "local", pid: startProcess() });
    lab.wait(6);
    expect((await lab.recover()).sessions[0]?.changed).toBe(true);
    const before = await lab.log("twice-1");
    lab.wait(60);
    expect((await lab.recover()).sessions).toEqual([]);
    await lab.recover({ id: "twice-1", force: true });
    expect(await lab.log("twice-1")).toEqual(before);
    expect(readdirSync(join(lab.home, "twice-1"))).toEqual(["CHECKPOINT_1.md"]);
  });

  it("does not confuse the death of an earlier holder with that of the current one", async () => {
    const lab = await openRecoveryLab();
    await lab.create("heir-1");
    const { entity_id } = await lab.get("heir-1");
    const dead = { name: "dead", pid: 4_194_303, start_time: 1, boot_id: "another boot" };
    await acquireLease(lab.context.store, entity_id, dead);
    const action_id = await lab.begin("heir-1", { type: "edit", effects: "local" });
    expect(await lab.recover()).toMatchObject({ sessions: [] });
    const done = { id: "heir-1", action_id } as const;
    await lab.service.call("complete_action", done, lab.caller);
    expect((await lab.get("heir-1")).open_actions).toBe(0);
  });

  it("only reports the plan in a dry run", async () => {
    const lab = await openRecoveryLab();
    await lab.create("dry-1");
    await lab.begin("dry-1", { type: "mail", effects: "remote" });
    lab.wait(6);
    const before = await lab.log("dry-1");
    const { sessions } = await lab.recover({ dry_run: true });
    expect(sessions).toMatchObject([
      { status: "manual-review", approval_id: null, changed: false },
    ]);
    expect(await lab.log("dry-1")).toEqual(before);
    expect(existsSync(join(lab.home, "dry-1"))).toBe(false);
  });

  it.each([
    { shared: true, process: "unproven", status: "manual-review" },
    { shared: false, process: "gone", status: "ok" },
  ])(
    "treats a process of another boot as $process if machines share the log: $shared",
    async (told) => {
      const { shared, process, status } = told;
      const lab = await openRecoveryLab({ shared });
      await lab.create("elsewhere");
      const action_id = await lab.begin("elsewhere", { type: "build", effects: "local" });
      const elsewhere = { start_time: 1, boot_id: "another machine" };
      await forgetIdentity(lab, "elsewhere", action_id, 4_194_303, elsewhere);
      lab.wait(6);
      const { sessions } = await lab.recover();
      expect(sessions).toMatchObject([{ status, actions: [{ process }] }]);
    },
  );

  it("asks about a pid that exists but may be another process, and sends no signal", async () => {
    const lab = await openRecoveryLab();
    const decoys = Array.from({ length: 50 }, startProcess);
    for (const [nth, pid] of decoys.entries()) {
      const id = `decoy-${String(nth).padStart(2, "0")}`;
      await lab.create(id);
      const action_id = await lab.begin(id, { type: "build", effects: "local", pid });
      await forgetIdentity(lab, id, action_id, pid);
    }
    lab.wait(6);
    const { sessions } = await lab.recover();
    expect(sessions).toHaveLength(50);
    for (const { actions } of sessions) {
      expect(actions.at(-1)).toMatchObject({ process: "unproven", step: "ask" });
    }
    expect(children.filter((child) => child.exitCode !== null || child.signalCode)).toEqual([]);
  });

  it("repeats an action that a status query finds undone, and closes one that it finds done", async () => {
    const remote = askRemoteWith({
      alive: "wait",
      continue: true,
      status: {
        pay: 'case "$BELAY_KEY" in paid) echo done;; unpaid) echo not_done;; *) echo who knows;; esac',
      },
    });
    const lab = await openRecoveryLab({ askRemote: remote });
    await lab.create("query-1");
    for (const action_key of ["paid", "unpaid", "lost"]) {
      await lab.begin("query-1", { type: "pay", effects: "remote", action_key });
    }
    lab.wait(6);
    expect(stepsOf(await lab.recover())).toEqual([
      ["pay", "proceed"],
      ["pay", "rerun"],
      ["pay", "ask"],
    ]);
  });

  it("ends the process of a harmless action before it repeats the action", async () => {
    const lab = await openRecoveryLab({ policy: { alive: "rerun" }, grace_ms: 200 });
    await lab.create("ended-1");
    const [doomed, spared] = [startProcess(), startProcess()];
    await lab.begin("ended-1", { type: "build", effects: "local", pid: doomed });
    await lab.begin("ended-1", { type: "watch", effects: "local", pid: spared, orphanable: true });
    lab.wait(6);
    await lab.recover();
    const [first, second] = children;
    await expect.poll(() => first?.signalCode).toBe("SIGTERM");
    expect(second?.signalCode).toBeNull();
  });

  it("retries a harmless failure, and asks a person after three times", async () => {
    const lab = await openRecoveryLab();
    for (const [id, failures, effects] of [
      ["failed-1", 1, "local"],
      ["failed-3", 3, "local"],
      ["failed-r", 1, "remote"],
    ] as const) {
      await lab.create(id);
      await lab.begin(id, { type: "watch", effects: "none" });
      for (let nth = 0; nth < failures; nth += 1) {
        const action_id = await lab.begin(id, { type: "test", effects });
        const failed = { id, action_id, status: "failed", result: "failed" } as const;
        await lab.service.call("complete_action", failed, lab.caller);
      }
    }
    lab.wait(6);
    const { sessions } = await lab.recover();
    const steps = sessions
      .toSorted((a, b) => a.session_id.localeCompare(b.session_id))
      .map(({ actions }) => actions.find(({ type }) => type === "test")?.step);
    expect(steps).toEqual(["retry", "review", "review"]);
  });

  it("records its questions, with evidence and steps", async () => {
    const lab = await openRecoveryLab();
    await lab.create("paper-1");
    const rollback = [{ title: "take it back", command: "true" }];
    const stderr_path = join(lab.logs, "mail.log");
    writeFileSync(stderr_path, "connecting\nsending 3 of 7\n");
    const pid = 4_194_303;
    await lab.begin("paper-1", { type: "mail", effects: "remote", rollback, pid, stderr_path });
    lab.wait(6);
    const [session] = (await lab.recover()).sessions;
    const text = readFileSync(session?.checkpoint_file ?? "", "utf8");
    expect(text).toContain("recovery is awaiting-approval");
    expect(text).toContain("| mail | remote | gone (pid 4194303) | ask |");
    expect(text).toContain("    sending 3 of 7");
    expect(text).toContain("1. take it back:\n\n       true\n");
    expect(text).toContain(`belay answer ${session?.approval_id} continue`);
    writeFileSync(session?.checkpoint_file ?? "", "continue approved yes");
    expect((await lab.get("paper-1")).pending_approvals).toBe(1);
  });

  it("is recorded with actor, time and reason, and is not an activity of the session", async () => {
    const lab = await openRecoveryLab();
    await lab.create("record-1");
    await lab.begin("record-1", { type: "edit", effects: "local" });
    const before = (await lab.get("record-1")).updated_at;
    lab.wait(6);
    await lab.recover();
    expect((await lab.log("record-1")).at(-1)).toMatchObject({
      type: "session.recovered",
      actor: "recovery",
      trace_id: "t-1",
      data: { status: "ok", next_step: "edit", steps: [{ type: "edit", step: "rerun" }] },
    });
    expect((await lab.get("record-1")).updated_at).toBe(before);
  });
});

/** Like files with only a pid: declared again with nothing else. */
async function forgetIdentity(
  lab: Awaited<ReturnType<typeof openRecoveryLab>>,
  id: string,
  action_id: string,
  pid: number,
  identity: { start_time: number | null; boot_id: string | null } = {
    start_time: null,
    boot_id: null,
  },
): Promise<void> {
  const { context, caller } = lab;
  const { changeSession } = await import("../../src/service/change-session.ts");
  await changeSession(context, caller, {
    id,
    commands: () => [
      { type: "complete_action", action_id, status: "completed", result: "success", details: {} },
      {
        type: "begin_action",
        action_id: `${action_id.slice(0, 30)}-again`,
        turn_id: null,
        action_type: "build",
        effects: "local",
        idempotent: false,
        idempotency_key: null,
        detachable: false,
        orphanable: false,
        rollback: [],
        process: {
          pid,
          ...identity,
          cmd: null,
          stdout_path: null,
          stderr_path: null,
        },
        details: {},
      },
    ],
  });
}
