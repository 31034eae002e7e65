import type { SessionCommand } from "../../src/contract/commands.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { NO_LOG, play, type SessionLog } from "./session-log.ts";

// Frozen shapes. Logs with these shapes exist, so a change needs an upcaster, not a new literal.

/** A command on a session, and the exact facts it leads to. */
export type Pin = readonly [from: SessionLog, command: SessionCommand, facts: readonly object[]];

export const PINS: readonly Pin[] = [
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
    EXAMPLE.merge,
    [
      {
        type: "session.merged",
        data: {
          from: {
            session_id: "agent-20260108-190000-def67890",
            entity_id: "019b9f00-0000-7000-8000-000000000002",
            after: 1,
            to: 7,
          },
          covers: [
            {
              session_id: "agent-20260108-190000-def67890",
              entity_id: "019b9f00-0000-7000-8000-000000000002",
              after: 1,
              to: 7,
            },
          ],
          turns: 2,
          actions: 1,
          conflicts: [{ kind: "metadata", name: "tags", taken: "ours", other: ["b"] }],
          metadata: { findings: ["issue B"] },
          checkpoints: [{ key: "green", row: { checkpoint_id: "c-1", name: "green", saved: 5 } }],
          artifacts: [{ artifact_id: "a-1", name: "plan.md" }],
          outcomes: [{ key: null, row: { type: "released" } }],
          summary: "another way worked",
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.handoff,
    [
      {
        type: "session.handed_off",
        data: { from: "terraform-architect", to: "codex", agent: null },
      },
    ],
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
    sessionIn("active"),
    EXAMPLE.share,
    [{ type: "session.shared", data: { person: "bob", role: "viewer", until: null } }],
  ],
  [sessionIn("active"), EXAMPLE.unshare, [{ type: "session.unshared", data: { person: "bob" } }]],
  [
    sessionIn("active"),
    EXAMPLE.set_expiry,
    [{ type: "session.expiry_set", data: { expires_at: 1_800_000_000_000 } }],
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
    [{ type: "session.undeleted", data: { quiet: true } }],
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
    EXAMPLE.note_agent_started,
    [
      {
        type: "agent.started",
        data: {
          agent_session_id: "0c1d-own",
          way: "new",
          process: {
            pid: 4242,
            start_time: 123456,
            boot_id: "8e7f0000-0000-4000-8000-000000000000",
            cmd: "demo",
            stdout_path: null,
            stderr_path: null,
          },
          reopens: true,
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.note_recovered,
    [
      {
        type: "session.recovered",
        data: {
          status: "manual-review",
          steps: [{ action_id: "action-1", type: "deploy", title: "deploy v2", step: "ask" }],
          next_step: null,
        },
      },
    ],
  ],
  [
    sessionIn("active"),
    EXAMPLE.note_imported,
    [
      {
        type: "session.imported",
        data: {
          source: "claude-code",
          conversation_id: "0f5c2b52-8f4e-4c7e-9a55-1f7ad0a3f001",
          turns: 2,
          turn_id: "0f5c2b52-8f4e-4c7e-9a55-1f7ad0a3f002",
          items: 5,
          agent_session_id: "0f5c2b52-8f4e-4c7e-9a55-1f7ad0a3f001",
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
    EXAMPLE.describe_action,
    [
      {
        type: "action.described",
        data: { action_id: "action-1", details: { title: "deploy v2 to production" } },
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
          replaces: true,
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
