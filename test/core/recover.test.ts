import { describe, expect, it } from "vitest";
import { EFFECTS } from "../../src/contract/vocabulary.ts";
import type { ActionCase } from "../../src/core/recovery/recover.ts";
import { recover } from "../../src/core/recovery/recover.ts";

type RecoveryStep = ReturnType<typeof recover>;
const STEPS = [
  "proceed",
  "wait",
  "leave",
  "leave_and_ask",
  "rerun",
  "rerun_with_key",
  "ask",
  "retry",
  "review",
] as const satisfies readonly RecoveryStep[];

const STATUSES = ["started", "completed", "failed"] as const;
const PROCESSES = ["alive", "gone", "unproven"] as const;
const EITHER = [true, false] as const;
const FAILURES = [0, 1, 2, 3, 4] as const;

/** Every possible action, with its expected step. */
const MATRIX = STATUSES.flatMap((status) =>
  EFFECTS.flatMap((effects) =>
    PROCESSES.flatMap((process) =>
      EITHER.flatMap((keyed) =>
        EITHER.flatMap((detachable) =>
          FAILURES.map((failures): { action: ActionCase; step: RecoveryStep } => {
            const action = { status, effects, process, keyed, detachable, failures };
            return { action, step: recover(action) };
          }),
        ),
      ),
    ),
  ),
);

const cases = (which: (action: ActionCase) => boolean) =>
  MATRIX.filter(({ action }) => which(action));
const stepsOf = (which: (action: ActionCase) => boolean) =>
  new Set(cases(which).map(({ step }) => step));
const outside = ({ effects }: ActionCase) => effects === "remote" || effects === "unknown";

describe("plan after a crash", () => {
  it("exists for every possible action", () => {
    expect(MATRIX).toHaveLength(3 * EFFECTS.length * 3 * 2 * 2 * 5);
    for (const { step } of MATRIX) expect(STEPS).toContain(step);
    expect(new Set(MATRIX.map(({ step }) => step))).toEqual(new Set(STEPS));
  });

  it("never repeats an action with possible external effects, unless a key makes it harmless", () => {
    for (const { step } of cases((action) => outside(action) && !action.keyed)) {
      expect(["proceed", "leave_and_ask", "ask", "review"]).toContain(step);
    }
    for (const { action, step } of cases(outside)) {
      expect(step).not.toBe("rerun");
      expect(step).not.toBe("retry");
      if (step === "rerun_with_key") expect(action).toMatchObject({ keyed: true, process: "gone" });
    }
  });

  it("asks about an unidentified process, whatever its effects", () => {
    expect(stepsOf((a) => a.status === "started" && a.process === "unproven")).toEqual(
      new Set(["ask"]),
    );
  });

  it("continues if the action was completed", () => {
    expect(stepsOf(({ status }) => status === "completed")).toEqual(new Set(["proceed"]));
  });

  it("never repeats an action that still runs", () => {
    expect(stepsOf((a) => a.status === "started" && a.process === "alive")).toEqual(
      new Set(["wait", "leave", "leave_and_ask"]),
    );
  });

  it("treats unknown effects like external effects", () => {
    for (const { action, step } of cases(({ effects }) => effects === "unknown")) {
      expect(step).toBe(recover({ ...action, effects: "remote" }));
    }
  });

  it("retries three times at most", () => {
    for (const { action, step } of cases(({ status }) => status === "failed")) {
      expect(step).toBe(!outside(action) && action.failures < 3 ? "retry" : "review");
    }
  });

  it.each<[Partial<ActionCase>, RecoveryStep]>([
    [{ process: "alive", effects: "local" }, "wait"],
    [{ process: "alive", effects: "local", detachable: true }, "leave"],
    [{ process: "alive", effects: "remote", keyed: true }, "wait"],
    [{ process: "alive", effects: "remote", keyed: true, detachable: true }, "leave"],
    [{ process: "alive", effects: "remote", detachable: true }, "leave_and_ask"],
    [{ process: "gone", effects: "none" }, "rerun"],
    [{ process: "gone", effects: "local", keyed: true }, "rerun"],
    [{ process: "gone", effects: "remote", keyed: true }, "rerun_with_key"],
    [{ process: "gone", effects: "remote" }, "ask"],
    [{ process: "gone", effects: "unknown" }, "ask"],
  ])("%o: %s", (given, step) => {
    const action: ActionCase = {
      status: "started",
      effects: "unknown",
      keyed: false,
      process: "gone",
      detachable: false,
      failures: 0,
      ...given,
    };
    expect(recover(action)).toBe(step);
  });
});
