import { describe, expect, it } from "vitest";
import type { Input } from "../../src/contract/operations.ts";
import { as, MINUTE, onMemory, START } from "./on-memory.ts";

const ID = "agent-123";
const BOB = { ...as("ann", "web"), actor: "person:bob" };

/** A session of an agent that Belay does not run, which waits for an approval. */
async function waiting() {
  const lab = onMemory();
  const { service, caller } = lab;
  const ask = async (title: string, more: Partial<Input<"request_approval">> = {}) => {
    const asked = await service.call("request_approval", { id: ID, title, ...more }, caller);
    return asked.approval_id;
  };
  const decide = async (approval_id: string, note?: string, decision = "approved") => {
    lab.advance(MINUTE);
    const input = { approval_id, decision, ...(note !== undefined && { note }) };
    await service.call("decide_approval", input, BOB);
    lab.advance(MINUTE);
  };
  const get = async () => (await service.call("get", { id: ID }, caller)).decisions ?? [];
  const titles = async () => (await get()).map(({ title }) => title);
  await service.call("create", { agent_name: "architect", session_id: ID }, caller);
  await service.call("update", { id: ID, phase: "planning" }, caller);
  return { ...lab, ask, decide, get, titles };
}

describe("the decisions since an agent's last work", () => {
  it("say what was decided, with which note, by whom, from where and when", async () => {
    const { service, caller, ask, decide, get } = await waiting();
    const approval_id = await ask("Apply the plan?");
    expect(await get()).toEqual([]);
    await decide(approval_id, "only eu-west");
    const decision = {
      approval_id,
      kind: "question",
      title: "Apply the plan?",
      decision: "approved",
      note: "only eu-west",
      always: false,
      by: "person:bob",
      interface: "web",
      decided_at: new Date(START + MINUTE).toISOString(),
    };
    expect(await get()).toEqual([decision]);
    const advice = await service.call("should_resume", { id: ID }, caller);
    expect(advice).toMatchObject({ should_resume: true, decisions: [decision] });
    const { sessions } = await service.call("history", { session_id: ID }, caller);
    expect(sessions[0]?.snapshot).toMatchObject({ session_id: ID, decisions: [decision] });
    const all = await service.call("history", {}, caller);
    expect(all.sessions[0]?.snapshot.decisions).toEqual([decision]);
    expect(await service.call("resume", { id: ID }, caller)).toMatchObject({
      status: "active",
      decisions: [decision],
    });
  });

  it.each([
    ["a phase", "update", { phase: "executing" }],
    ["an action", "begin_action", { type: "apply" }],
    ["a turn", "record_turn", { input: "go", output: "done" }],
  ] as const)("end when the agent records %s", async (_, operation, fields) => {
    const { service, caller, ask, decide, titles } = await waiting();
    await decide(await ask("First?"));
    await decide(await ask("Second?"), undefined, "rejected");
    expect(await titles()).toEqual(["Second?", "First?"]);
    await service.call(operation, { id: ID, ...fields }, caller);
    expect(await titles()).toEqual([]);
    const { sessions } = await service.call("history", { session_id: ID }, caller);
    expect(sessions[0]?.snapshot).not.toHaveProperty("decisions");
  });

  it("stay when people change the session", async () => {
    const { service, caller, ask, decide, titles } = await waiting();
    await decide(await ask("Apply?"));
    await service.call("resume", { id: ID }, caller);
    await service.call("rename", { id: ID, title: "Move it" }, caller);
    await service.call("suspend", { id: ID }, caller);
    await service.call("fork", { id: ID, session_id: "fork-123" }, caller);
    expect(await titles()).toEqual(["Apply?"]);
    const fork = await service.call("get", { id: "fork-123" }, caller);
    expect(fork.decisions).toMatchObject([{ title: "Apply?" }]);
  });

  it("are the newest ten, with notes of limited length, and are not in lists", async () => {
    const { service, caller, ask, decide, get } = await waiting();
    for (let n = 0; n < 12; n += 1) await decide(await ask(`Question ${n}?`), "n".repeat(5000));
    const found = await get();
    expect(found.map(({ title }) => title)).toEqual(
      Array.from({ length: 10 }, (_, n) => `Question ${11 - n}?`),
    );
    expect(found[0]?.note).toMatch(/^n+ … 3,\d{3} characters hidden … n+$/);
    const { sessions } = await service.call("list", {}, caller);
    expect(sessions[0]).not.toHaveProperty("decisions");
  });
});

