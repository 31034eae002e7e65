import { describe, expect, it } from "vitest";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import { runOnce } from "../../src/doors/cli/talk/run-once.ts";
import { talk } from "../../src/doors/cli/talk/talk.ts";
import type { TalkTerminal } from "../../src/doors/cli/talk/talk-terminal.ts";
import { PLAN } from "../run/offers.ts";
import { SESSION, testConversation, testTerminal, until } from "./run-view-terminal.ts";

const HINT = `${SESSION}: Ctrl-C interrupts, Ctrl-C twice suspends, Ctrl-D completes`;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const PERMISSION = {
  type: "permission",
  approval_id: "p-1",
  kind: "permission",
  action_id: null,
  title: "Run npm test",
  body: null,
  options: ["allow_once", "allow_always", "reject_once"],
  choices: [],
  missing_choices: 0,
} as const;

const PLANNED = {
  ...PERMISSION,
  title: "Ready to code?",
  choices: PLAN.map(({ optionId, name, kind }) => ({ option_id: optionId, name, kind })),
} as const;

describe("a conversation", () => {
  it("shows the answer to a prompt, then the next prompt", async () => {
    const { agent, person, sees, asks, exit } = begin();
    await sees(`${HINT}\n>`);
    person.type("hello\r");
    await asks("send hello");
    agent.say({ type: "queued", turn_id: "t", content: "hello" });
    agent.say({ type: "started", turn_id: "t", content: "hello" });
    agent.say({ type: "message", turn_id: "t", item: 0, offset: 0, text: "Hi there" });
    agent.say({ type: "message", turn_id: "t", item: 0, offset: 8, text: ", you.\n" });
    agent.say(completed("t"));
    await sees(`${HINT}\n> hello\n\nHi there, you.\n\n✓ done\n>`);
    person.type(CTRL_D);
    expect(await exit).toBe(0);
    expect(agent.asked).toEqual(["send hello", "complete"]);
    expect(person.seen()).toBe(
      `${HINT}\n> hello\n\nHi there, you.\n\n✓ done\n\n✓ completed ${SESSION}`,
    );
  });

  it("starts with the message of its command line", async () => {
    const { agent, person, sees, asks, exit } = begin({ first: "fix it" });
    await asks("send fix it");
    await sees(`${HINT}\n○ waiting for the agent`);
    agent.say({ type: "started", turn_id: "t", content: "fix it" }, completed("t"));
    await sees(`${HINT}\n\n> fix it\n\n✓ done\n>`);
    person.type(CTRL_D);
    expect(await exit).toBe(0);
  });

  it("queues and shows a message that is typed while the agent works", async () => {
    const { agent, person, sees, asks, exit } = begin({ first: "one" });
    agent.say({ type: "started", turn_id: "t1", content: "one" });
    await sees("○ working");
    person.type("and tw");
    await sees("> one\n> and tw");
    person.type("o\r");
    await asks("send and two");
    agent.say({ type: "queued", turn_id: "t2", content: "and two" });
    await sees("> one\n\n  ⋯ queued: and two\n○ working");
    agent.say(completed("t1"), { type: "started", turn_id: "t2", content: "and two" });
    await sees("✓ done\n\n> and two\n○ working");
    agent.say(completed("t2"));
    await sees("> and two\n\n✓ done\n>");
    person.type(CTRL_D);
    expect(await exit).toBe(0);
  });

  it("keeps a half-typed line when the turn ends", async () => {
    const { agent, person, sees, asks } = begin({ first: "one" });
    agent.say({ type: "started", turn_id: "t1", content: "one" });
    person.type("half");
    await sees("> half");
    agent.say(completed("t1"));
    await sees("✓ done\n> half");
    person.type(" and whole\r");
    await asks("send half and whole");
  });

  it("shows output from elsewhere above the line being typed", async () => {
    const { agent, person, sees } = begin({ columns: 20 });
    const long = "a line that takes more than one row";
    person.type(long);
    await sees("> a line that takes\nmore than one row");
    agent.say({ type: "note", text: "saved" });
    await sees("\n  saved\n> a line that takes\nmore than one row");
  });

  it("keeps typed text visible below an answer that streams", async () => {
    const { agent, person, sees } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" });
    agent.say({ type: "message", turn_id: "t", item: 0, offset: 0, text: "The answer" });
    await sees("The answer");
    person.type("next");
    await sees("The answer\n> next");
    agent.say({ type: "message", turn_id: "t", item: 0, offset: 10, text: " is 42" });
    person.type("!");
    await sees("The answer is 42\n> next!");
  });

  it("passes no terminal control sequence of the agent to the terminal", async () => {
    const { agent, person, sees } = begin({ first: "go" });
    const before = person.written().length;
    const text = "a\u001b[2Jb\u001b]0;x\u0007c\u009b1md\u0007\n\te";
    agent.say({ type: "started", turn_id: "t", content: "go" });
    agent.say({ type: "message", turn_id: "t", item: 0, offset: 0, text });
    await sees("a⟦U+001B⟧[2Jb⟦U+001B⟧]0;x⟦U+0007⟧c⟦U+009B⟧1md⟦U+0007⟧");
    const ours = ["\r\u001b[2K", "\u001bD\u001b[A\u001b7\r\n", "\u001b8", "\r\u001b[J"];
    const written = person.written().slice(before);
    const rest = ours.reduce((left, sequence) => left.replaceAll(sequence, ""), written);
    expect(rest).not.toMatch(/[^\P{Cc}\n\t]/u);
  });
});

