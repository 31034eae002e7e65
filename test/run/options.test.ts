import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { BelayError } from "../../src/index.ts";
import { COMMAND, OFFERING, type Offer, offer, PLAN } from "./offers.ts";
import { begin, factsOf, find, openLab, openQuestion, reopenLab, said, until } from "./run-lab.ts";

const selected = (optionId: unknown) => ({ outcome: { outcome: "selected", optionId } });
const CANCELLED = { outcome: { outcome: "cancelled" } };
const idsOf = (options: readonly Offer[]) => options.map(({ optionId }) => optionId);

/** A session whose agent asks with these options. */
async function ask(
  options: readonly Offer[],
  { kind = "switch_mode", permissions = {}, call = {}, announced = {} } = {},
) {
  const lab = await openLab({ command: OFFERING, permissions });
  const { id, done } = await begin(lab, offer(options, kind, call, announced), {
    decide: "nobody",
  });
  const question = await openQuestion(lab, id);
  /** What the agent got. */
  const got = async () => JSON.parse(said((await done).events));
  const decide = (answer: object) =>
    lab.belay.approvals.decide({ approval_id: question.approval_id, ...answer });
  return { lab, id, done, question, got, decide };
}

function codeOf(error: unknown): string {
  return error instanceof BelayError ? error.code : String(error);
}

describe("the options of an agent", () => {
  it.each(PLAN)(
    "are shown in its words and order, and $optionId sends its own id",
    async (option) => {
      const { id, lab, question, got, decide } = await ask(PLAN);
      expect(question).toMatchObject({
        title: "switch_mode: Ready to code?",
        options: ["allow_once", "allow_always", "reject_once"],
        missing_choices: 0,
        choices: PLAN.map(({ optionId, ...rest }) => ({ option_id: optionId, ...rest })),
      });
      const decision = option.kind === "reject_once" ? "rejected" : "approved";
      const choice = { option_id: option.optionId, name: option.name, kind: option.kind };
      expect(await decide({ option: option.optionId, digest: question.digest })).toMatchObject({
        decision,
        choice,
      });
      expect(await got()).toEqual(selected(option.optionId));
      expect(await factsOf(lab, id, "approval.decided")).toMatchObject([{ decision, choice }]);
    },
  );

  it("may reject in two ways", async () => {
    const { got, decide } = await ask(COMMAND, { kind: "execute" });
    await decide({ option: COMMAND[2].name });
    expect(await got()).toEqual(selected("abort"));
  });

  it("are part of the events of a run", async () => {
    const { done, decide } = await ask(PLAN);
    await decide({ option: "exit-plan-auto" });
    const { events } = await done;
    expect(find(events, "permission")[0]?.choices.map(({ option_id }) => option_id)).toEqual(
      idsOf(PLAN),
    );
    expect(find(events, "answered")).toMatchObject([{ choice: { option_id: "exit-plan-auto" } }]);
  });

  it("are not guessed: always fits three of them", async () => {
    const { decide, got } = await ask(PLAN);
    for (const wrong of [
      { decision: "approved", always: true },
      { option: "exit-plan" },
      { option: "reject", decision: "approved" },
      {},
    ]) {
      expect(await decide(wrong).catch(codeOf)).toBe("invalid_input");
    }
    await decide({ decision: "rejected" });
    expect(await got()).toEqual(selected("reject"));
  });

  it("get one answer, however many come at once", { timeout: 60_000 }, async () => {
    const { lab, question, decide, got } = await ask(PLAN);
    const other = await reopenLab(lab.home);
    const { approval_id } = question;
    const given = Array.from({ length: 200 }, (_, nth) => {
      const option = PLAN[nth % PLAN.length]?.optionId ?? "";
      return nth % 2 ? decide({ option }) : other.belay.approvals.decide({ approval_id, option });
    });
    const results = await Promise.allSettled(given);
    const won = results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const lost = results.flatMap((one) => (one.status === "rejected" ? [codeOf(one.reason)] : []));
    expect(won).toHaveLength(1);
    expect(lost).toEqual(Array(199).fill("approval_closed"));
    expect(await got()).toEqual(selected(won[0]?.choice?.option_id));
    // Also for an option that was never offered.
    expect(await decide({ option: "nothing" }).catch(codeOf)).toBe("approval_closed");
  });

  it("end with the process that asked", async () => {
    const { lab, question, id, decide } = await ask(PLAN);
    await lab.belay.turns.interrupt({ id });
    await until("the end", async () => (await factsOf(lab, id, "approval.expired")).length > 0);
    expect(await decide({ option: "exit-plan-auto" }).catch(codeOf)).toBe("approval_closed");
    expect(question.answerable).toBe(true);
  });
});

describe("a call that is of another kind than announced", () => {
  it("is shown as what it is now", async () => {
    const announced = { toolCallId: "t1", title: "Ready to code?", kind: "read" };
    const { question, decide } = await ask(PLAN, { kind: "switch_mode", announced });
    expect(question.action).toMatchObject({ type: "switch_mode", effects: "none" });
    await decide({ decision: "rejected" });
  });

  it("is not called harmless because it was announced so", async () => {
    const announced = { toolCallId: "t1", title: "Look", kind: "read" };
    const { question, decide } = await ask(COMMAND, { kind: "execute", announced });
    expect(question.action).toMatchObject({ type: "execute", effects: "unknown" });
    await decide({ option: "denied" });
  });
});

