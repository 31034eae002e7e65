import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import type { Span } from "../../src/contract/past.ts";
import { isSessionHead } from "../../src/core/session/known-events.ts";
import { applySessionFacts } from "../../src/core/session/run-commands.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { newId } from "../../src/service/new-id.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { cpuTimeOf } from "../cpu-time.ts";
import { as, HOUR, MINUTE, onMemory, START } from "./on-memory.ts";

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

describe("the spans of a session", () => {
  it("include phases, turns, actions, questions and checkpoints with start and end", async () => {
    const { service, caller, advance } = onMemory();
    const id = "drawn-1";
    await service.call("create", { agent_name: "a", session_id: id, title: "Drawn" }, caller);
    advance(MINUTE);
    await service.call("update", { id, phase: "executing" }, caller);
    const input = `look\n  into ${"it ".repeat(50)}`;
    await service.call("record_turn", { id, turn_id: "t-1", input, output: "o" }, caller);
    const action = { id, action_id: "x-1", type: "deploy", effects: "remote" };
    await service.call("begin_action", { ...action, details: { title: "deploy v2" } }, caller);
    advance(MINUTE);
    await service.call("complete_action", { id, action_id: "x-1" }, caller);
    await service.call("begin_action", { id, action_id: "x-2", type: "wait" }, caller);
    await service.call("save_checkpoint", { id, name: "half", state: {} }, caller);
    const { approval_id } = await service.call("request_approval", { id, title: "Go?" }, caller);
    advance(MINUTE);
    await service.call("decide_approval", { approval_id, decision: "approved" }, caller);

    const { sessions, more } = await service.call("spans", { entity_id: id }, caller);
    expect(more).toBe(false);
    expect(sessions).toMatchObject([
      { session_id: id, title: "Drawn", status: "suspended", ended_at: null, earlier: null },
    ]);
    const spans = sessions[0]?.spans ?? [];
    const t = (minutes: number) => new Date(START + minutes * MINUTE).toISOString();
    expect(spans.map(({ kind, name, status, from, to }) => [kind, name, status, from, to])).toEqual(
      [
        ["phase", "initializing", null, t(0), t(1)],
        ["phase", "executing", null, t(1), t(2)],
        ["turn", expect.stringMatching(/^look into it it .*…$/), "completed", t(1), t(1)],
        ["action", "deploy v2", "completed", t(1), t(2)],
        ["action", "wait", "started", t(2), null],
        ["checkpoint", "half", null, t(2), t(2)],
        ["approval", "Go?", "approved", t(2), t(3)],
        ["phase", "approval", null, t(2), null],
      ],
    );
    expect(spans[2]?.name).toHaveLength(80);
    expect(of(spans, "turn")).toMatchObject([{ turn_id: "t-1", effects: null }]);
    expect(of(spans, "action").map(({ effects }) => effects)).toEqual(["remote", "unknown"]);
    const { events } = await service.call("log", { id, limit: 100 }, caller);
    const opening = { turn: "turn.recorded", action: "action.started", approval: "approval.req" };
    for (const [kind, type] of Object.entries(opening)) {
      for (const { seq } of spans.filter((span) => span.kind === kind)) {
        expect(events[seq - 1]?.type).toContain(type);
      }
    }
  });

  it("mark interrupted actions that may have changed something", async () => {
    const { service, caller } = onMemory();
    const id = "cut-1";
    await service.call("create", { agent_name: "a", session_id: id }, caller);
    for (const effects of ["none", "local", "remote", "unknown"]) {
      await service.call("begin_action", { id, type: effects, effects }, caller);
    }
    await service.call("cancel", { id }, caller);
    const spans = await spansOf(service, caller, id);
    expect(of(spans, "action").map(({ name, unknown }) => [name, unknown])).toEqual([
      ["none", false],
      ["local", false],
      ["remote", true],
      ["unknown", true],
    ]);
    expect(of(spans, "phase").at(-1)).toMatchObject({ name: "abandoned" });
    expect(spans.filter(({ to }) => to === null)).toEqual([]);
  });

  it("come in pages, each once, with the phase and process at the start of the page", async () => {
    const lab = onMemory();
    const { service, caller, advance } = lab;
    const id = "paged-1";
    await service.call("create", { agent_name: "a", session_id: id }, caller);
    await service.call("update", { id, phase: "executing" }, caller);
    await startAgent(lab, id);
    for (let n = 1; n <= 25; n += 1) {
      advance(MINUTE);
      await service.call("record_turn", { id, input: `turn ${n}`, output: "" }, caller);
      if (n % 5 === 0) await service.call("save_checkpoint", { id, name: `c ${n}` }, caller);
    }
    const pages: Span[][] = [];
    let before: number | null | undefined;
    while (before !== null) {
      const query = { entity_id: id, limit: 10, ...(before !== undefined && { before }) };
      const [session] = (await service.call("spans", query, caller)).sessions;
      if (!session) throw new Error("the session is gone");
      pages.push(session.spans);
      before = session.earlier;
    }
    expect(pages).toHaveLength(3);
    for (const page of pages) {
      expect(of(page, "phase").at(-1)).toMatchObject({ name: "executing", to: null });
      expect(of(page, "life")).toMatchObject([{ name: "new", to: null, status: "started" }]);
    }
    const paged = pages.toReversed().flat();
    const whole = await spansOf(service, caller, id);
    for (const kind of ["turn", "checkpoint"] as const) {
      expect(of(paged, kind)).toEqual(of(whole, kind));
    }
    expect(of(whole, "turn")).toHaveLength(25);
    expect(of(whole, "phase").map(({ name }) => name)).toEqual(["initializing", "executing"]);
  });

  it("of an outside agent have its own times", async () => {
    const { service, caller } = onMemory();
    const action = { type: "commit", result: "success", timestamp: "2025-12-31T13:30:00+02:00" };
    const observed = {
      session_id: "outside-1",
      actions: [action, { type: "untimed", result: "success" }],
      checkpoints: [{ name: "tested", timestamp: "2025-12-31T11:45:00Z" }],
      started_at: "2025-12-31T11:00:00Z",
      ended_at: "2025-12-31T12:00:00Z",
    };
    await service.call("submit_observation", observed, caller);
    const answer = await service.call("spans", { entity_id: "outside-1" }, caller);
    expect(answer.sessions).toMatchObject([
      {
        created_at: "2025-12-31T11:00:00.000Z",
        ended_at: "2025-12-31T12:00:00.000Z",
        spans: [
          { kind: "action", name: "commit", from: "2025-12-31T11:30:00.000Z", status: "success" },
          { kind: "checkpoint", name: "tested", to: "2025-12-31T11:45:00.000Z" },
        ],
      },
    ]);
    const ended = { entity_id: "outside-1", start_date: "2026-01-01" };
    expect((await service.call("spans", ended, caller)).sessions).toEqual([]);
  });

  it("of a fork start with those of its parent, without unfinished work", async () => {
    const lab = onMemory();
    const { service, caller, advance } = lab;
    await service.call("create", { agent_name: "a", session_id: "parent-1" }, caller);
    await service.call("update", { id: "parent-1", phase: "planning" }, caller);
    await startAgent(lab, "parent-1");
    await service.call("begin_action", { id: "parent-1", type: "deploy" }, caller);
    advance(HOUR);
    await service.call("fork", { id: "parent-1", session_id: "child-1" }, caller);
    const spans = await spansOf(service, caller, "child-1");
    const forked = new Date(START + HOUR).toISOString();
    expect(spans.map(({ kind, name, status, to }) => [kind, name, status, to])).toEqual([
      ["phase", "planning", null, forked],
      ["life", "new", "dropped", forked],
      ["action", "deploy", "dropped", forked],
      ["phase", "initializing", null, null],
    ]);
    expect(of(await spansOf(service, caller, "parent-1"), "life")).toMatchObject([{ to: null }]);
  });

  it("end a process with its session if its end was not recorded", async () => {
    const lab = onMemory();
    const { service, caller, advance } = lab;
    await service.call("create", { agent_name: "a", session_id: "given-up" }, caller);
    await startAgent(lab, "given-up");
    advance(HOUR);
    await service.call("cancel", { id: "given-up" }, caller);
    const [life] = of(await spansOf(service, caller, "given-up"), "life");
    expect(life?.to).toBe(new Date(START + HOUR).toISOString());
  });
});

