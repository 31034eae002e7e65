import { describe, expect, it } from "vitest";
import type { DisplayStatus, State, Status } from "../../src/contract/vocabulary.ts";
import { listSession } from "../../src/core/list-session.ts";
import { TASK_STATUS } from "../../src/core/status-rules.ts";
import { viewSession } from "../../src/core/view-session.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { MINUTE, play, START } from "./session-log.ts";

function view(status: Status) {
  const { head, seq } = sessionIn(status);
  return viewSession(head, seq, {}, null, false);
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

describe("what a list knows of a session", () => {
  it("is its words and its times, activity to the minute", () => {
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
      created: START,
      activity: START + MINUTE - 30_000,
    });
  });

  it("says deleted of one in the trash, whatever its status", () => {
    const { head } = play(sessionIn("completed"), [EXAMPLE.delete]);
    expect(listSession(head).status).toBe("deleted");
  });
});
