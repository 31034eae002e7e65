import { describe, expect, it } from "vitest";
import { as, HOUR, MINUTE, onMemory } from "./on-memory.ts";

describe("sessions", () => {
  it("can be resumed from another interface", async () => {
    const { service, caller } = onMemory();
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    await service.call("record_turn", { id, input: "hello", output: "hi" }, caller);
    const suspended = await service.call("suspend", { id, reason: "api_requested" }, caller);
    expect(suspended).toMatchObject({
      status: "suspended",
      metadata: { suspend_reason: "api_requested" },
    });
    const { checkpoints } = await service.call("list_checkpoints", { id }, caller);
    const saved = await service.call(
      "show_checkpoint",
      { id, name: checkpoints[0]?.name ?? "" },
      caller,
    );
    expect(saved.checkpoint_id).toBe(suspended.checkpoint_id);
    expect(saved.state).toMatchObject({ history: [{ input: "hello", output: "hi" }] });
    const resumed = await service.call("resume", { id }, as("ann", "api"));
    expect(resumed).toMatchObject({ status: "active", interface: "api" });
  });

  it("repeat the first answer to a repeated request, and do it once", async () => {
    const { service, caller } = onMemory();
    const asked = { agent_name: "a", idempotency_key: "k-1" };
    const first = await service.call("create", asked, caller);
    await service.call("update", { id: first.session_id, phase: "planning" }, caller);
    expect(await service.call("create", asked, caller)).toEqual(first);
    const turn = { id: first.session_id, input: "i", output: "o", idempotency_key: "k-2" };
    const recorded = await service.call("record_turn", turn, caller);
    expect(await service.call("record_turn", turn, caller)).toEqual(recorded);
    expect((await service.call("turns", { id: first.session_id }, caller)).turns).toHaveLength(1);
    await expect(
      service.call("record_turn", { ...turn, output: "other" }, caller),
    ).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  it("keep metadata completely that is too large for the head", async () => {
    const { service, caller } = onMemory();
    const findings = Array.from({ length: 200 }, (_, at) => `finding ${at}`);
    const { session_id: id } = await service.call(
      "create",
      { agent_name: "a", metadata: { findings, small: 1 } },
      caller,
    );
    await service.call("update", { id, metadata: { small: 2 } }, caller);
    expect((await service.call("get", { id }, caller)).metadata).toEqual({ findings, small: 2 });
    const forked = await service.call("fork", { id }, caller);
    expect(forked.metadata).toEqual({ findings, small: 2 });
  });

  it("belong to their owner", async () => {
    const { service, caller } = onMemory();
    await service.call("create", { agent_name: "a", session_id: "secret-1" }, caller);
    const bob = as("bob", "cli");
    await expect(service.call("get", { id: "secret-1" }, bob)).rejects.toMatchObject({
      code: "session_not_found",
    });
    expect((await service.call("list", {}, bob)).sessions).toEqual([]);
    await service.call("create", { agent_name: "b", session_id: "secret-1" }, bob);
    expect((await service.call("get", { id: "secret-1" }, caller)).agent_name).toBe("a");
  });

  it("have a task that follows them", async () => {
    const { service, caller } = onMemory();
    await service.call("add_task", { task_id: "T1", title: "Do it", status: "todo" }, caller);
    const statuses: string[] = [];
    const look = async () => {
      const { tasks } = await service.call("list_tasks", {}, caller);
      statuses.push(tasks[0]?.status ?? "");
    };
    await look();
    const made = { agent_name: "a", session_id: "sess-1", task_id: "T1" };
    await service.call("create", made, caller);
    await look();
    await service.call("suspend", { id: "sess-1" }, caller);
    await look();
    await service.call("resume", { id: "sess-1" }, caller);
    await look();
    await service.call("finalize", { id: "sess-1", outcome: "completed" }, caller);
    await look();
    expect(statuses).toEqual(["todo", "running", "suspended", "running", "completed"]);
  });

  it("continue after completion with the next message, in the next run", async () => {
    const { service, caller, advance } = onMemory();
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    advance(HOUR);
    await service.call("finalize", { id, outcome: "completed", summary: "done" }, caller);
    const again = { id, input: "one more", output: "sure" };
    await service.call("record_turn", again, caller);
    expect(await service.call("get", { id }, caller)).toMatchObject({
      status: "active",
      run: 2,
      summary: "done",
      duration: 3600,
    });
  });

  it("are found by a unique prefix", async () => {
    const { service, caller } = onMemory();
    await service.call("create", { agent_name: "a", session_id: "alpha-1" }, caller);
    await service.call("create", { agent_name: "a", session_id: "alpha-2" }, caller);
    expect((await service.call("get", { id: "alpha-1" }, caller)).session_id).toBe("alpha-1");
    await service.call("update", { id: "alpha-2", phase: "planning" }, caller);
    await expect(service.call("get", { id: "alpha" }, caller)).rejects.toMatchObject({
      code: "ambiguous_id",
      details: { matches: expect.arrayContaining(["alpha-1", "alpha-2"]) },
    });
    await service.call("delete", { id: "alpha-2" }, caller);
  });

  it("can be resumed after 29 minutes, and not after 31", async () => {
    const { service, caller, advance } = onMemory();
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    await service.call("update", { id, phase: "approval" }, caller);
    advance(29 * MINUTE);
    expect((await service.call("should_resume", { id }, caller)).should_resume).toBe(true);
    advance(2 * MINUTE);
    expect(await service.call("should_resume", { id }, caller)).toMatchObject({
      should_resume: false,
      reason: "idle_too_long",
    });
  });
});

describe("forks", () => {
  it("share history up to their start", async () => {
    const { service, caller } = onMemory();
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    for (const n of [1, 2, 3]) {
      await service.call("record_turn", { id, input: `q${n}`, output: `a${n}` }, caller);
    }
    const { events } = await service.call("log", { id }, caller);
    const at = events.find((event) => event.data.input === "q2")?.seq ?? 0;
    const fork = await service.call("fork", { id, at }, caller);
    await service.call("record_turn", { id, input: "parent", output: "only" }, caller);
    await service.call(
      "record_turn",
      { id: fork.session_id, input: "child", output: "only" },
      caller,
    );
    const inputs = async (of: string) =>
      (await service.call("turns", { id: of }, caller)).turns.map((turn) => turn.input);
    expect(await inputs(fork.session_id)).toEqual(["q1", "q2", "child"]);
    expect(await inputs(id)).toEqual(["q1", "q2", "q3", "parent"]);
    expect(fork).toMatchObject({ parent_session_id: id, turn_count: 2, status: "created" });
  });

  it("of a closed session are open, and have no unfinished work", async () => {
    const { service, caller } = onMemory();
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    await service.call("begin_action", { id, type: "deploy", effects: "remote" }, caller);
    await service.call("request_approval", { id, title: "Sure?" }, caller);
    const open = await service.call("fork", { id }, caller);
    expect(open).toMatchObject({ open_actions: 0, pending_approvals: 0 });
    await service.call("cancel", { id }, caller);
    const fork = await service.call("fork", { id }, caller);
    await service.call("record_turn", { id: fork.session_id, input: "i", output: "o" }, caller);
    expect((await service.call("get", { id: fork.session_id }, caller)).status).toBe("active");
  });
});

describe("approvals", () => {
  it("suspend the session, have one answer, and are listed over all sessions", async () => {
    const { service, caller } = onMemory();
    await service.call("create", { agent_name: "a", session_id: "sess-1" }, caller);
    const { approval_id } = await service.call(
      "request_approval",
      { id: "sess-1", title: "May I?" },
      caller,
    );
    expect((await service.call("get", { id: "sess-1" }, caller)).status).toBe("suspended");
    expect((await service.call("list_approvals", {}, caller)).approvals).toMatchObject([
      { approval_id, title: "May I?", session_id: "sess-1" },
    ]);
    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, (_, at) =>
        service.call(
          "decide_approval",
          { approval_id, decision: at % 2 === 0 ? "approved" : "rejected" },
          caller,
        ),
      ),
    );
    expect(answers.filter((answer) => answer.status === "fulfilled")).toHaveLength(1);
    expect((await service.call("list_approvals", {}, caller)).approvals).toEqual([]);
  });
});
