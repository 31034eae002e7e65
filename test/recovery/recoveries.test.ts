import { spawn } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { identifyProcess } from "../../src/process/process-identity.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { acquireLease } from "../../src/store/leases.ts";
import type { RecoveryLab } from "./recovery-lab.ts";
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

const ROLLBACK = [{ title: "back to v1", command: "./deploy v1" }];
const DEPLOY = { type: "deploy", effects: "remote", rollback: ROLLBACK } as const;
const recoveries = ({ service, caller }: RecoveryLab) => service.call("recoveries", {}, caller);

describe("the list of recoveries", () => {
  it("has each session whose process is gone, with its plan, and reading it changes nothing", async () => {
    const asked: string[] = [];
    const lab = await openRecoveryLab({
      askRemote: async (type) => {
        asked.push(type);
        return "done";
      },
    });
    await lab.create("idle-1");
    await lab.create("stale-1");
    await lab.service.call("rename", { id: "stale-1", title: "Ship it" }, lab.caller);
    await lab.begin("stale-1", { ...DEPLOY, action_key: "k-1", details: { title: "v2" } });
    expect((await recoveries(lab)).pending).toEqual([]);
    lab.wait(6);
    const before = await lab.log("stale-1");
    const { pending, past, failed } = await recoveries(lab);
    expect({ past, failed }).toEqual({ past: [], failed: [] });
    expect(pending).toMatchObject([
      {
        session_id: "stale-1",
        session_title: "Ship it",
        title: null,
        asked_at: null,
        approval_id: null,
        happened: "an action was running when the process ended",
        actions: [
          { type: "deploy", title: "deploy: v2", effects: "remote", process: "gone", step: "ask" },
        ],
      },
    ]);
    expect(await lab.log("stale-1")).toEqual(before);
    expect(asked).toEqual([]);
  });

  it("has each question about a declared action, with the current evidence", async () => {
    const lab = await openRecoveryLab();
    await lab.create("asked-1");
    const pid = startProcess();
    const action_id = await lab.begin("asked-1", { ...DEPLOY, pid });
    await lab.begin("asked-1", { type: "read", effects: "none" });
    lab.wait(6);
    await lab.recover();
    const [pending] = (await recoveries(lab)).pending;
    expect(pending).toMatchObject({
      session_id: "asked-1",
      title: "deploy was interrupted. It may already have run.",
      rollback: ROLLBACK,
      asked_at: expect.any(String),
      status: "manual-review",
      actions: [{ action_id, process: "alive", pid, step: "leave_and_ask" }],
    });
    children[0]?.kill("SIGKILL");
    await expect
      .poll(async () => (await recoveries(lab)).pending[0]?.actions[0]?.process)
      .toBe("gone");
    const answered = await lab.answer(pending?.approval_id ?? "", "continue").catch(() => null);
    expect(answered).toBeNull();
    const [anew] = (await recoveries(lab)).pending;
    expect(anew?.approval_id).not.toBe(pending?.approval_id);
    await lab.answer(anew?.approval_id ?? "", "abort");
    expect((await recoveries(lab)).pending).toEqual([]);
  });

  it("has each question about an agent's calls, which already have a result", async () => {
    const lab = await openRecoveryLab();
    await lab.create("agent-1");
    await dieInTurn(lab, "agent-1");
    const plan = await recoveries(lab);
    expect(plan.pending).toMatchObject([
      { happened: "a turn and 2 actions were running when the process ended" },
    ]);
    await lab.recover();
    const [pending] = (await recoveries(lab)).pending;
    expect(pending).toMatchObject({
      happened: "a turn and 2 actions were running when the process ended",
      actions: [
        {
          type: "execute",
          title: "execute: push",
          effects: "unknown",
          process: "gone",
          step: "ask",
        },
      ],
      approval_id: expect.any(String),
    });
    const spans = await lab.service.call("spans", { entity_id: "agent-1" }, lab.caller);
    const drawn = spans.sessions[0]?.spans ?? [];
    expect(drawn.filter(({ kind }) => kind === "life")).toMatchObject([
      { status: "died", to: expect.any(String) },
    ]);
    const [recovered] = drawn.filter(({ kind }) => kind === "recovery");
    expect(recovered).toMatchObject({ status: "manual-review" });
    expect(drawn.find(({ kind }) => kind === "life")?.to).toBe(recovered?.from);
    expect(
      drawn.filter(({ kind }) => kind === "action").map(({ name, unknown }) => [name, unknown]),
    ).toEqual([
      ["look", false],
      ["push", true],
    ]);
  });

  it("leaves out sessions with a live driver, in the trash, or of others", async () => {
    const lab = await openRecoveryLab();
    for (const id of ["driven-1", "trashed-1", "asked-2"]) {
      await lab.create(id);
      await lab.begin(id, DEPLOY);
    }
    lab.wait(6);
    await lab.recover({ id: "asked-2" });
    await lab.service.call("delete", { id: "trashed-1" }, lab.caller);
    const { entity_id } = await lab.get("driven-1");
    const holder = { name: "somebody", ...identifyProcess(process.pid) };
    await acquireLease(lab.context.store, entity_id, holder);
    const ids = (found: Awaited<ReturnType<typeof recoveries>>) =>
      found.pending.map(({ session_id }) => session_id);
    expect(ids(await recoveries(lab))).toEqual(["asked-2"]);
    const asked = await lab.get("asked-2");
    await acquireLease(lab.context.store, asked.entity_id, holder);
    expect(ids(await recoveries(lab))).toEqual([]);
    const bob = { ...lab.caller, owner: "bob" };
    expect(await lab.service.call("recoveries", {}, bob)).toEqual({
      pending: [],
      past: [],
      failed: [],
    });
  });
});

