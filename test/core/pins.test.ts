import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { SESSION_EVENTS, TASK_EVENTS } from "../../src/contract/events.ts";
import { Session } from "../../src/contract/session.ts";
import { decideSession } from "../../src/core/decide-session.ts";
import { isRefusal } from "../../src/core/decision.ts";
import { viewSession } from "../../src/core/view-session.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { MINUTE, NO_LOG, play, type SessionLog, START, undriven } from "./session-log.ts";

// Frozen shapes. Logs that were written with them exist: a change here needs an upcaster, not a new literal.

type Pin = readonly [from: SessionLog, command: SessionCommand, facts: readonly object[]];

const PINS: readonly Pin[] = [
  [
    NO_LOG,
    EXAMPLE.create,
    [
      {
        type: "session.created",
        data: {
          session_id: "agent-20260108-180530-abc12345",
          entity_id: "019b9f00-0000-7000-8000-000000000001",
          owner: "local",
          agent_name: "terraform-architect",
          interface: "cli",
          purpose: "approval_workflow",
          title: null,
          project: { cwd: "/srv/infra", repo: "infra", branch: "main" },
          task_id: "T001",
          metadata: { tags: ["terraform", "infrastructure"] },
          supports_resume: false,
          observed: false,
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.fork,
    [
      {
        type: "session.forked",
        data: {
          session_id: "agent-20260108-190000-def67890",
          entity_id: "019b9f00-0000-7000-8000-000000000002",
          owner: "local",
          interface: "api",
          title: "another way",
          parent: {
            session_id: "agent-20260108-180530-abc12345",
            entity_id: "019b9f00-0000-7000-8000-000000000001",
            seq: 1,
          },
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.annotate,
    [{ type: "session.updated", data: { metadata: { findings: ["issue A"] } } }],
  ],
  [
    sessionIn("active"),
    EXAMPLE.set_resume_ready,
    [{ type: "session.updated", data: { resume_ready: false } }],
  ],
  [
    sessionIn("active"),
    EXAMPLE.rename,
    [{ type: "session.renamed", data: { title: "a better name" } }],
  ],
  [sessionIn("active"), EXAMPLE.pin, [{ type: "session.pinned", data: {} }]],
  [
    play(sessionIn("active"), [EXAMPLE.pin]),
    EXAMPLE.unpin,
    [{ type: "session.unpinned", data: {} }],
  ],
  [
    sessionIn("created"),
    EXAMPLE.set_phase,
    [
      { type: "session.activated", data: {} },
      { type: "phase.changed", data: { from: "initializing", to: "planning" } },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.suspend,
    [
      {
        type: "session.suspended",
        data: { reason: "user_requested", checkpoint_id: "checkpoint-1" },
      },
    ],
  ],
  [
    sessionIn("suspended"),
    EXAMPLE.resume,
    [{ type: "session.resumed", data: { interface: "api" } }],
  ],
  [
    sessionIn("completed"),
    EXAMPLE.send_message,
    [
      { type: "session.continued", data: { interface: "cli" } },
      { type: "phase.changed", data: { from: "completed", to: "initializing" } },
      { type: "message.queued", data: { turn_id: "turn-new", content: "go on" } },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.finalize,
    [
      { type: "phase.changed", data: { from: "investigating", to: "completed" } },
      { type: "session.completed", data: { summary: "applied", duration_ms: 0 } },
    ],
  ],
  [
    sessionIn("active"),
    { type: "finalize", outcome: "failed", summary: null, error: "out of disk" },
    [
      { type: "phase.changed", data: { from: "investigating", to: "failed" } },
      { type: "session.failed", data: { summary: null, duration_ms: 0, error: "out of disk" } },
    ],
  ],
  [
    sessionIn("active"),
    { type: "finalize", outcome: "abandoned", summary: null, error: null },
    [
      { type: "phase.changed", data: { from: "investigating", to: "abandoned" } },
      { type: "session.cancelled", data: { summary: null, duration_ms: 0 } },
    ],
  ],
  [sessionIn("completed"), EXAMPLE.archive, [{ type: "session.archived", data: {} }]],
  [
    sessionIn("active"),
    EXAMPLE.delete,
    [
      {
        type: "session.deleted",
        data: { reason: "user_requested", purge_at: 1_800_000_000_000 },
      },
    ],
  ],
  [
    play(sessionIn("active"), [EXAMPLE.delete]),
    EXAMPLE.undelete,
    [{ type: "session.undeleted", data: {} }],
  ],
  [
    sessionIn("active"),
    EXAMPLE.record_error,
    [{ type: "error.recorded", data: { error: "plan failed" } }],
  ],
  [
    sessionIn("active"),
    EXAMPLE.start_turn,
    [{ type: "turn.started", data: { turn_id: "turn-next", content: "hello" } }],
  ],
  [
    working(),
    EXAMPLE.append_part,
    [
      {
        type: "turn.part",
        data: { turn_id: "turn-1", item: 0, kind: "message", offset: 0, text: "I will" },
      },
    ],
  ],
  [
    working(),
    EXAMPLE.end_turn,
    [
      {
        type: "turn.ended",
        data: {
          turn_id: "turn-1",
          outcome: "completed",
          error: null,
          usage: { input_tokens: 1, output_tokens: 2, cost_usd: 0.25 },
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.record_turn,
    [
      {
        type: "turn.recorded",
        data: {
          turn_id: "turn-whole",
          input: "why?",
          output: "because",
          usage: { input_tokens: 10, output_tokens: 20, cost_usd: 0.5 },
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.note_agent_stopped,
    [{ type: "agent.stopped", data: { reason: "subagent_stop" } }],
  ],
  [working(), EXAMPLE.interrupt, [{ type: "interrupt.requested", data: {} }]],
  [
    sessionIn("active"),
    EXAMPLE.begin_action,
    [
      {
        type: "action.started",
        data: {
          action_id: "action-new",
          turn_id: null,
          type: "terraform_apply",
          effects: "remote",
          idempotent: false,
          idempotency_key: null,
          detachable: false,
          orphanable: false,
          rollback: [{ title: "destroy", command: "terraform destroy" }],
          process: null,
          details: { workspace_id: "W-1" },
        },
      },
    ],
  ],
  [
    working(),
    EXAMPLE.complete_action,
    [
      {
        type: "action.completed",
        data: {
          action_id: "action-1",
          status: "completed",
          result: "success",
          details: { added: 3 },
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.save_checkpoint,
    [
      {
        type: "checkpoint.saved",
        data: {
          checkpoint_id: "checkpoint-2",
          name: "spec_complete",
          state: { feature_unit_id: "FU-061" },
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.restore_checkpoint,
    [
      {
        type: "checkpoint.restored",
        data: { checkpoint_id: "checkpoint-2", name: "spec_complete" },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.request_approval,
    [
      {
        type: "approval.requested",
        data: {
          approval_id: "approval-new",
          kind: "question",
          title: "apply?",
          body: "3 to add",
          action_id: null,
          awaited: false,
          expires_at: null,
        },
      },
      { type: "phase.changed", data: { from: "investigating", to: "approval" } },
      { type: "session.suspended", data: { reason: "approval", checkpoint_id: null } },
    ],
  ],
  [
    working(),
    EXAMPLE.decide_approval,
    [
      {
        type: "approval.decided",
        data: { approval_id: "approval-1", decision: "approved", note: "go" },
      },
      { type: "phase.changed", data: { from: "approval", to: "executing" } },
    ],
  ],
  [
    working(),
    EXAMPLE.expire_approval,
    [{ type: "approval.expired", data: { approval_id: "approval-1", reason: "interrupted" } }],
  ],
  [
    sessionIn("active"),
    EXAMPLE.observe,
    [
      {
        type: "observation.submitted",
        data: {
          session_id: "agent-20260108-180530-abc12345",
          actions: [{ type: "run_tests", result: "passed" }],
          started_at: "2026-01-08T18:05:30Z",
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.record_outcome,
    [
      {
        type: "outcome.recorded",
        data: {
          type: "feature_unit_created",
          id: "FU-061",
          details: { description: "Add sources table" },
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.record_artifact,
    [
      {
        type: "artifact.recorded",
        data: {
          artifact_id: "artifact-1",
          name: "plan.txt",
          uri: "file:///srv/infra/plan.txt",
          media_type: "text/plain",
          details: {},
        },
      },
    ],
  ],
];

describe("the events of a command are, to the letter,", () => {
  it.each(PINS.map(([from, command, facts]) => ({ type: command.type, from, command, facts })))(
    "those of $type",
    ({ from, command, facts }) => {
      const verdict = decideSession(command, from.head, undriven());
      if (isRefusal(verdict)) throw new Error(verdict.message);
      expect(JSON.parse(JSON.stringify(verdict))).toStrictEqual(facts);
      for (const { type, data } of verdict) {
        expect(SESSION_EVENTS[type].parse(data)).toStrictEqual(data);
      }
    },
  );

  it("of every kind there is", () => {
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

it("a session as every door shows it", () => {
  const log = play(working(), [EXAMPLE.record_error, EXAMPLE.suspend], START + MINUTE);
  const view = viewSession(log.head, log.seq, { tags: ["terraform"] }, "belay run");
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

it("a session that has ended shows when, how long and what came of it", () => {
  const log = play(sessionIn("active"), [EXAMPLE.finalize], START + MINUTE);
  expect(viewSession(log.head, log.seq, {}, null)).toMatchObject({
    status: "completed",
    ended_at: "2026-01-08T18:06:30.000Z",
    duration: 60,
    summary: "applied",
    resume_ready: false,
  });
});
