import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { openStoredRedaction } from "../../src/redaction/stored-redaction.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { PLAN } from "../run/offers.ts";
import { SECRET_SHAPES } from "../security/secret-shapes.ts";
import { as, onMemory } from "./on-memory.ts";

const bob = as("bob", "api");
const CHOICES = PLAN.map(({ optionId, name, kind }) => ({ option_id: optionId, name, kind }));
const ASKED = {
  type: "request_approval",
  approval_id: "p-1",
  kind: "permission",
  title: "switch_mode: Ready to code?",
  body: null,
  action_id: "a-1",
  awaited: false,
  expires_at: null,
  options: ["allow_once", "allow_always", "reject_once"],
  choices: CHOICES,
} as const satisfies SessionCommand;

/** A session with a question about an action, as a driver stores it. */
async function asking(change: Partial<SessionCommand<"request_approval">> = {}, type = "plan") {
  const { service, store, caller, now } = onMemory();
  const redaction = async () => openStoredRedaction({});
  const context = { store, now, newId: () => "unused", redaction };
  const write = (...commands: SessionCommand[]) =>
    changeSession(context, caller, { id: "ann-1", commands: () => commands });
  await service.call("create", { agent_name: "a", session_id: "ann-1" }, caller);
  const id = "ann-1";
  await service.call("begin_action", { id, action_id: "a-1", type }, caller);
  await write({ ...ASKED, ...change });
  const read = async (by = caller) => {
    const { approvals } = await service.call("list_approvals", {}, by);
    const [approval] = approvals;
    if (!approval) throw new Error("no question");
    return approval;
  };
  const decide = (answer: object, by = caller) =>
    service.call("decide_approval", { approval_id: "p-1", ...answer }, by).then(
      (done) => done.choice?.option_id ?? done.decision,
      (error: { readonly code?: string }) => error.code ?? String(error),
    );
  return { service, caller, write, read, decide };
}

describe("the digest of a question", () => {
  it("changes with what the agent describes, and refuses the answer to what was shown before", async () => {
    const { write, read, decide, service, caller } = await asking();
    const before = await read();
    expect((await read()).digest).toBe(before.digest);
    const details = { title: "Ready to code?", input: { plan: "delete everything" } };
    await write({ type: "describe_action", action_id: "a-1", details });
    const option = "exit-plan-auto";
    for (const answer of [{ option }, { decision: "rejected" }]) {
      expect(await decide({ ...answer, digest: before.digest })).toBe("approval_changed");
    }
    const { events } = await service.call("log", { id: "ann-1" }, caller);
    expect(events.filter(({ type }) => type === "approval.decided")).toEqual([]);
    const after = await read();
    expect(after).toMatchObject({ action: { input: details.input }, choices: CHOICES });
    expect(await decide({ option, digest: after.digest })).toBe(option);
    expect(await decide({ option, digest: after.digest })).toBe("approval_closed");
  });

  it("changes with the kind of the call, which a person sees", async () => {
    const { write, read, decide } = await asking({}, "read");
    const before = await read();
    const kind = { action_type: "switch_mode", effects: "remote" } as const;
    await write({ type: "describe_action", action_id: "a-1", details: {}, ...kind });
    expect((await read()).action).toMatchObject({ type: "switch_mode", effects: "remote" });
    const answer = { option: "exit-plan-auto", digest: before.digest };
    expect(await decide(answer)).toBe("approval_changed");
  });

  it("depends on the order and on the words of the options", async () => {
    const digests = await Promise.all(
      [CHOICES, CHOICES.toReversed(), CHOICES.slice(1)].map(
        async (choices) => (await (await asking({ choices })).read()).digest,
      ),
    );
    expect(new Set(digests).size).toBe(3);
  });

  it("belongs to every question, also to one from outside", async () => {
    const { service, caller } = onMemory();
    await service.call("create", { agent_name: "a", session_id: "ann-1" }, caller);
    const question = { id: "ann-1", title: "Apply it?" };
    const { approval_id, digest } = await service.call("request_approval", question, caller);
    const answer = { approval_id, decision: "approved" };
    await expect(
      service.call("decide_approval", { ...answer, digest: `${digest}x` }, caller),
    ).rejects.toMatchObject({ code: "approval_changed" });
    expect(await service.call("decide_approval", { ...answer, digest }, caller)).toMatchObject({
      decision: "approved",
      choice: null,
    });
  });
});

describe("a person with whom the session is shared", () => {
  async function shared(type: string, title: string) {
    const lab = await asking({ title }, type);
    await lab.service.call("add_person", { name: "bob" }, lab.caller);
    await lab.service.call("share", { id: "ann-1", with: "bob", role: "approver" }, lab.caller);
    return lab;
  }

  it("sees all options, and may choose those that approve once or reject", async () => {
    const { read, decide } = await shared("execute", "execute: npm test");
    expect((await read(bob)).choices).toEqual(CHOICES);
    for (const option of ["exit-plan-clear-auto", "exit-plan-auto", "exit-plan-bypass"]) {
      expect(await decide({ option }, bob)).toBe("not_allowed");
    }
    expect(await decide({ option: "exit-plan-default" }, bob)).toBe("exit-plan-default");
  });

  it.each([
    ["switch_mode", "other: Ready?"],
    ["other", "switch_mode: Ready?"],
  ])("may only reject a change of the agent's mode (%s, %s)", async (type, title) => {
    const { decide } = await shared(type, title);
    expect(await decide({ option: "exit-plan-default" }, bob)).toBe("not_allowed");
    expect(await decide({ decision: "approved" }, bob)).toBe("not_allowed");
    expect(await decide({ option: "reject" }, bob)).toBe("reject");
  });

  it("leaves a refusal in the owner's audit", async () => {
    const { service, caller, decide } = await shared("execute", "execute: npm test");
    await decide({ option: "exit-plan-bypass" }, { ...bob, scope: "write" });
    const { events } = await service.call("audit", { id: "ann-1", what: "refused" }, caller);
    expect(events).toMatchObject([{ data: { by: "bob", operation: "decide_approval" } }]);
  });
});

describe("an option with a secret", () => {
  it("is stored without it in its name, and with its id as it is", async () => {
    const secret = SECRET_SHAPES["github classic"]?.secret ?? "";
    const choices = [{ option_id: secret, name: `Use ${secret}`, kind: "allow_once" }] as const;
    const { read, decide } = await asking({ choices });
    const [choice] = (await read()).choices;
    expect(choice?.option_id).toBe(secret);
    expect(choice?.name).toMatch(/^Use /);
    expect(choice?.name).not.toContain(secret);
    expect(await decide({ option: secret })).toBe(secret);
  });
});

describe("an answer that is repeated with its key", () => {
  it("is given once, and read again", async () => {
    const { decide } = await asking();
    const answer = { option: "exit-plan-auto", idempotency_key: "k" };
    expect(await decide(answer)).toBe("exit-plan-auto");
    expect(await decide(answer)).toBe("exit-plan-auto");
    expect(await decide({ ...answer, option: "reject" })).toBe("idempotency_conflict");
  });
});
