import { describe, expect, it } from "vitest";
import { SESSION_EVENTS, TASK_EVENTS } from "../../src/contract/events.ts";
import { Session } from "../../src/contract/session.ts";
import { decideSession } from "../../src/core/session/decide-session.ts";
import { isRefusal } from "../../src/core/session/decision.ts";
import { viewSession } from "../../src/core/view/view-session.ts";
import { EXAMPLE } from "./example-command.ts";
import { PINS } from "./pinned-facts.ts";
import { sessionIn, working } from "./session-in.ts";
import { contextOf, MINUTE, NO_LOG, play, START } from "./session-log.ts";

// Frozen shapes, like those of pinned-facts.ts.

describe("the events of a command are, to the letter,", () => {
  it.each(PINS.map(([from, command, facts]) => ({ type: command.type, from, command, facts })))(
    "those of $type",
    ({ from, command, facts }) => {
      const verdict = decideSession(command, from.head, contextOf(command));
      if (isRefusal(verdict)) throw new Error(verdict.message);
      expect(JSON.parse(JSON.stringify(verdict))).toStrictEqual(facts);
      for (const { type, data } of verdict) {
        expect(SESSION_EVENTS[type].parse(data)).toStrictEqual(data);
      }
    },
  );

  it("of every kind", () => {
    const pinned = PINS.flatMap(([, , facts]) => facts.map((fact) => JSON.stringify(fact)));
    const missing = Object.keys(SESSION_EVENTS).filter(
      (type) => !pinned.some((fact) => fact.startsWith(`{"type":"${type}"`)),
    );
    expect(missing).toEqual([]);
  });
});

describe("the events of a task are", () => {
  it.each([
    [
      "task.created",
      {
        task_id: "T001",
        entity_id: "019b9f00-0000-7000-8000-000000000009",
        owner: "local",
        title: "agent:terraform-architect",
        source: "cli",
        status: "running",
        priority: null,
        est_hours: null,
        added_at: null,
      },
    ],
    ["task.updated", { title: "t", status: "completed", priority: "high", est_hours: 2 }],
    ["task.updated", {}],
    ["task.followed", { session_id: "agent-20260108-180530-abc12345", status: "suspended" }],
  ] as const)("%s", (type, data) => {
    expect(TASK_EVENTS[type].parse(data)).toStrictEqual(data);
  });
});

it("an event in a log carries its place, time and origin beside its body", () => {
  expect(play(NO_LOG, [EXAMPLE.create, EXAMPLE.pin]).events[1]).toStrictEqual({
    type: "session.pinned",
    data: {},
    seq: 2,
    at: 1767895530000,
    actor: "ada",
    interface: "cli",
    trace_id: null,
  });
});

const BELAY_RUN = { live: true, epoch: 1, holder: { name: "belay run" } };

it("a session has this form at every door", () => {
  const log = play(working(), [EXAMPLE.record_error, EXAMPLE.suspend], START + MINUTE);
  const view = viewSession(
    log.head,
    log.seq,
    { tags: ["terraform"] },
    BELAY_RUN,
    log.head.updated_at,
  );
  expect(view).toStrictEqual({
    session_id: "agent-20260108-180530-abc12345",
    agent_id: "agent-20260108-180530-abc12345",
    entity_id: "019b9f00-0000-7000-8000-000000000001",
    agent_name: "terraform-architect",
    interface: "cli",
    owner: "local",
    purpose: "approval_workflow",
    title: null,
    project: { cwd: "/srv/infra", repo: "infra", branch: "main" },
    task_id: "T001",
    status: "suspended",
    state: "suspended",
    display_status: "suspended",
    activity: "needs_you",
    phase: "approval",
    run: 1,
    created_at: "2026-01-08T18:05:30.000Z",
    updated_at: "2026-01-08T18:06:30.000Z",
    last_updated: "2026-01-08T18:06:30.000Z",
    ended_at: null,
    duration: null,
    summary: null,
    metadata: { tags: ["terraform"], suspend_reason: "user_requested" },
    checkpoint_id: "checkpoint-1",
    parent_session_id: null,
    supports_resume: false,
    resume_ready: true,
    error_count: 1,
    expires_at: null,
    last_error: "plan failed",
    history: [
      {
        from_phase: "initializing",
        to_phase: "investigating",
        timestamp: "2026-01-08T18:05:30.000Z",
      },
      {
        from_phase: "investigating",
        to_phase: "approval",
        timestamp: "2026-01-08T18:05:30.000Z",
      },
    ],
    turn_count: 1,
    suspended_until: null,
    stale: false,
    recovery: null,
    queued_messages: 1,
    queue_position: null,
    open_actions: 1,
    pending_approvals: 1,
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    pinned: false,
    deleted_at: null,
    driver: "belay run",
    version: log.seq,
  });
  expect(Session.parse(view)).toStrictEqual(view);
});

it("a session that has ended shows its end, duration and outcome", () => {
  const log = play(sessionIn("active"), [EXAMPLE.finalize], START + MINUTE);
  expect(viewSession(log.head, log.seq, {}, null, log.head.updated_at)).toMatchObject({
    status: "completed",
    ended_at: "2026-01-08T18:06:30.000Z",
    duration: 60,
    summary: "applied",
    resume_ready: false,
  });
});
