import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionHead } from "../../src/contract/head.ts";
import { evolveSession } from "../../src/core/session/evolve-session.ts";
import { isOver } from "./head-invariants.ts";
import { anyLife, live, type Moment } from "./session-life.ts";

/** The model's table: the events that change a status, from which, to which. */
const STATUS_TABLE = [
  { event: "session.activated", from: ["created"], to: "active" },
  { event: "session.suspended", from: ["created", "active"], to: "suspended" },
  { event: "session.resumed", from: ["suspended"], to: "active" },
  { event: "session.completed", from: ["created", "active", "suspended"], to: "completed" },
  { event: "session.continued", from: ["completed"], to: "active" },
  { event: "session.failed", from: ["created", "active", "suspended"], to: "failed" },
  { event: "session.cancelled", from: ["created", "active", "suspended"], to: "cancelled" },
  {
    event: "session.archived",
    from: ["created", "active", "suspended", "completed", "failed", "cancelled"],
    to: "archived",
  },
  {
    event: "session.forked",
    from: ["created", "active", "suspended", "completed", "failed", "cancelled", "archived"],
    to: "created",
  },
];

/** All commands that a failed, cancelled or archived session accepts. */
const TAKEN_WHEN_TERMINAL = [
  "archive",
  "rename",
  "pin",
  "unpin",
  "share",
  "unshare",
  "set_expiry",
  "delete",
  "undelete",
  "observe",
  "fork",
];

function everyMoment(check: (moment: Moment) => void, numRuns = 150): void {
  fc.assert(
    fc.property(anyLife(100), (life) => {
      live(life, check);
    }),
    { numRuns },
  );
}

/** Each event of a moment with the heads before and after it. */
function everyEvent(
  { before, after }: Moment,
  check: (event: Moment["after"]["events"][number], from: SessionHead, to: SessionHead) => void,
): void {
  let head = before.head;
  for (const event of after.events.slice(before.seq)) {
    const next = evolveSession(head, event);
    if (!next) throw new Error("the head is lost");
    check(event, head, next);
    head = next;
  }
}

describe("the status", () => {
  it("changes only by the table of the model", () => {
    everyMoment((moment) =>
      everyEvent(moment, (event, from, to) => {
        const line = STATUS_TABLE.find((entry) => entry.event === event.type);
        if (line) {
          expect(line.from).toContain(from.status);
          expect(to.status).toBe(line.to);
        } else expect(to.status).toBe(from.status);
      }),
    );
  });

  it("when failed, cancelled or archived allows only what the model names", () => {
    everyMoment(({ command, before, after }) => {
      if (!["failed", "cancelled", "archived"].includes(before.head.status)) return;
      if (!TAKEN_WHEN_TERMINAL.includes(command.type)) expect(after.seq).toBe(before.seq);
      if (command.type === "archive" && before.head.status === "archived") {
        expect(after.seq).toBe(before.seq);
      }
    });
  });
});

describe("a run", () => {
  it("that has ended never changes", () => {
    everyMoment(({ command, before, after }) => {
      if (!isOver(before.head) || command.type === "fork") return;
      if (after.events[before.seq]?.type === "session.continued") return;
      // A merge changes counts, but not the run.
      const counts = command.type === "merge" ? { counts: before.head.counts } : {};
      expect(workOf({ ...after.head, ...counts })).toEqual(workOf(before.head));
    });
  });

  it("is followed by the next one only if it was completed", () => {
    everyMoment(({ command, before, after }) => {
      if (command.type === "fork" || after.head.run === before.head.run) return;
      expect(before.head.status).toBe("completed");
      expect(after.head.run).toBe(before.head.run + 1);
      expect(after.head.ended).toEqual(before.head.ended);
    });
  });
});

describe("counts", () => {
  it("never fall, except for errors at a resume or a fork", () => {
    everyMoment((moment) =>
      everyEvent(moment, (event, from, to) => {
        if (event.type === "session.forked") return;
        expect(fallen({ ...from.counts }, { ...to.counts })).toEqual([]);
        expect(fallen({ ...from.usage }, { ...to.usage })).toEqual([]);
        if (event.type === "session.resumed") expect(to.error_count).toBe(0);
        else expect(to.error_count).toBeGreaterThanOrEqual(from.error_count);
      }),
    );
  });

  it("rise for errors only by recorded errors and failed turns", () => {
    everyMoment((moment) =>
      everyEvent(moment, (event, from, to) => {
        if (to.error_count <= from.error_count) return;
        const failed = event.type === "turn.ended" && event.data.outcome === "failed";
        expect(failed || event.type === "error.recorded").toBe(true);
      }),
    );
  });
});

describe("a refusal", () => {
  it("is the only answer to a driver's command while another holds the lease", () => {
    const driverCommands = [
      "record_turn",
      "note_agent_started",
      "note_recovered",
      "start_turn",
      "append_part",
      "end_turn",
      "begin_action",
      "complete_action",
      "describe_action",
    ];
    everyMoment(({ command, context, refusal }) => {
      const { lease, epoch } = context;
      const ofTheLease = refusal?.error === "session_held" || refusal?.error === "lease_lost";
      const isHeld = lease?.live && lease.epoch === epoch;
      if (epoch !== null && !isHeld) expect(refusal?.error).toBe("lease_lost");
      else if (epoch === null && lease?.live && driverCommands.includes(command.type)) {
        expect(refusal?.error).toBe("session_held");
      } else expect(ofTheLease).toBe(false);
    });
  });
});

/** The result of a run, without observations, names and the trash. */
function workOf(head: SessionHead) {
  const { phase, run, run_started_at, ended, recent_phases, usage, checkpoint_id } = head;
  const { error_count, last_error, last_action, suspend_reason, interface: door } = head;
  const { observations, ...counts } = head.counts;
  return {
    ...{ phase, run, run_started_at, ended, recent_phases, usage, checkpoint_id },
    ...{ error_count, last_error, last_action, suspend_reason, door, counts },
  };
}

function fallen(before: Record<string, number>, after: Record<string, number>): string[] {
  return Object.keys(before).filter((name) => (after[name] ?? 0) < (before[name] ?? 0));
}