describe("an action that a person is asked about", () => {
  it("is shown with the question, settled or not", async () => {
    const lab = await openRecoveryLab();
    const approvals = async () =>
      (await lab.service.call("list_approvals", {}, lab.caller)).approvals;
    await lab.create("declared-1");
    const declared = await lab.begin("declared-1", { ...DEPLOY, details: { title: "v2" } });
    lab.wait(6);
    await lab.recover();
    expect(await approvals()).toMatchObject([
      {
        kind: "recovery",
        session_id: "declared-1",
        session_title: null,
        action: { action_id: declared, type: "deploy", title: "v2", effects: "remote", diffs: [] },
        rollback: ROLLBACK,
      },
    ]);
    await lab.service.call("delete", { id: "declared-1" }, lab.caller);
    await lab.create("agent-2");
    await dieInTurn(lab, "agent-2");
    await lab.recover();
    expect(await approvals()).toMatchObject([
      { session_id: "agent-2", action: { action_id: "c-2", type: "execute", title: "push" } },
    ]);
  });

  it("is open with an unknown outcome until there is an answer", async () => {
    const lab = await openRecoveryLab();
    await lab.create("open-1");
    await lab.begin("open-1", DEPLOY);
    const unknown = async () =>
      (await lab.service.call("spans", { entity_id: "open-1" }, lab.caller)).sessions[0]?.spans
        .filter(({ kind }) => kind === "action")
        .map((span) => [span.status, span.to === null, span.unknown]);
    expect(await unknown()).toEqual([["started", true, false]]);
    lab.wait(6);
    const { sessions } = await lab.recover();
    expect(await unknown()).toEqual([["started", true, true]]);
    await lab.answer(sessions[0]?.approval_id ?? "", "continue");
    expect(await unknown()).toEqual([["interrupted", false, true]]);
  });
});

describe("the results of recovery", () => {
  it("are listed newest first, for forks only their own", async () => {
    const lab = await openRecoveryLab();
    for (const id of ["first-1", "second-1"]) {
      await lab.create(id);
      await lab.begin(id, { type: "build", effects: "local" });
      lab.wait(6);
      await lab.recover();
    }
    await lab.service.call("fork", { id: "first-1", session_id: "fork-1" }, lab.caller);
    await lab.begin("fork-1", { type: "test", effects: "none" });
    lab.wait(6);
    await lab.recover();
    const { past } = await recoveries(lab);
    expect(
      past.map(({ session_id, steps }) => [session_id, steps.map(({ type }) => type)]),
    ).toEqual([
      ["fork-1", ["test"]],
      ["second-1", ["build"]],
      ["first-1", ["build"]],
    ]);
    expect(past[0]).toMatchObject({ status: "ok", next_step: "test" });
    const { events } = await lab.service.call("log", { id: "fork-1", limit: 100 }, lab.caller);
    expect(events[(past[0]?.seq ?? 0) - 1]).toMatchObject({
      type: "session.recovered",
      at: past[0]?.at,
    });
    await lab.service.call("delete", { id: "second-1" }, lab.caller);
    expect((await recoveries(lab)).past).toHaveLength(2);
  });

  it("are the newest 50 of all sessions", async () => {
    const lab = await openRecoveryLab();
    await lab.create("often-1");
    await lab.create("once-1");
    for (let n = 0; n < 26; n += 1) {
      for (const id of ["often-1", ...(n === 0 ? ["once-1"] : []), "often-1"]) {
        await lab.begin(id, { type: "build", effects: "local" });
        lab.wait(6);
        await lab.recover();
      }
    }
    const { past } = await recoveries(lab);
    expect(past).toHaveLength(50);
    expect(new Set(past.map(({ session_id }) => session_id))).toEqual(new Set(["often-1"]));
    const times = past.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
  });
});

/** The remains of a driver that died in a turn with two open tool calls: one harmless, one not. */
async function dieInTurn(lab: RecoveryLab, id: string): Promise<void> {
  const { store } = lab.context;
  const { entity_id } = await lab.get(id);
  const gone = identifyProcess(startProcess());
  const grant = await acquireLease(store, entity_id, { name: "driver", ...gone });
  if (!grant.granted) throw new Error("somebody drives it");
  const call = {
    type: "begin_action" as const,
    turn_id: "t-1",
    idempotent: false,
    idempotency_key: null,
    detachable: false,
    orphanable: false,
    rollback: [],
    process: null,
  };
  await changeSession(lab.context, lab.caller, {
    id,
    epoch: grant.epoch,
    commands: () => [
      {
        type: "note_agent_started",
        agent_session_id: "own",
        way: "new",
        process: { ...gone, cmd: "demo", stdout_path: null, stderr_path: null },
        reopens: true,
      },
      { type: "start_turn", turn_id: "t-1", content: "ship it" },
      {
        ...call,
        action_id: "c-1",
        action_type: "read",
        effects: "none",
        details: { title: "look" },
      },
      {
        ...call,
        action_id: "c-2",
        action_type: "execute",
        effects: "unknown",
        details: { title: "push" },
      },
    ],
  });
  const child = children.at(-1);
  const closed = new Promise((resolve) => child?.once("close", resolve));
  child?.kill("SIGKILL");
  await closed;
}