describe("the spans of an entity", () => {
  it("are those of its newest 50 sessions, of one owner", async () => {
    const { service, caller, advance } = onMemory();
    for (let n = 1; n <= 51; n += 1) {
      advance(MINUTE);
      const session_id = `served-${n}`;
      await service.call("create", { agent_name: "a", session_id, task_id: "T-9" }, caller);
    }
    const { sessions, more } = await service.call("spans", { entity_id: "T-9" }, caller);
    expect(more).toBe(true);
    expect(sessions).toHaveLength(50);
    expect(sessions[0]?.session_id).toBe("served-51");
    expect(sessions.at(-1)?.session_id).toBe("served-2");
    const bobs = await service.call("spans", { entity_id: "T-9" }, as("bob", "cli"));
    expect(bobs).toEqual({ entity_id: "T-9", more: false, sessions: [] });
  });

  it("are those of the session itself if a position in its log is given", async () => {
    const { service, caller } = onMemory();
    await service.call("create", { agent_name: "a", session_id: "both-1" }, caller);
    await service.call("create", { agent_name: "a", session_id: "other-1" }, caller);
    const details = { session_id: "both-1" };
    await service.call("begin_action", { id: "other-1", type: "look", details }, caller);
    const all = await service.call("spans", { entity_id: "both-1" }, caller);
    expect(all.sessions).toHaveLength(2);
    const one = await service.call("spans", { entity_id: "both-1", before: 9 }, caller);
    expect(one.sessions.map(({ session_id }) => session_id)).toEqual(["both-1"]);
  });
});

