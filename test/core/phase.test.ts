import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { PHASES, type Phase } from "../../src/contract/vocabulary.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { driving, type LiveLog, NO_LOG, perform, play, playAs } from "./session-log.ts";

const setPhase = (phase: Phase): SessionCommand => ({ type: "set_phase", phase, summary: null });
const [OPEN, FINAL] = [PHASES.slice(0, 6), PHASES.slice(6)];
const pairs = OPEN.flatMap((from) => OPEN.map((to): [Phase, Phase] => [from, to]));

describe("an open phase", () => {
  it.each(pairs)("%s may be followed by %s", (from, to) => {
    const before = play(NO_LOG, [EXAMPLE.create, setPhase(from)]);
    expect(play(before, [setPhase(to)]).head.phase).toBe(to);
  });

  it("is added to the history once, however often it is set", () => {
    const log = play(sessionIn("active"), [setPhase("planning"), setPhase("planning")]);
    expect(
      log.head.recent_phases.map(({ from_phase, to_phase }) => [from_phase, to_phase]),
    ).toEqual([
      ["initializing", "investigating"],
      ["investigating", "planning"],
    ]);
    expect(log.head.counts.phases).toBe(2);
  });
});

describe("a final phase ends the run", () => {
  it.each<[Phase, string]>([
    ["completed", "completed"],
    ["failed", "failed"],
    ["abandoned", "cancelled"],
  ])("%s -> %s", (phase, status) => {
    const { head } = play(sessionIn("active"), [{ type: "set_phase", phase, summary: "all done" }]);
    expect(head).toMatchObject({ status, phase, ended: { duration_ms: 0, summary: "all done" } });
    expect(head.recent_phases.at(-1)).toMatchObject({
      from_phase: "investigating",
      to_phase: phase,
    });
  });

  const unfinished = ["created", "active", "suspended"] as const;
  it.each(FINAL.flatMap((phase) => unfinished.map((status) => ({ phase, status }))))(
    "setting $phase in $status is finalizing: the same head",
    ({ phase, status }) => {
      if (phase !== "completed" && phase !== "failed" && phase !== "abandoned") return;
      const log = play(sessionIn(status), [EXAMPLE.record_error]);
      const finalize: SessionCommand = {
        type: "finalize",
        outcome: phase,
        summary: "done",
        error: null,
      };
      const set: SessionCommand = { type: "set_phase", phase, summary: "done" };
      expect(play(log, [set]).head).toEqual(play(log, [finalize]).head);
    },
  );

  it.each(FINAL.flatMap((from) => PHASES.map((to) => ({ from, to }))))(
    "after $from, $to is refused",
    ({ from, to }) => {
      const log = play(sessionIn("active"), [setPhase(from)]);
      expect(perform(log, setPhase(to))).toHaveProperty("error");
    },
  );
});

describe("the phase follows the work if Belay drives the agent", () => {
  const drivenIn = (phase: Phase): LiveLog =>
    play(NO_LOG, [EXAMPLE.create, setPhase(phase), { ...EXAMPLE.start_turn, turn_id: "turn-1" }]);
  const phaseAfter = (log: LiveLog, ...commands: SessionCommand[]) =>
    playAs(log, commands, driving()).head.phase;
  const permission: SessionCommand = {
    ...EXAMPLE.request_approval,
    approval_id: "approval-1",
    kind: "permission",
    awaited: true,
  };

  it.each(OPEN)("the start of a turn leads from %s to investigating", (phase) => {
    const log = play(NO_LOG, [EXAMPLE.create, setPhase(phase)]);
    expect(phaseAfter(log, EXAMPLE.start_turn)).toBe("investigating");
  });

  it.each(OPEN)("a plan leads from %s to planning", (phase) => {
    expect(phaseAfter(drivenIn(phase), { ...EXAMPLE.append_part, kind: "plan" })).toBe("planning");
  });

  it.each(OPEN)("a permission request leads from %s to approval", (phase) => {
    expect(phaseAfter(drivenIn(phase), permission)).toBe("approval");
  });

  it("an approved permission leads to executing, a rejected one to investigating", () => {
    const asked = playAs(drivenIn("investigating"), [permission], driving());
    expect(phaseAfter(asked, EXAMPLE.decide_approval)).toBe("executing");
    expect(phaseAfter(asked, { ...EXAMPLE.decide_approval, decision: "rejected" })).toBe(
      "investigating",
    );
  });

  it.each(OPEN)("the end of a turn leads from %s to investigating", (phase) => {
    expect(phaseAfter(drivenIn(phase), EXAMPLE.end_turn)).toBe("investigating");
  });

  it("the end of a turn with an expired permission leads to investigating", () => {
    const asked = playAs(drivenIn("investigating"), [permission], driving());
    expect(phaseAfter(asked, EXAMPLE.expire_approval, EXAMPLE.end_turn)).toBe("investigating");
  });

  it.each(OPEN)(
    "in %s, the phase stays as the agent reported it if nobody drives the session",
    (phase) => {
      const log = play(drivenIn(phase), [
        { ...EXAMPLE.append_part, kind: "plan" },
        EXAMPLE.end_turn,
      ]);
      expect(log.head.phase).toBe(phase);
    },
  );
});
