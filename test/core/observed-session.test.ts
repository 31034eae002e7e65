import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import type { Observation } from "../../src/contract/observation.ts";
import { COMPLETE, MINIMAL } from "./document-payload.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { NO_LOG, play } from "./session-log.ts";

const create: SessionCommand = {
  ...EXAMPLE.create,
  session_id: "abc123",
  agent_name: "foundation-agent",
  interface: "mcp",
  observed: true,
};
const observe = (observation: Observation): SessionCommand => ({ type: "observe", observation });
const { ended_at, ...unfinished } = COMPLETE;

describe("a session first seen by an observation", () => {
  it("is active", () => {
    const { head } = play(NO_LOG, [create, observe(MINIMAL)]);
    expect(head).toMatchObject({ status: "active", phase: "initializing" });
  });

  it("is completed once an observation gives its end", () => {
    const { head } = play(NO_LOG, [
      create,
      observe(MINIMAL),
      observe(unfinished),
      observe(COMPLETE),
    ]);
    expect(head).toMatchObject({ status: "completed", phase: "completed" });
  });

  it("is completed at once when the first observation gives the end", () => {
    const { head } = play(NO_LOG, [create, observe(COMPLETE)]);
    expect(head).toMatchObject({ status: "completed", phase: "completed" });
  });

  it("that a person has continued is not completed by an end that was already known", () => {
    const { head } = play(NO_LOG, [
      create,
      observe(COMPLETE),
      EXAMPLE.send_message,
      observe(COMPLETE),
    ]);
    expect(head).toMatchObject({ status: "active", run: 2, queue: [{ id: "turn-new" }] });
  });

  it("keeps the earliest start and the newest end and duration", () => {
    const { head } = play(NO_LOG, [
      create,
      observe({ ...MINIMAL, started_at: "2025-12-31T11:00:00Z", duration: 60 }),
      observe({ ...MINIMAL, started_at: "2025-12-31T11:30:00+01:00" }),
      observe({ ...MINIMAL, started_at: "2025-12-31T11:30:00Z", ended_at }),
      observe({ ...MINIMAL, started_at: "2025-12-31T11:45:00Z", duration: 90 }),
    ]);
    expect(head.observation).toEqual({
      started_at: "2025-12-31T11:30:00+01:00",
      ended_at: "2025-12-31T12:00:00Z",
      duration: 90,
    });
    expect(head.counts.observations).toBe(4);
  });

  it("is the same in any time zone of the machine", () => {
    const zone = process.env.TZ;
    const headIn = (TZ: string) => {
      process.env.TZ = TZ;
      return play(NO_LOG, [
        create,
        observe({ ...MINIMAL, started_at: "2025-12-31T11:30:00Z" }),
        observe({ ...MINIMAL, started_at: "2025-12-31T11:00:00" }),
      ]).head;
    };
    try {
      expect(headIn("America/New_York")).toEqual(headIn("Asia/Tokyo"));
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});

describe("an observation on any other session", () => {
  it.each([
    "created",
    "active",
    "suspended",
    "completed",
    "failed",
    "cancelled",
    "archived",
  ] as const)("leaves status and phase as they are when %s", (status) => {
    const before = sessionIn(status);
    const after = play(before, [observe(COMPLETE)]);
    expect(after.head).toEqual({
      ...before.head,
      observation: {
        started_at: "2025-12-31T11:00:00Z",
        ended_at: "2025-12-31T12:00:00Z",
        duration: 3600,
      },
      counts: { ...before.head.counts, observations: 1 },
    });
  });

  it("does not end open work", () => {
    const before = working().head;
    const { turn, actions, approvals, queue } = play(working(), [observe(COMPLETE)]).head;
    expect({ turn, actions, approvals, queue }).toEqual({
      turn: before.turn,
      actions: before.actions,
      approvals: before.approvals,
      queue: before.queue,
    });
  });
});
