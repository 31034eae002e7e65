import { describe, expect, it } from "vitest";
import type { Status } from "../../src/contract/vocabulary.ts";
import { planResume, type ResumeEvidence } from "../../src/core/resume/plan-resume.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { type LiveLog, NO_LOG, play } from "./session-log.ts";

const alone: ResumeEvidence = { driver: null, reopen: null, cwd_exists: true, context_bytes: 1200 };

/** A session of this status with a conversation. */
function spoken(status: Status): LiveLog {
  const log = play(NO_LOG, [EXAMPLE.create, EXAMPLE.record_turn]);
  switch (status) {
    case "suspended":
      return play(log, [EXAMPLE.suspend]);
    case "completed":
      return play(log, [EXAMPLE.finalize]);
    case "failed":
      return play(log, [{ ...EXAMPLE.finalize, outcome: "failed" }]);
    case "cancelled":
      return play(log, [{ ...EXAMPLE.finalize, outcome: "abandoned" }]);
    case "archived":
      return play(log, [EXAMPLE.archive]);
    default:
      return log;
  }
}

describe("the plan to resume a session", () => {
  it.each<[Status, string]>([
    ["active", "replay"],
    ["suspended", "replay"],
    ["completed", "continue"],
    ["failed", "fork"],
    ["cancelled", "fork"],
    ["archived", "fork"],
  ])("that is %s: %s", (status, way) => {
    expect(planResume(spoken(status).head, alone).way).toBe(way);
  });

  it.each(["resume", "load"] as const)("is %s if the agent supports it", (reopen) => {
    expect(planResume(spoken("suspended").head, { ...alone, reopen }).way).toBe(reopen);
  });

  it("is a fresh start if the session has no turns", () => {
    expect(planResume(sessionIn("created").head, alone).way).toBe("fresh");
  });

  it("is to attach to a live driver, which it names", () => {
    const plan = planResume(spoken("active").head, {
      ...alone,
      driver: "belay run",
      reopen: "load",
    });
    expect(plan).toMatchObject({ way: "attach", why: "belay run runs it now" });
  });

  it("lists questions, unknown outcomes, a moved folder and sizes", () => {
    const log = play(working(), [
      { ...EXAMPLE.begin_action, action_id: "action-local", effects: "local" },
      { ...EXAMPLE.begin_action, action_id: "action-unknown", effects: "unknown" },
    ]);
    expect(planResume(log.head, { ...alone, cwd_exists: false }).found).toEqual({
      driver: null,
      pending_approvals: ["approval-1"],
      unknown_outcomes: ["action-1", "action-unknown"],
      cwd_moved: true,
      turns: 1,
      context_bytes: 1200,
    });
  });

  it("reports no moved folder if the session has none", () => {
    const { head } = play(NO_LOG, [{ ...EXAMPLE.create, project: null }]);
    expect(planResume(head, { ...alone, cwd_exists: false }).found.cwd_moved).toBe(false);
  });
});
