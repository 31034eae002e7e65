import { describe, expect, it } from "vitest";
import type { ApprovalChoice } from "../../src/contract/approval/approval-choice.ts";
import type { AskedOptions } from "../../src/contract/approval/asked-options.ts";
import type { SessionCommand } from "../../src/contract/commands.ts";
import type { ChoiceKind } from "../../src/contract/vocabulary.ts";
import { chooseOption, switchesMode } from "../../src/core/session/choose-option.ts";
import { COMMAND, PLAN } from "../run/offers.ts";
import { EXAMPLE } from "./example-command.ts";
import { working } from "./session-in.ts";
import { driven, perform } from "./session-log.ts";

type Listed = { readonly optionId: string; readonly name: string; readonly kind: ChoiceKind };

function asked(options: readonly Listed[], change: Partial<AskedOptions> = {}): AskedOptions {
  const choices = options.map(({ optionId, ...rest }) => ({ option_id: optionId, ...rest }));
  return { kind: "permission", choices, ...change };
}
const choose = (given: Parameters<typeof chooseOption>[0], question: AskedOptions) =>
  chooseOption(given, question);
const idOf = (given: Parameters<typeof chooseOption>[0], question: AskedOptions) => {
  const chosen = choose(given, question);
  return "error" in chosen ? chosen.message : (chosen.choice?.option_id ?? null);
};

const plan = asked(PLAN);
const [CONTINUE, , TELL] = COMMAND;