describe("decided approvals", () => {
  it("are listed newest first, apart from open ones", async () => {
    const { service, caller, ask, decide } = await waiting();
    const [first, second, open] = [await ask("First?"), await ask("Second?"), await ask("Open?")];
    await service.call("create", { agent_name: "a", session_id: "other-1" }, caller);
    const input = { id: "other-1", title: "Elsewhere?" };
    const other = await service.call("request_approval", input, caller);
    await decide(first, "yes");
    await decide(other.approval_id);
    await decide(second, "no", "rejected");
    const list = async (more: Input<"list_approvals">) =>
      (await service.call("list_approvals", more, caller)).approvals;
    const titles = async (more: Input<"list_approvals">) =>
      (await list(more)).map(({ title }) => title);
    expect(await titles({})).toEqual(["Open?"]);
    expect(await titles({ decided: true })).toEqual(["Second?", "Elsewhere?", "First?"]);
    expect(await titles({ decided: true, id: ID })).toEqual(["Second?", "First?"]);
    expect(await titles({ id: ID })).toEqual(["Open?"]);
    expect(await titles({ id: "other-1" })).toEqual([]);
    expect(await list({ decided: true, limit: 1, id: ID })).toMatchObject([
      { answerable: false, decided: { decision: "rejected", note: "no", by: "person:bob" } },
      { answerable: false, decided: { decision: "approved", note: "yes" } },
    ]);
    const pages = await service.call("list_approvals", { decided: true, limit: 1 }, caller);
    expect(new Set(pages.approvals.map(({ session_id }) => session_id)).size).toBe(1);
    const cursor = pages.next_cursor ?? "";
    const rest = await service.call("list_approvals", { decided: true, limit: 1, cursor }, caller);
    expect(pages.approvals.length + rest.approvals.length).toBe(3);
    expect(await list({ approval_id: first })).toMatchObject([
      { title: "First?", decided: { decision: "approved" } },
    ]);
    expect(await list({ approval_id: open })).toMatchObject([
      { title: "Open?", answerable: true, decided: null },
    ]);
    for (const wrong of [{ approval_id: first.slice(0, 12) }, { approval_id: open, id: "other-1" }])
      await expect(list(wrong)).rejects.toMatchObject({ code: "approval_not_found" });
    await expect(
      service.call("list_approvals", { approval_id: first }, as("eve", "api")),
    ).rejects.toMatchObject({ code: "approval_not_found" });
  });
});

describe("an answer that comes second", () => {
  it("is told which answer counted, and whose it was", async () => {
    const { service, caller, ask, decide } = await waiting();
    const approval_id = await ask("Apply?");
    await decide(approval_id, "not today", "rejected");
    const late = service.call("decide_approval", { approval_id, decision: "approved" }, caller);
    await expect(late).rejects.toMatchObject({
      code: "approval_closed",
      message:
        "This question was already answered: rejected by person:bob through web at 2026-01-08T18:01:00.000Z, with the note: not today",
      details: { approval_id, session_id: ID, decided: { decision: "rejected", by: "person:bob" } },
    });
  });
});

describe("an approval of a shared session", () => {
  it("is shown by its whole id to everyone who sees the session, and only to them", async () => {
    const { service, caller, ask, decide } = await waiting();
    const approval_id = await ask("Apply?");
    await decide(approval_id, "go");
    const eve = as("eve", "api");
    await service.call("add_person", { name: "eve" }, caller);
    const show = () => service.call("list_approvals", { approval_id }, eve);
    await expect(show()).rejects.toMatchObject({ code: "approval_not_found" });
    await service.call("share", { id: ID, with: "eve" }, caller);
    expect((await show()).approvals).toMatchObject([
      { approval_id, session_id: "ann/agent-123", decided: { note: "go", by: "person:bob" } },
    ]);
    await service.call("unshare", { id: ID, with: "eve" }, caller);
    await expect(show()).rejects.toMatchObject({ code: "approval_not_found" });
  });
});

describe("the phase executing", () => {
  it("warns while an approval is open, and is set all the same", async () => {
    const { service, caller, ask, decide } = await waiting();
    const asked = await ask("Apply?");
    const warned = await service.call("update", { id: ID, phase: "executing" }, caller);
    const warnings = ["agent-123 has 1 open approval. Wait for the answer before you execute."];
    expect(warned).toMatchObject({ phase: "executing", warnings });
    const planning = await service.call("update", { id: ID, phase: "planning" }, caller);
    expect(planning).not.toHaveProperty("warnings");
    await decide(asked);
    const decided = await service.call("update", { id: ID, phase: "executing" }, caller);
    expect(decided).not.toHaveProperty("warnings");
  });
});
