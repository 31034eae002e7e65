import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Phase } from "../../src/contract/vocabulary.ts";
import { newId } from "../../src/service/new-id.ts";
import { recordSystemFact } from "../../src/service/record-system-fact.ts";
import { createLab, type HookLab } from "./hook-lab.ts";

const ID = "agent-123";

let lab: HookLab;
beforeEach(() => {
  lab = createLab();
});
afterEach(() => lab.clean());

const stop = (info: object = {}) =>
  lab.hook("subagent-stop", { task_info: { agent_id: ID, ...info } });
const get = () => lab.call("get", { id: ID });
async function sessionIn(phase: Phase): Promise<void> {
  await lab.call("create", { agent_name: "terraform-architect", session_id: ID });
  if (phase !== "initializing") await lab.call("update", { id: ID, phase });
}

describe("belay hook subagent-stop", () => {
  it.each(["initializing", "executing", "validating"] as const)(
    "completes a session in phase %s",
    async (phase) => {
      await sessionIn(phase);
      expect(await stop({ summary: "Terraform applied" })).toBe("");
      expect(await get()).toMatchObject({
        status: "completed",
        phase: "completed",
        summary: "Terraform applied",
      });
    },
  );

  it.each([
    { status: "failed" },
    { status: "error" },
    { outcome: "Failed" },
    { success: false },
    { exit_code: 1 },
    { error: "no credentials" },
  ])("fails it if the payload says so: %j", async (info) => {
    await sessionIn("executing");
    await stop(info);
    expect(await get()).toMatchObject({ status: "failed", phase: "failed" });
  });

  it("prefers an explicit outcome to everything else", async () => {
    await sessionIn("executing");
    await stop({ status: "completed", error: "a warning" });
    expect(await get()).toMatchObject({ status: "completed" });
  });

  it.each(["investigating", "planning", "approval"] as const)(
    "leaves a session in phase %s resumable",
    async (phase) => {
      await sessionIn(phase);
      await stop();
      expect(await get()).toMatchObject({ status: "active", phase });
      expect((await lab.log(ID)).at(-1)).toMatchObject({
        type: "agent.stopped",
        interface: "hook",
        actor: "hook:subagent-stop",
      });
      const advice = JSON.parse(await lab.hook("pre-delegate", { agent_id: ID }));
      expect(advice).toMatchObject({ should_resume: true });
    },
  );

  it("keeps a session suspended while it waits for an approval", async () => {
    await sessionIn("planning");
    await lab.call("request_approval", { id: ID, title: "Apply it?" });
    await stop();
    expect(await get()).toMatchObject({
      status: "suspended",
      phase: "approval",
      pending_approvals: 1,
    });
  });

  it("records a repeated stop once", async () => {
    await sessionIn("approval");
    await stop();
    await stop();
    const stops = (await lab.log(ID)).filter(({ type }) => type === "agent.stopped");
    expect(stops).toHaveLength(1);
    await lab.call("update", { id: ID, phase: "executing" });
    await stop();
    await stop();
    expect((await lab.log(ID)).filter(({ type }) => type === "session.completed")).toHaveLength(1);
  });

  it.each(["completed", "failed", "abandoned"] as const)(
    "does not change a finished session: %s",
    async (phase) => {
      await sessionIn(phase);
      const before = await lab.log(ID);
      await stop({ status: "failed" });
      expect(await lab.log(ID)).toEqual(before);
    },
  );

  it.each([
    { task_info: { agent_id: "agent-12" } },
    { task_info: { agent_id: "nobody-knows" } },
    { task_info: { agent_id: "../../etc/passwd" } },
    { task_info: {} },
    { task_info: null },
    {},
  ])("ignores %j", async (payload) => {
    await sessionIn("executing");
    const before = await lab.log(ID);
    expect(await lab.hook("subagent-stop", payload)).toBe("");
    expect(await lab.log(ID)).toEqual(before);
    expect(await lab.sessions()).toHaveLength(1);
  });

  it("accepts Claude Code's own payload", async () => {
    await lab.hook("subagent-stop", {
      hook_event_name: "SubagentStop",
      session_id: "402e7a18-1d9b-4983-815e-734ca53fd8fa",
      agent_id: "a53460a707d5a6dc3",
      agent_type: "general-purpose",
      cwd: "/home/dev/project",
      last_assistant_message: "two findings",
    });
    expect(await lab.call("get", { id: "a53460a707d5a6dc3" })).toMatchObject({
      agent_name: "general-purpose",
      status: "active",
      phase: "investigating",
      turn_count: 1,
    });
  });
});

describe("a workspace with mirrors", () => {
  it("has the changes of hooks in its files", async () => {
    await sessionIn("executing");
    const store = await lab.deps.openStore({ home: lab.home, busyMs: 1000, readOnly: false });
    try {
      await recordSystemFact(
        { store, now: lab.deps.now, newId },
        { owner: "local", actor: "test", interface: "cli", trace_id: null },
        { type: "workspace.initialized", data: { cwd: lab.cwd, mirrors: ["claude"] } },
        "initialize",
      );
    } finally {
      await store.close();
    }
    await stop();
    const file = join(lab.cwd, ".claude", "session", ID, "state.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      agent_id: ID,
      phase: "completed",
    });
  });
});
