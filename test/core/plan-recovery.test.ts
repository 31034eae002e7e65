import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EFFECTS, RECOVERY_STEPS } from "../../src/contract/vocabulary.ts";
import type { RecoveryCase } from "../../src/core/recovery/plan-recovery.ts";
import {
  planRecovery,
  recoveryCommands,
  recoveryQuestion,
} from "../../src/core/recovery/plan-recovery.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { play } from "./session-log.ts";

const bool = [false, true] as const;
const states = ["alive", "gone", "unproven"] as const;
const answers = ["done", "not_done", null] as const;

/** Every possible case. */
const MATRIX: readonly RecoveryCase[] = EFFECTS.flatMap((effects) =>
  states.flatMap((state) =>
    answers.flatMap((remote) =>
      [null, "key-1"].flatMap((key) =>
        bool.flatMap((awaited_leave) =>
          bool.flatMap((detachable) =>
            bool.flatMap((orphanable) =>
              [null, "turn-1"].flatMap((turn_id) =>
                (["started", "failed"] as const).flatMap((status) =>
                  [1, 4].map((failures) => ({
                    ...{ effects, remote, key, awaited_leave, detachable, orphanable, turn_id },
                    ...{ status, failures, process: state, pid: 42, tail: null },
                    ...{ rollback: [], temporary: [] },
                    ...{ action_id: "action-1", type: "deploy", title: "deploy v2" },
                  })),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ),
);
const policies = [{ alive: "wait" }, { alive: "rerun" }] as const;
const AGAIN = new Set(["rerun", "rerun_with_key", "retry"]);

describe("a plan of recovery", () => {
  it("exists for every case, with a reason", () => {
    for (const policy of policies) {
      for (const one of MATRIX) {
        const [action] = planRecovery([one], policy).actions;
        expect(RECOVERY_STEPS).toContain(action?.step);
        expect(action?.why).not.toBe("");
      }
    }
  });

  it("never repeats an action with possible external effects without a key or a status command", () => {
    for (const policy of policies) {
      for (const one of MATRIX) {
        const outside = one.effects === "remote" || one.effects === "unknown";
        const known = one.key !== null || one.awaited_leave || one.remote === "not_done";
        const [action] = planRecovery([one], policy).actions;
        if (outside && !known) expect(AGAIN.has(action?.step ?? "")).toBe(false);
      }
    }
  });

  it("never ends a process that is unproven, may be an orphan, or is not to be repeated", () => {
    for (const policy of policies) {
      for (const one of MATRIX) {
        const { ended, actions } = planRecovery([one], policy);
        if (ended.length === 0) continue;
        expect(one).toMatchObject({ process: "alive", orphanable: false });
        expect(actions[0]?.step).toBe("rerun");
      }
    }
  });

  it("announces that it ends a process only if it does, and never runs one twice at once", () => {
    for (const one of MATRIX) {
      const { ended, actions } = planRecovery([one], { alive: "rerun" });
      const [action] = actions;
      if (action?.why === "its process is stopped first") expect(ended).toEqual([one]);
      const isOpen = one.status === "started" && !one.awaited_leave;
      if (isOpen && one.process === "alive" && one.orphanable) {
        expect(AGAIN.has(action?.step ?? "")).toBe(false);
      }
    }
  });

  it("asks about an unidentified process, whatever its effects", () => {
    for (const one of MATRIX) {
      const open = one.status === "started" && !one.awaited_leave && one.remote !== "done";
      if (one.process !== "unproven" || !open) continue;
      expect(planRecovery([one], policies[0]).asked).toEqual([one]);
    }
  });

  it("changes nothing when it runs again", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...MATRIX), { maxLength: 6 }), (chosen) => {
        const cases = chosen
          .filter(({ status }) => status === "started")
          .map((one, nth) => ({ ...one, action_id: `action-${nth}` }));
        const opened = cases.map(({ action_id, turn_id, effects }) => ({
          ...EXAMPLE.begin_action,
          ...{ action_id, turn_id, effects },
        }));
        const before = play(sessionIn("active"), [EXAMPLE.start_turn, ...opened]);
        const plan = planRecovery(cases, policies[0]);
        const question = recoveryQuestion(plan, "approval-new", "basis");
        const after = play(before, recoveryCommands(before.head, plan, cases, question));
        const left = cases.filter(({ action_id }) =>
          after.head.actions.some(({ id }) => id === action_id),
        );
        const again = planRecovery(left, policies[0]);
        const asked = recoveryQuestion(again, "approval-other", "basis");
        expect(recoveryCommands(after.head, again, left, asked)).toEqual([]);
      }),
    );
  });
});