describe("a session of 5,000 turns", () => {
  it("returns a page without reading the rest, and verifies", async () => {
    const home = mkdtempSync(join(tmpdir(), "belay-spans-"));
    homes.push(home);
    const store = await openSqliteStore({ folder: home, isAlive: () => true });
    let now = START;
    const service = createService({ store, now: () => ++now, newId });
    const caller = as("ann", "cli");
    const id = "long-1";
    await service.call("create", { agent_name: "a", session_id: id }, caller);
    for (let n = 0; n < 5000; n += 50) {
      const turns = Array.from({ length: 50 }, (_, m) =>
        service.call(
          "record_turn",
          { id, input: `turn ${n + m}`, output: "o".repeat(200) },
          caller,
        ),
      );
      await Promise.all(turns);
    }
    const times: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const took = await cpuTimeOf(async () => {
        const { sessions } = await service.call("spans", { entity_id: id }, caller);
        expect(of(sessions[0]?.spans ?? [], "turn")).toHaveLength(500);
        expect(sessions[0]?.earlier).toBeGreaterThan(4000);
      });
      times.push(took);
    }
    const median = times.toSorted((a, b) => a - b)[4] ?? 0;
    expect(median).toBeLessThan(250);
    expect((await createMaintenance(store).verify()).findings).toEqual([]);
    await store.close();
  });
});

type Lab = ReturnType<typeof onMemory>;

async function spansOf(service: Lab["service"], caller: Lab["caller"], entity_id: string) {
  return (await service.call("spans", { entity_id }, caller)).sessions[0]?.spans ?? [];
}

function of(spans: readonly Span[], kind: Span["kind"]): Span[] {
  return spans.filter((span) => span.kind === kind);
}

/** As a driver records it; the process does not exist here. */
async function startAgent({ store }: Lab, key: string): Promise<void> {
  const process = { pid: 4242, start_time: 1, boot_id: "b", cmd: "demo" };
  const data = {
    agent_session_id: "own",
    way: "new",
    process: { ...process, stdout_path: null, stderr_path: null },
    reopens: true,
  } as const;
  await store.transact({
    streams: [{ kind: "session", owner: "ann", key }],
    decide: ({ streams: [stream] }) => {
      if (!stream || !isSessionHead(stream.head)) throw new Error(`${key} is not there`);
      const origin = { at: START, actor: "driver", interface: "cli", trace_id: null };
      const from = { head: stream.head, seq: stream.seq };
      const applied = applySessionFacts(from, [{ type: "agent.started", data }], origin);
      if (!applied) throw new Error("nothing came of it");
      return { appends: [{ id: stream.id, ...applied }] };
    },
  });
}
