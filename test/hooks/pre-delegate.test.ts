import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Input } from "../../src/contract/operations.ts";
import { PHASES } from "../../src/contract/vocabulary.ts";
import { runHook } from "../../src/integrations/claude/hooks/run-hook.ts";
import { runSelfTest } from "../../src/integrations/claude/hooks/run-self-test.ts";
import { createLab, type HookLab, MINUTE, START } from "./hook-lab.ts";

const AGENT = "terraform-architect";
const ID = "agent-123";
const ERROR = '{"should_resume":false,"reason":"error"}\n';

let lab: HookLab;
beforeEach(() => {
  lab = createLab();
});
afterEach(() => lab.clean());

const ask = async (payload: unknown) => JSON.parse(await lab.hook("pre-delegate", payload));
const create = (more: Partial<Input<"create">> = {}) =>
  lab.call("create", { agent_name: AGENT, session_id: ID, ...more });
const update = (change: Omit<Input<"update">, "id">, id = ID) =>
  lab.call("update", { id, ...change });

describe("belay hook pre-delegate", () => {
  it("answers as documented", async () => {
    await create({ purpose: "approval_workflow", metadata: { task_id: "T001" } });
    lab.wait(MINUTE);
    await update({ phase: "investigating" });
    lab.wait(4 * MINUTE);
    await update({ phase: "approval" });
    lab.wait(10 * MINUTE);
    expect(await ask({ agent_name: AGENT, agent_id: ID })).toEqual({
      should_resume: true,
      reason: "session_resumable",
      agent_id: ID,
      resume_metadata: {
        previous_phase: "approval",
        created_at: "2026-01-08T18:05:30.000Z",
        last_updated: "2026-01-08T18:10:30.000Z",
        history: [
          {
            from_phase: "initializing",
            to_phase: "investigating",
            timestamp: "2026-01-08T18:06:30.000Z",
          },
          {
            from_phase: "investigating",
            to_phase: "approval",
            timestamp: "2026-01-08T18:10:30.000Z",
          },
        ],
        session_metadata: { task_id: "T001" },
      },
    });
  });

  it("carries the decisions that were made while the agent was away", async () => {
    await create();
    await update({ phase: "planning" });
    const { approval_id } = await lab.call("request_approval", { id: ID, title: "Apply it?" });
    lab.wait(10 * MINUTE);
    await lab.call("decide_approval", { approval_id, decision: "rejected", note: "not today" });
    const told = {
      approval_id,
      decision: "rejected",
      note: "not today",
      by: "test",
      interface: "cli",
    };
    const asked = { agent_name: AGENT, agent_id: ID };
    expect(await ask(asked)).toMatchObject({
      should_resume: true,
      resume_metadata: { previous_phase: "approval", decisions: [told] },
    });
    await update({ phase: "investigating" });
    expect((await ask(asked)).resume_metadata).not.toHaveProperty("decisions");
  });

  it("prints one line of JSON", async () => {
    expect(await lab.hook("pre-delegate", { agent_name: AGENT })).toMatch(/^\{.*\}\n$/);
  });

  it("finds nothing without a data folder, and creates none", async () => {
    expect(await ask({ agent_name: AGENT })).toEqual({
      should_resume: false,
      reason: "no_existing_session",
      agent_id: null,
      resume_metadata: null,
    });
    expect(existsSync(lab.home)).toBe(false);
    expect(lab.failures()).toBe("");
  });

  it.each(PHASES.filter((phase) => !["investigating", "planning", "approval"].includes(phase)))(
    "does not resume in phase %s",
    async (phase) => {
      await create();
      if (phase !== "initializing") await update({ phase });
      expect(await ask({ agent_name: AGENT, agent_id: ID })).toEqual({
        should_resume: false,
        reason: "session_not_resumable",
        agent_id: ID,
        resume_metadata: null,
      });
      expect(await ask({ agent_name: AGENT })).toMatchObject({ reason: "no_existing_session" });
    },
  );

  it.each(["investigating", "planning", "approval"] as const)(
    "resumes in phase %s",
    async (phase) => {
      await create();
      await update({ phase });
      expect(await ask({ agent_id: ID })).toMatchObject({
        should_resume: true,
        resume_metadata: { previous_phase: phase },
      });
    },
  );

  it("resumes after 29 minutes and not after 30 or 31", async () => {
    await create();
    await update({ phase: "approval" });
    lab.wait(29 * MINUTE);
    expect(await ask({ agent_id: ID })).toMatchObject({ should_resume: true });
    expect(await ask({ agent_name: AGENT })).toMatchObject({ should_resume: true, agent_id: ID });
    lab.wait(MINUTE);
    expect(await ask({ agent_id: ID })).toMatchObject({ reason: "session_not_resumable" });
    lab.wait(MINUTE);
    expect(await ask({ agent_id: ID })).toMatchObject({ reason: "session_not_resumable" });
    expect(await ask({ agent_name: AGENT })).toMatchObject({ reason: "no_existing_session" });
  });

  it("does not resume after the third error", async () => {
    await create();
    await update({ phase: "approval" });
    for (const error of ["one", "two"]) await update({ error });
    expect(await ask({ agent_id: ID })).toMatchObject({ should_resume: true });
    await update({ error: "three" });
    expect(await ask({ agent_id: ID })).toMatchObject({ reason: "session_not_resumable" });
  });

  it("does not resume a session that is not ready, archived or in the trash", async () => {
    await create();
    await update({ phase: "approval" });
    await update({ resume_ready: false });
    expect(await ask({ agent_id: ID })).toMatchObject({ reason: "session_not_resumable" });
    await update({ resume_ready: true });
    expect(await ask({ agent_id: ID })).toMatchObject({ should_resume: true });
    await lab.call("archive", { id: ID });
    expect(await ask({ agent_id: ID })).toMatchObject({ reason: "session_not_resumable" });
    await create({ session_id: "agent-456" });
    await update({ phase: "approval" }, "agent-456");
    await lab.call("delete", { id: "agent-456" });
    expect(await ask({ agent_id: "agent-456" })).toMatchObject({ reason: "no_existing_session" });
  });

  it("accepts a complete id, never a prefix", async () => {
    await create();
    await update({ phase: "approval" });
    const { entity_id } = await lab.call("get", { id: ID });
    for (const agent_id of ["agent-12", "agent-1234", "AGENT-123", entity_id, "agent"]) {
      expect(await ask({ agent_id })).toMatchObject({ reason: "no_existing_session", agent_id });
    }
  });

  it("without an id finds the newest resumable session of this agent, owner and folder", async () => {
    const make = async (session_id: string, more: Partial<Input<"create">> = {}) => {
      await create({ session_id, ...more });
      await update({ phase: "planning" }, session_id);
      lab.wait(1000);
    };
    await make("other-agent", { agent_name: "gitops-operator" });
    await make("other-folder", { project: { cwd: "/elsewhere", repo: null, branch: null } });
    await make("older-one");
    await make("newest-one");
    await make("not-resumable");
    await update({ phase: "executing" }, "not-resumable");
    expect(await ask({ agent_name: AGENT })).toMatchObject({ agent_id: "newest-one" });
    await update({ metadata: { seen: 1 } }, "older-one");
    expect(await ask({ agent_name: AGENT })).toMatchObject({ agent_id: "older-one" });
    expect(await ask({ agent_name: "nobody" })).toMatchObject({ reason: "no_existing_session" });
    expect(await ask({})).toMatchObject({ reason: "no_existing_session" });
  });

  it("finds it among many sessions that cannot be resumed", async () => {
    await create({ session_id: "the-one" });
    await update({ phase: "planning" }, "the-one");
    for (let n = 0; n < 60; n += 1) await create({ session_id: `busy-${n}` });
    expect(await ask({ agent_name: AGENT })).toMatchObject({ agent_id: "the-one" });
  });

  it("shows the whole history and metadata of any size", async () => {
    const findings = ["x".repeat(5000), "y"];
    await create({ metadata: { findings } });
    for (let n = 0; n < 4; n += 1) {
      await update({ phase: "investigating" });
      await update({ phase: "planning" });
    }
    const { resume_metadata } = await ask({ agent_id: ID });
    expect(resume_metadata.history).toHaveLength(8);
    expect(resume_metadata.history[0]).toEqual({
      from_phase: "initializing",
      to_phase: "investigating",
      timestamp: new Date(START).toISOString(),
    });
    expect(resume_metadata.session_metadata).toEqual({ findings });
  });

  it.each(["", "{", "[]", "null", '"text"', "5", '{"agent_id":5}', '{"agent_name":["x"]}'])(
    "answers %s with an error and notes it",
    async (payload) => {
      expect(await lab.hook("pre-delegate", payload)).toBe(ERROR);
      expect(lab.failures()).toMatch(/^2026-01-08T18:05:30\.000Z pre-delegate: .+\n$/);
    },
  );

  it("tests itself", async () => {
    let said = "";
    const code = await runSelfTest(lab.deps, runHook, (text) => {
      said += text;
    });
    expect(said).toMatch(/^(ok {4}.+\n){9}All checks passed\.\n$/);
    expect(code).toBe(0);
    expect(existsSync(join(lab.home, "belay.db"))).toBe(false);
  });
});