describe("an option", () => {
  it("is chosen by its id, whatever its kind", () => {
    for (const { optionId, name, kind } of PLAN) {
      const decision = kind === "reject_once" ? "rejected" : "approved";
      const expected = {
        decision,
        always: kind === "allow_always",
        choice: { option_id: optionId, name, kind },
      };
      expect(choose({ option: optionId }, plan)).toEqual(expected);
      expect(choose({ option: optionId, decision }, plan)).toEqual(expected);
    }
    expect(idOf({ option: TELL.optionId }, asked(COMMAND))).toBe("abort");
  });

  it("is chosen by a name that occurs once, after its id", () => {
    expect(idOf({ option: "Yes, and use auto mode" }, plan)).toBe("exit-plan-auto");
    const same = asked([
      { optionId: "a", name: "Yes", kind: "allow_once" },
      { optionId: "b", name: "Yes", kind: "allow_once" },
      { optionId: "c", name: "a", kind: "reject_once" },
    ]);
    expect(idOf({ option: "a" }, same)).toBe("a");
    expect(choose({ option: "Yes" }, same)).toMatchObject({
      error: "invalid_input",
      message: `"Yes" is the name of several options. Set "option" to one of: a (Yes), b (Yes), c (a).`,
    });
  });

  it("must be offered, and must not say the opposite of the decision", () => {
    for (const [given, message] of [
      [
        { option: "exit-plan" },
        /^"exit-plan" was not offered\. Set "option" to one of: exit-plan-default \(Yes, manually/,
      ],
      [{ option: "reject", decision: "approved" }, /"No, keep planning" rejects/],
      [
        { option: "exit-plan-auto", decision: "rejected" },
        /"Yes, and use auto mode" does not reject/,
      ],
      [{ option: "exit-plan-default", always: true }, /answers only this request/],
    ] as const) {
      const refused = choose(given, plan);
      expect(refused).toMatchObject({
        error: "invalid_input",
        message: expect.stringMatching(message),
        details: { choices: plan.choices },
      });
    }
    expect(choose({ option: "yes" }, { kind: "question" })).toMatchObject({
      error: "invalid_input",
      message: "This question has no options.",
    });
  });

  it("of an unknown kind is chosen by its id only, and approves and rejects nothing else", () => {
    const other = asked([{ optionId: "x", name: "Do it", kind: "other" }]);
    expect(choose({ option: "x" }, other)).toMatchObject({ choice: { kind: "other" } });
    expect(choose({ option: "Do it" }, other)).toMatchObject({ error: "invalid_input" });
    expect(choose({ decision: "approved" }, other)).toMatchObject({ error: "invalid_input" });
    expect(choose({ option: "x", decision: "rejected" }, other)).toMatchObject({
      error: "invalid_input",
    });
    expect(idOf({ decision: "rejected" }, other)).toBeNull();
  });
});

describe("a decision without an option", () => {
  it("approves if exactly one option does", () => {
    expect(idOf({ decision: "approved" }, plan)).toBe("exit-plan-default");
    expect(choose({ decision: "approved", always: true }, plan)).toMatchObject({
      error: "invalid_input",
      message: expect.stringMatching(
        /offers 3 options to approve always\. Set "option" to one of:/,
      ),
    });
    const databases = asked([
      { optionId: "p", name: "Use PostgreSQL", kind: "allow_once" },
      { optionId: "s", name: "Use SQLite", kind: "allow_once" },
    ]);
    expect(idOf({ decision: "approved" }, databases)).toMatch(/offers 2 options to approve once/);
    const always = asked([{ optionId: "a", name: "Always", kind: "allow_always" }]);
    expect(idOf({ decision: "approved" }, always)).toMatch(/offers no option to approve once/);
    expect(idOf({ decision: "approved", always: true }, always)).toBe("a");
  });

  it("always rejects", () => {
    expect(idOf({ decision: "rejected" }, plan)).toBe("reject");
    expect(idOf({ decision: "rejected" }, asked(COMMAND))).toBe(COMMAND[1].optionId);
    const never = { optionId: "never", name: "Never", kind: "reject_always" } as const;
    expect(idOf({ decision: "rejected" }, asked([never]))).toBeNull();
    expect(idOf({ decision: "rejected", always: true }, asked([never, CONTINUE]))).toBe("never");
    expect(choose({ decision: "rejected", always: true }, asked(COMMAND))).toMatchObject({
      always: false,
      choice: { option_id: "denied" },
    });
    for (const none of [asked([]), asked([CONTINUE]), asked([], { missing_choices: 3 })]) {
      expect(choose({ decision: "rejected" }, none)).toEqual({
        decision: "rejected",
        always: false,
        choice: null,
      });
    }
  });

  it("is required", () => {
    expect(choose({}, plan)).toMatchObject({
      error: "invalid_input",
      message: 'The answer is required: set "decision" or "option".',
    });
  });
});

describe("a request that offers nothing, or too much", () => {
  it.each([
    ["no options", asked([])],
    ["no options, asked by an older version", { kind: "permission", options: [] } as const],
    ["more than are stored", asked([...PLAN], { missing_choices: 10 })],
  ])("cannot be approved (%s)", (_, question) => {
    const ids = ["exit-plan-default", "exit-plan-auto"].map((option) => ({ option }));
    for (const given of [{ decision: "approved" } as const, ...ids]) {
      expect(choose(given, question)).toMatchObject({ error: "invalid_input" });
    }
    expect(choose({ decision: "rejected" }, question)).toMatchObject({ decision: "rejected" });
  });
});

describe("a question of an older version", () => {
  it("is answered by the decision, as before", () => {
    const question = { kind: "permission", options: ["allow_once", "allow_always"] } as const;
    const always = { decision: "approved", always: true } as const;
    expect(choose(always, question)).toEqual({ ...always, choice: null });
    expect(choose({ decision: "approved" }, { kind: "question" })).toMatchObject({ choice: null });
  });
});

describe("a decided approval", () => {
  const decide = (change: Partial<SessionCommand<"decide_approval">>, from = working()) =>
    perform(
      from,
      { ...EXAMPLE.decide_approval, decision: undefined, asked: plan, ...change },
      driven(),
    );
  const option = "exit-plan-bypass";

  it("records the option, and whether it counts always", () => {
    const decided = decide({ option });
    if ("error" in decided) throw new Error(decided.message);
    expect(decided.events.find(({ type }) => type === "approval.decided")?.data).toEqual({
      approval_id: "approval-1",
      decision: "approved",
      note: "go",
      always: true,
      choice: plan.choices?.[3],
    });
    const row = decided.rows.findLast(({ kind }) => kind === "approval");
    expect(Object.keys(row?.data ?? {})).toEqual(["status", "note", "decided_at", "always"]);
  });

  it("is closed before its option is looked at", () => {
    const decided = decide({ option });
    if ("error" in decided) throw new Error(decided.message);
    for (const late of ["exit-plan-auto", "not offered"]) {
      const refused = perform(
        decided,
        { ...EXAMPLE.decide_approval, option: late, asked: plan, is_outdated: true },
        driven(),
      );
      expect(refused).toMatchObject({ error: "approval_closed" });
    }
  });

  it("changes nothing if something else was shown", () => {
    expect(decide({ option, is_outdated: true })).toMatchObject({ error: "approval_changed" });
  });

  it("leaves to the owner what counts always, is unknown or changes the agent's mode", () => {
    const guest = { switches_mode: false };
    const refused = { error: "not_allowed" };
    expect(decide({ option, guest })).toMatchObject({
      ...refused,
      message: 'Only local may choose "Yes, and bypass permissions".',
    });
    const never: ApprovalChoice = { option_id: "n", name: "Never", kind: "reject_always" };
    const odd: ApprovalChoice = { option_id: "o", name: "Odd", kind: "other" };
    const choices = [never, odd];
    expect(decide({ option: "n", guest, asked: { ...plan, choices } })).toMatchObject(refused);
    expect(decide({ option: "o", guest, asked: { ...plan, choices } })).toMatchObject(refused);
    expect(decide({ option: "exit-plan-default", guest })).not.toHaveProperty("error");
    const switching = { guest: { switches_mode: true } };
    expect(decide({ option: "exit-plan-default", ...switching })).toMatchObject(refused);
    expect(decide({ decision: "approved", ...switching })).toMatchObject(refused);
    expect(decide({ option: "reject", ...switching })).not.toHaveProperty("error");
    expect(decide({ decision: "rejected", ...switching })).not.toHaveProperty("error");
  });

  it("knows a change of the mode by the call or by the title", () => {
    expect(switchesMode("other: Ready?", "switch_mode")).toBe(true);
    expect(switchesMode("switch_mode: Ready?", undefined)).toBe(true);
    expect(switchesMode("execute: switch_mode: x", "execute")).toBe(false);
  });
});
