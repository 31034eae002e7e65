import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { RESUME_POLICY } from "../../src/contract/limits.ts";
import type { Phase, Status } from "../../src/contract/vocabulary.ts";
import { mayDriveWaiting, shouldResume } from "../../src/core/resume/should-resume.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { type LiveLog, MINUTE, NO_LOG, play, SECOND, START } from "./session-log.ts";

const error: SessionCommand = { type: "record_error", error: "timed out" };
const setPhase = (phase: Phase): SessionCommand => ({ type: "set_phase", phase, summary: null });

/** A session that meets all five conditions, changed by `commands`. */
function resumable(...commands: SessionCommand[]): LiveLog {
  return play(NO_LOG, [EXAMPLE.create, setPhase("approval"), ...commands]);
}

function ask(log: LiveLog, idle = 0) {
  return shouldResume(log.head, log.head.updated_at + idle, RESUME_POLICY);
}

function answer(log: LiveLog, idle = 0) {
  const { should_resume, reason } = ask(log, idle);
  return [should_resume, reason];
}

describe("a session may be picked up automatically", () => {
  it.each<[Phase, boolean, string]>([
    ["initializing", false, "phase_not_resumable"],
    ["investigating", true, "session_resumable"],
    ["planning", true, "session_resumable"],
    ["approval", true, "session_resumable"],
    ["executing", false, "phase_not_resumable"],
    ["validating", false, "phase_not_resumable"],
    ["completed", false, "not_resume_ready"],
    ["failed", false, "not_resume_ready"],
    ["abandoned", false, "not_resume_ready"],
  ])("in phase %s: %s, %s", (phase, should, reason) => {
    const log = play(NO_LOG, [EXAMPLE.create, setPhase(phase)]);
    expect(log.head.phase).toBe(phase);
    expect(answer(log)).toEqual([should, reason]);
  });

  it.each<[string, number, boolean, string]>([
    ["at once", 0, true, "session_resumable"],
    ["after 29:59", 29 * MINUTE + 59 * SECOND, true, "session_resumable"],
    ["after 29:59.999", 30 * MINUTE - 1, true, "session_resumable"],
    ["after 30:00", 30 * MINUTE, false, "idle_too_long"],
    ["after a day", 24 * 60 * MINUTE, false, "idle_too_long"],
    ["by a clock that runs a minute behind", -MINUTE, true, "session_resumable"],
  ])("%s idle", (_, idle, should, reason) => {
    expect(answer(resumable(), idle)).toEqual([should, reason]);
  });

  it.each([
    [0, true, "session_resumable"],
    [1, true, "session_resumable"],
    [2, true, "session_resumable"],
    [3, false, "too_many_errors"],
    [4, false, "too_many_errors"],
  ])("after %i errors: %s, %s", (errors, should, reason) => {
    expect(answer(resumable(...Array.from({ length: errors }, () => error)))).toEqual([
      should,
      reason,
    ]);
  });

  it.each<[Status, boolean, string]>([
    ["created", false, "phase_not_resumable"],
    ["active", true, "session_resumable"],
    ["suspended", true, "session_resumable"],
    ["completed", false, "not_resume_ready"],
    ["failed", false, "not_resume_ready"],
    ["cancelled", false, "not_resume_ready"],
    ["archived", false, "not_resume_ready"],
  ])("in status %s: %s, %s", (status, should, reason) => {
    expect(answer(sessionIn(status))).toEqual([should, reason]);
  });

  it("unless it is marked as not ready", () => {
    expect(answer(resumable({ type: "set_resume_ready", resume_ready: false }))).toEqual([
      false,
      "not_resume_ready",
    ]);
  });

  it("once it is marked as ready again", () => {
    const ready = (resume_ready: boolean): SessionCommand => ({
      type: "set_resume_ready",
      resume_ready,
    });
    expect(answer(resumable(ready(false), ready(true)))).toEqual([true, "session_resumable"]);
  });

  it("not while it is in the trash", () => {
    expect(answer(resumable(EXAMPLE.delete))).toEqual([false, "not_resume_ready"]);
  });

  it("up to the limit of failed turns and recorded errors", () => {
    const failedTurn = (turn_id: string): SessionCommand[] => [
      { type: "start_turn", turn_id, content: null },
      { ...EXAMPLE.end_turn, turn_id, outcome: "failed", error: "no answer" },
    ];
    const log = resumable(...failedTurn("turn-a"), ...failedTurn("turn-b"));
    expect(answer(log)).toEqual([true, "session_resumable"]);
    expect(answer(play(log, failedTurn("turn-c")))).toEqual([false, "too_many_errors"]);
  });

  it("again after a resume, which resets the errors", () => {
    const log = resumable(error, error, error, EXAMPLE.suspend, EXAMPLE.resume);
    expect(answer(log)).toEqual([true, "session_resumable"]);
  });
});