describe("a question", () => {
  it.each([
    ["y", "answer p-1 approved"],
    ["Y", "answer p-1 approved"],
    ["a", "answer p-1 approved always"],
    ["n", "answer p-1 rejected"],
  ])("is answered with %s; Enter and other keys do nothing", async (key, answer) => {
    const { agent, person, sees, asks } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" }, PERMISSION);
    await sees("? needs your answer: Run npm test");
    for (const other of ["\r", "x", "\u001b[A", CTRL_D, "yes\r"]) {
      person.type(other);
      await until(() => person.input.readableLength === 0, person.seen);
    }
    person.type(key);
    await asks(answer);
    expect(agent.asked).toEqual(["send go", answer]);
    agent.say({
      type: "answered",
      approval_id: "p-1",
      decision: "approved",
      note: null,
      choice: null,
    });
    await sees("(or reject)\n✓ approved: Run npm test\n○ working");
  });

  it("with options of the agent is answered by their numbers, and shows them in its words", async () => {
    const { agent, person, sees, asks } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" }, PLANNED);
    await sees(
      [
        "? Ready to code?",
        "  1 Yes, manually approve edits (approves once)",
        "  2 Yes, clear context (31% used) and use auto mode (approves always)",
        "  3 Yes, and use auto mode (approves always)",
        "  4 Yes, and bypass permissions (approves always)",
        "  5 No, keep planning (rejects)",
        "  y approve once   n reject",
        "  in another terminal: belay approve p-1 (or reject)",
      ].join("\n"),
    );
    // Three options approve always, and there are five in all.
    for (const key of ["a", "6", "0"]) person.type(key);
    person.type("3");
    await asks("answer p-1 exit-plan-auto");
    const [, , choice] = PLANNED.choices;
    agent.say({
      type: "answered",
      approval_id: "p-1",
      decision: "approved",
      note: null,
      choice: choice ?? null,
    });
    await sees("✓ approved (Yes, and use auto mode): Ready to code?\n");
    expect(agent.asked).toEqual(["send go", "answer p-1 exit-plan-auto"]);
  });

  it("that comes while another is open is not answered before its options are shown", async () => {
    const { agent, person, sees, asks } = begin({ first: "go" });
    const second = { ...PLANNED, approval_id: "p-2", title: "And then?" };
    agent.say({ type: "started", turn_id: "t", content: "go" }, PLANNED, second);
    await sees("? And then?\n  1 Yes, manually");
    person.type("5");
    person.type("1");
    await asks("answer p-1 reject");
    const none = { type: "answered", note: null, choice: null } as const;
    agent.say({ ...none, approval_id: "p-1", decision: "rejected" });
    await sees("✗ rejected: Ready to code?\n\n? And then?\n  1 Yes, manually");
    expect(agent.asked).toEqual(["send go", "answer p-1 reject"]);
    person.type("1");
    await asks("answer p-2 exit-plan-default");
  });

  it("without options, or with too many, is only rejected", async () => {
    for (const offered of [
      { options: [], choices: [], missing_choices: 0 },
      { options: PLANNED.options, choices: PLANNED.choices.slice(0, 2), missing_choices: 10 },
    ]) {
      const { agent, person, sees, asks } = begin({ first: "go" });
      agent.say({ type: "started", turn_id: "t", content: "go" }, { ...PERMISSION, ...offered });
      await sees("  n reject\n  in another terminal: belay reject p-1\n? needs your answer");
      for (const key of ["y", "a", "1", "n"]) person.type(key);
      await asks("answer p-1 rejected");
      expect(agent.asked).toEqual(["send go", "answer p-1 rejected"]);
    }
  });

  it("offers always only if it is possible", async () => {
    const { agent, person, sees, asks } = begin({ first: "go" });
    const options = ["allow_once", "reject_once"] as const;
    agent.say({ type: "started", turn_id: "t", content: "go" }, { ...PERMISSION, options });
    await sees("y approve once   n reject");
    person.type("a");
    person.type("y");
    await asks("answer p-1 approved");
  });

  it("disappears when someone else answers it, and keys are text again", async () => {
    const { agent, person, sees } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" }, PERMISSION);
    await sees("? needs your answer");
    agent.say({
      type: "answered",
      approval_id: "p-1",
      decision: "rejected",
      note: "not now",
      choice: null,
    });
    await sees("✗ rejected from elsewhere: Run npm test (not now)\n○ working");
    person.type("y");
    await sees("(not now)\n> y");
    expect(agent.asked).toEqual(["send go"]);
  });

  it("of recovery accepts only continue, and names the command for the other answers", async () => {
    const { agent, person, sees, asks } = begin();
    await sees(">");
    agent.say({ ...PERMISSION, kind: "recovery", action_id: null, options: [], title: "Deploy?" });
    await sees("in another terminal: belay answer p-1 continue|rollback|abort\n");
    person.type("y");
    await asks("continue p-1");
  });

  it("accepts no keys after it was answered elsewhere", async () => {
    const { agent, person, sees, asks } = begin();
    await sees(">");
    agent.say({ ...PERMISSION, kind: "question", action_id: null, title: "Deploy?" });
    await sees("? Deploy?\n  answer with: belay approve p-1 (or reject)\n>");
    person.type("yes\r");
    await asks("send yes");
    agent.say({ type: "started", turn_id: "t", content: "yes" }, completed("t"));
    agent.say({
      type: "answered",
      approval_id: "p-1",
      decision: "approved",
      note: null,
      choice: null,
    });
    await sees("✓ approved from elsewhere: Deploy?");
  });

  it("is not answered by keys of a message being typed", async () => {
    const { agent, person, sees, asks } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" });
    person.type("wh");
    await sees("> wh");
    agent.say(PERMISSION);
    await sees("> wh   (Enter sends this; then answer)");
    person.type("y");
    await sees("> why");
    person.type("\r");
    await asks("send why");
    person.type("n");
    await asks("answer p-1 rejected");
  });

  it("is shown again if its answer was not stored", async () => {
    const { agent, person, sees, asks } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" }, PERMISSION);
    await sees("? needs your answer");
    agent.refuseNext(new Error("the store is busy"));
    person.type("y");
    await sees("✗ the store is busy");
    person.type("n");
    await asks("answer p-1 rejected");
  });
});