describe("odd options", () => {
  it("have no id that is the name of another one", async () => {
    const crossed = [
      { optionId: "a", name: "Yes", kind: "allow_once" },
      { optionId: "Yes", name: "Bypass permissions", kind: "allow_always" },
    ];
    const { question, got, decide } = await ask(crossed);
    expect(question.choices.map(({ option_id }) => option_id)).toEqual(["a", "option-2"]);
    await decide({ option: "Yes" });
    expect(await got()).toEqual(selected("a"));
  });

  it("get visible ids and names, and the agent gets its own ids back", async () => {
    const odd = [
      { optionId: "", name: "", kind: "allow_once" },
      { optionId: "a\u202eb", name: "No \u202eeurt", kind: "reject_once" },
      { optionId: "twice", name: "n".repeat(10_000), kind: "allow_always" },
      { optionId: "twice", kind: "allow_always" },
      { optionId: "x", name: "Surprise", kind: "allow_for_now" },
    ];
    const { question, got, decide } = await ask(odd, { kind: "execute" });
    expect(question.choices.map(({ option_id, kind }) => [option_id, kind])).toEqual([
      ["option-1", "allow_once"],
      ["option-2", "reject_once"],
      ["twice", "allow_always"],
      ["option-4", "allow_always"],
      ["x", "other"],
    ]);
    expect(question.choices.map(({ name }) => name)).toEqual([
      "option-1",
      "No ⟦U+202E⟧eurt",
      expect.stringMatching(/^n+ … 9,\d{3} characters hidden … n+$/),
      "option-4",
      "Surprise",
    ]);
    await decide({ option: "option-2" });
    expect(await got()).toEqual(selected("a\u202eb"));
  });

  it.each([
    ["none", [], 0],
    [
      "sixty",
      Array.from({ length: 60 }, (_, n) => ({
        optionId: `o${n}`,
        name: `${n}`,
        kind: "allow_once",
      })),
      10,
    ],
  ])("can only be rejected: %s", async (_, options, missing) => {
    const { question, got, decide } = await ask(options);
    const { count } = LIMITS.CHOICES;
    expect(question.choices).toHaveLength(Math.min(options.length, count));
    expect(question.missing_choices).toBe(missing);
    expect(await decide({ decision: "approved" }).catch(codeOf)).toBe("invalid_input");
    expect(await decide({ option: "o3" }).catch(codeOf)).toBe("invalid_input");
    await decide({ decision: "rejected" });
    expect(await got()).toEqual(CANCELLED);
  });

  it("may be fifty", async () => {
    const fifty = Array.from({ length: 50 }, (_, n) => ({
      optionId: `o${n}`,
      name: `${n}`,
      kind: "allow_once",
    }));
    const { got, decide } = await ask(fifty);
    expect(await decide({ decision: "approved" }).catch(codeOf)).toBe("invalid_input");
    await decide({ option: "o49" });
    expect(await got()).toEqual(selected("o49"));
  });
});

describe("a setting that allows", () => {
  const permissions = { "*": "allow" };

  it("picks the only option that approves once", async () => {
    const lab = await openLab({ command: OFFERING, permissions });
    const { done } = await begin(lab, offer(PLAN), { decide: "nobody" });
    const { events } = await done;
    expect(find(events, "permission")).toEqual([]);
    expect(JSON.parse(said(events))).toEqual(selected("exit-plan-default"));
  });

  it("asks a person if there are several, or none", async () => {
    const databases = [
      { optionId: "p", name: "Use PostgreSQL", kind: "allow_once" },
      { optionId: "s", name: "Use SQLite", kind: "allow_once" },
    ];
    const { got, decide } = await ask(databases, { kind: "other", permissions });
    await decide({ option: "Use SQLite" });
    expect(await got()).toEqual(selected("s"));
    const always = await ask([{ optionId: "a", name: "Always", kind: "allow_always" }], {
      permissions,
    });
    await always.decide({ option: "a" });
    expect(await always.got()).toEqual(selected("a"));
  });
});

describe("the digest of a question", () => {
  it("refuses an answer to something else than what was shown", async () => {
    const { lab, id, question, decide, got } = await ask(PLAN, {
      call: { rawInput: { plan: "a" } },
    });
    expect(question.digest).toMatch(/^[\w-]{43}$/);
    const [again] = (await lab.belay.approvals.list({})).approvals;
    expect(again?.digest).toBe(question.digest);
    const refused = decide({ option: "exit-plan-auto", digest: "x" });
    expect(await refused.catch(codeOf)).toBe("approval_changed");
    expect(await factsOf(lab, id, "approval.decided")).toEqual([]);
    await decide({ option: "exit-plan-auto", digest: question.digest });
    expect(await got()).toEqual(selected("exit-plan-auto"));
  });
});