describe("the answer", () => {
  it("for a missing session says that it does not exist", () => {
    expect(shouldResume(null, START, RESUME_POLICY)).toEqual({
      should_resume: false,
      reason: "session_not_found",
      checks: [{ check: "session_exists", ok: false, value: false, expected: "true" }],
    });
  });

  it("reports each check with its value", () => {
    expect(ask(resumable(error), 90 * SECOND)).toEqual({
      should_resume: true,
      reason: "session_resumable",
      checks: [
        { check: "session_exists", ok: true, value: true, expected: "true" },
        { check: "resume_ready", ok: true, value: true, expected: "true" },
        {
          check: "phase",
          ok: true,
          value: "approval",
          expected: "investigating, planning or approval",
        },
        { check: "idle", ok: true, value: 90, expected: "less than 1800 seconds" },
        { check: "errors", ok: true, value: 1, expected: "fewer than 3" },
        {
          check: "recovery",
          ok: true,
          value: "nothing to decide",
          expected: "nothing to decide",
        },
      ],
    });
  });

  it("reports every failed check, and the first of them as the reason", () => {
    const log = resumable(error, error, error, setPhase("executing"), {
      type: "set_resume_ready",
      resume_ready: false,
    });
    const { reason, checks } = ask(log, 30 * MINUTE);
    expect(reason).toBe("not_resume_ready");
    expect(checks.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual([
      "resume_ready",
      "phase",
      "idle",
      "errors",
    ]);
  });

  it("never shows a value that contradicts its verdict", () => {
    const idle = ask(resumable(), 30 * MINUTE - 1).checks.find(({ check }) => check === "idle");
    expect(idle).toMatchObject({ ok: true, value: 1799 });
  });

  it("follows the given policy", () => {
    const strict = { idle_ms: MINUTE, max_errors: 1 };
    const { head } = resumable();
    expect(shouldResume(head, head.updated_at + MINUTE, strict).reason).toBe("idle_too_long");
    expect(shouldResume(resumable(error).head, START, strict).reason).toBe("too_many_errors");
  });
});

describe("a queued message without a driver is continued", () => {
  const queued = (...commands: SessionCommand[]) =>
    play(sessionIn("active"), [EXAMPLE.send_message, ...commands]);
  const isTaken = (log: LiveLog, idle = MINUTE) =>
    mayDriveWaiting(log.head, log.head.updated_at + idle, RESUME_POLICY);

  it.each<[string, number, boolean]>([
    ["just sent", 0, false],
    ["4.999 s ago", 5 * SECOND - 1, false],
    ["5 s ago", 5 * SECOND, true],
    ["almost 30 minutes ago", 30 * MINUTE - 1, true],
    ["30 minutes ago", 30 * MINUTE, false],
  ])("%s", (_, idle, taken) => {
    expect(isTaken(queued(), idle)).toBe(taken);
  });

  it.each<[string, LiveLog]>([
    ["there is none", sessionIn("active")],
    ["a person is asked", queued(EXAMPLE.request_approval)],
    ["the session is suspended", queued(EXAMPLE.suspend)],
    ["it is in the trash", queued(EXAMPLE.delete)],
    ["it failed again and again", queued(error, error, error)],
    ["someone said no", queued({ type: "set_resume_ready", resume_ready: false })],
  ])("not if %s", (_, log) => {
    expect(isTaken(log)).toBe(false);
  });
});
