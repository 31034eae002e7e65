import { describe, expect, it } from "vitest";
import type { DisplayStatus, State, Status } from "../../src/contract/vocabulary.ts";
import { STATUSES } from "../../src/contract/vocabulary.ts";
import { listSession } from "../../src/core/session/list-session.ts";
import { TASK_STATUS } from "../../src/core/session/status-rules.ts";
import { viewSession } from "../../src/core/view/view-session.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { type LiveLog, MINUTE, play, START } from "./session-log.ts";

function view(status: Status) {
  const { head, seq } = sessionIn(status);
  return viewSession(head, seq, {}, null, head.updated_at);
}

describe("the seven statuses", () => {
  it.each<[Status, DisplayStatus]>([
    ["created", "active"],
    ["active", "active"],
    ["suspended", "suspended"],
    ["completed", "active"],
    ["failed", "error"],
    ["cancelled", "archived"],
    ["archived", "archived"],
  ])("%s is displayed as %s, of four", (status, display_status) => {
    expect(view(status)).toMatchObject({ status, display_status });
  });

  it.each<[Status, State]>([
    ["created", "created"],
    ["active", "active"],
    ["suspended", "suspended"],
    ["completed", "completed"],
    ["failed", "failed"],
    ["cancelled", "completed"],
    ["archived", "completed"],
  ])("%s reads as state %s, of five", (status, state) => {
    expect(view(status)).toMatchObject({ status, state });
  });

  it.each<[Status, boolean]>([
    ["created", true],
    ["active", true],
    ["suspended", true],
    ["completed", false],
    ["failed", false],
    ["cancelled", false],
    ["archived", false],
  ])("%s reads resume_ready %s", (status, resume_ready) => {
    expect(view(status)).toMatchObject({ status, resume_ready });
  });

  it.each<[Status, string | null]>([
    ["created", "running"],
    ["active", "running"],
    ["suspended", "suspended"],
    ["completed", "completed"],
    ["failed", "failed"],
    ["archived", null],
  ])("%s makes the session's task %s", (status, task) => {
    expect(TASK_STATUS[status]).toBe(task);
  });
});

describe("list entry of a session", () => {
  it("contains its words and times, activity to the minute", () => {
    const { head } = play(sessionIn("active"), [EXAMPLE.annotate], START + MINUTE);
    expect(listSession(head)).toEqual({
      status: "active",
      phase: "investigating",
      agent: "terraform-architect",
      interface: "cli",
      project: "/srv/infra",
      task: "T001",
      waiting: 0,
      unsettled: 0,
      pinned: 0,
      created: START,
      activity: START + MINUTE - 30_000,
    });
  });

  it.each<[string, LiveLog]>([
    ["a turn or an action is under way", working()],
    ["an action is", play(sessionIn("active"), [EXAMPLE.begin_action])],
    [
      "it is suspended until a time",
      play(sessionIn("active"), [{ ...EXAMPLE.suspend, until: START }]),
    ],
    ["a message waits for someone", play(sessionIn("active"), [EXAMPLE.send_message])],
    ["its agent runs", play(sessionIn("active"), [EXAMPLE.note_agent_started])],
  ])("is that it is unsettled while %s, until it is in the trash", (_, log) => {
    expect(listSession(log.head).unsettled).toBe(1);
    expect(listSession(play(log, [EXAMPLE.delete]).head).unsettled).toBe(0);
    expect(listSession(play(log, [EXAMPLE.delete, EXAMPLE.undelete]).head).unsettled).toBe(1);
  });

  it.each(STATUSES)("is settled if the status is %s and nothing is in progress", (status) => {
    expect(listSession(sessionIn(status).head).unsettled).toBe(0);
  });

  it("is settled while the session waits for a person", () => {
    const { head } = play(sessionIn("active"), [EXAMPLE.send_message, EXAMPLE.request_approval]);
    expect(listSession(head)).toMatchObject({ waiting: 1, unsettled: 0 });
  });

  it("has the status deleted in the trash", () => {
    const { head } = play(sessionIn("completed"), [EXAMPLE.delete]);
    expect(listSession(head).status).toBe("deleted");
  });
});
