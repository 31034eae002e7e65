import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { STATUSES } from "../../src/contract/vocabulary.ts";
import { sessionActivity } from "../../src/core/session/session-activity.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { type LiveLog, MINUTE, play, START } from "./session-log.ts";

const LIVE = { live: true, epoch: 1 };
const DEAD = { live: false, epoch: 1 };
const started: SessionCommand = { ...EXAMPLE.start_turn, turn_id: "turn-1" };
const ended = (outcome: "completed" | "failed" | "interrupted" | "cancelled"): SessionCommand => ({
  type: "end_turn",
  turn_id: "turn-1",
  outcome,
  error: null,
  usage: null,
});
const active = (...commands: SessionCommand[]) => play(sessionIn("active"), commands);
const at = ({ head }: LiveLog, lease: typeof LIVE | null, now = START) =>
  sessionActivity(head, lease, now);

describe("activity of a session", () => {
  it("follows its status if nothing runs", () => {
    const shown = STATUSES.map((status) => [status, at(sessionIn(status), null)]);
    expect(Object.fromEntries(shown)).toEqual({
      created: "idle",
      active: "idle",
      suspended: "suspended",
      completed: "done",
      failed: "failed",
      cancelled: "done",
      archived: "done",
    });
  });

  it("is working while a turn runs, and interrupted as soon as its driver is dead", () => {
    expect(at(active(started), LIVE)).toBe("working");
    expect(at(active(started), DEAD)).toBe("interrupted");
  });

  it("is interrupted when messages wait for a driver that is dead", () => {
    expect(at(active(EXAMPLE.send_message), LIVE)).toBe("working");
    expect(at(active(EXAMPLE.send_message), DEAD)).toBe("interrupted");
    expect(at(active(EXAMPLE.send_message), null)).toBe("idle");
  });

  it("is idle if an idle driver died", () => {
    expect(at(active(EXAMPLE.note_agent_started), DEAD)).toBe("idle");
  });

  it("needs a person while a question can be answered, otherwise it is interrupted", () => {
    expect(at(working(), LIVE)).toBe("needs_you");
    expect(at(working(), DEAD)).toBe("interrupted");
    // A question that no process waits for survives every process.
    expect(at(active(EXAMPLE.request_approval), DEAD)).toBe("needs_you");
  });

  it("is interrupted if no process is known and no event arrived for a long time", () => {
    expect(at(active(EXAMPLE.begin_action), null)).toBe("working");
    expect(at(active(EXAMPLE.begin_action), null, START + 5 * MINUTE)).toBe("interrupted");
  });

  it("follows how the last turn ended, until the next one starts", () => {
    expect(at(active(started, ended("completed")), LIVE)).toBe("idle");
    expect(at(active(started, ended("cancelled")), LIVE)).toBe("idle");
    expect(at(active(started, ended("failed")), LIVE)).toBe("failed");
    expect(at(active(started, ended("interrupted")), null)).toBe("interrupted");
    expect(at(active(started, ended("failed"), started), LIVE)).toBe("working");
    expect(at(active(started, ended("interrupted"), EXAMPLE.interrupt), null)).toBe("idle");
    const resumed: SessionCommand[] = [EXAMPLE.suspend, EXAMPLE.resume];
    expect(at(active(started, ended("interrupted"), ...resumed), LIVE)).toBe("idle");
  });
});