describe("leaving", () => {
  it("interrupts with Ctrl-C, and suspends with the second", async () => {
    const { agent, person, sees, asks, exit } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" });
    await sees("○ working");
    person.type(CTRL_C);
    await asks("interrupt");
    await sees("⊘ interrupting; Ctrl-C again suspends the session");
    person.type(CTRL_C);
    expect(await exit).toBe(0);
    expect(agent.asked).toEqual(["send go", "interrupt", "suspend"]);
    expect(person.seen()).toMatch(/⊘ suspended · resume with: belay resume agent-1$/);
  });

  it("prints a line of its own, also in the middle of an answer", async () => {
    const { agent, person, sees } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" });
    agent.say({ type: "message", turn_id: "t", item: 0, offset: 0, text: "Once upon" });
    await sees("Once upon");
    person.type(CTRL_C);
    await sees("Once upon\n\n⊘ interrupting");
    agent.say({ type: "message", turn_id: "t", item: 0, offset: 9, text: " a time" });
    await sees("the session\n\n a time");
  });

  it("shows the prompt after an interrupted turn, where Ctrl-C suspends", async () => {
    const { agent, person, sees, asks, exit } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" }, PERMISSION);
    await sees("? needs your answer");
    person.type(CTRL_C);
    await asks("interrupt");
    agent.say({ type: "completed", turn_id: "t", outcome: "interrupted", usage: null });
    await sees("⊘ interrupted\n>");
    person.type(CTRL_C);
    expect(await exit).toBe(0);
    expect(agent.asked).toEqual(["send go", "interrupt", "suspend"]);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("suspends on %s", async (signal) => {
    const { agent, person, sees, exit } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" });
    await sees("○ working");
    person.signal(signal);
    person.signal(signal);
    expect(await exit).toBe(0);
    expect(agent.asked).toEqual(["send go", "suspend"]);
  });

  it("suspends when the terminal closes", async () => {
    const { agent, person, sees, exit } = begin();
    await sees(">");
    person.input.end();
    expect(await exit).toBe(0);
    expect(agent.asked).toEqual(["suspend"]);
  });

  it.each([CTRL_C, CTRL_D])("leaves a completed session as it is (%j)", async (key) => {
    const { agent, person, sees, exit } = begin();
    const refusal = refuse("session_completed", `${SESSION} is completed.`);
    agent.suspend = () => Promise.reject(new BelayError(refusal));
    agent.complete = agent.suspend;
    await sees(">");
    person.type(key);
    expect(await exit).toBe(0);
    expect(person.seen()).toContain(`✓ completed ${SESSION}`);
  });

  it("does not complete a session in which the agent still works", async () => {
    const { agent, person, sees } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" });
    await sees("○ working");
    person.type(CTRL_D);
    await sees("The agent is working. Ctrl-C interrupts it.");
    expect(agent.asked).toEqual(["send go"]);
  });

  it("gives up after a time if the session cannot be suspended", async () => {
    const { agent, person, sees, exit } = begin();
    agent.suspend = () => new Promise(() => {});
    await sees(">");
    person.type(CTRL_C);
    await sees("suspending …");
    person.type(CTRL_C);
    expect(await exit).toBe(130);
  });

  it.each([
    [{ type: "suspended", reason: "shutdown", checkpoint_id: null }, "⊘ suspended (shutdown)", 0],
    [{ type: "ended", status: "completed" }, "The session is completed.", 0],
    [{ type: "ended", status: "cancelled" }, "The session is cancelled.", 0],
    [{ type: "ended", status: "failed" }, "The session is failed.", 1],
  ] as const)("follows changes from elsewhere: %j", async (event, text, code) => {
    const { agent, person, sees, exit } = begin();
    await sees(">");
    agent.say(event);
    expect(await exit).toBe(code);
    expect(person.seen()).toContain(text);
    expect(agent.asked).toEqual([]);
  });

  it("shows why a message was refused, and continues", async () => {
    const { agent, person, sees, asks } = begin();
    await sees(">");
    agent.refuseNext(new Error("12 messages wait already"));
    person.type("one more\r");
    await sees("✗ 12 messages wait already\n>");
    person.type("again\r");
    await asks("send again");
  });

  it("accepts messages after a failed turn", async () => {
    const { agent, sees, person, asks } = begin({ first: "go" });
    agent.say({ type: "started", turn_id: "t", content: "go" });
    agent.say({ type: "error", turn_id: "t", message: "the agent died" });
    await sees("✗ the agent died\n  Send another message to retry. Details: belay log agent-1\n>");
    person.type("again\r");
    await asks("send again");
  });
});

describe("a conversation without a terminal", () => {
  it("fails if its turn fails", async () => {
    const { agent, asks, exit } = begin({ typed: false, interactive: false, first: "go" });
    await asks("send go");
    agent.say({ type: "started", turn_id: "t", content: "go" });
    agent.say({ type: "error", turn_id: "t", message: "the agent died" });
    expect(await exit).toBe(1);
    expect(agent.asked).toEqual(["send go", "suspend"]);
  });
});

function begin(options: Partial<TalkTerminal> & { first?: string } = {}) {
  const { first = null, ...terminal } = options;
  const person = testTerminal(terminal);
  const agent = { ...testConversation() };
  const exit =
    first !== null && !person.typed ? runOnce(agent, first, person) : talk(agent, person, first);
  exit.catch(() => {});
  return {
    agent,
    person,
    exit,
    sees: (text: string) => until(() => person.seen().includes(text), person.seen),
    asks: (what: string) =>
      until(
        () => agent.asked.includes(what),
        () => agent.asked.join("\n"),
      ),
  };
}

function completed(turn_id: string) {
  return { type: "completed", turn_id, outcome: "completed", usage: NO_USAGE } as const;
}

const NO_USAGE = { input_tokens: 0, output_tokens: 0, cost_usd: 0 } as const;
