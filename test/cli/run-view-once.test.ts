import { describe, expect, it } from "vitest";
import { attach } from "../../src/doors/cli/talk/attach.ts";
import { runOnce } from "../../src/doors/cli/talk/run-once.ts";
import type { TalkTerminal } from "../../src/doors/cli/talk/talk-terminal.ts";
import { testConversation, testTerminal, until } from "./run-view-terminal.ts";

const STARTED = { type: "started", turn_id: "t", content: "go" } as const;
const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 } as const;
const DONE = { type: "completed", turn_id: "t", outcome: "completed", usage } as const;
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

describe("one turn", () => {
  it("is shown, and completes the session", async () => {
    const { agent, person, exit } = once();
    agent.say(STARTED, { type: "message", turn_id: "t", item: 0, offset: 0, text: "Hi." }, DONE);
    expect(await exit).toBe(0);
    expect(agent.asked).toEqual(["send go", "complete"]);
    expect(person.seen()).toBe("Hi.\n\n✓ done");
  });

  it("without usage is not shown as completed, because no model may have answered", async () => {
    const { agent, person, exit } = once();
    agent.say(STARTED, { ...DONE, usage: null });
    expect(await exit).toBe(0);
    expect(person.seen()).toBe("• ended without usage");
  });

  it("is printed as one JSON object per line with --json", async () => {
    const { agent, person, exit } = once({ json: true, interactive: false, typed: false });
    agent.say(STARTED, DONE);
    expect(await exit).toBe(0);
    expect(
      person
        .written()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { ...STARTED, session_id: "agent-1" },
      { ...DONE, session_id: "agent-1" },
    ]);
  });

  it.each([
    [{ type: "error", turn_id: "t", message: "it died" }, ["send go", "suspend"]],
    [{ type: "error", turn_id: null, message: "no such agent" }, ["send go", "suspend"]],
    [{ ...DONE, outcome: "interrupted" }, ["send go", "suspend"]],
    [{ type: "suspended", reason: "shutdown", checkpoint_id: null }, ["send go"]],
    [{ type: "ended", status: "cancelled" }, ["send go"]],
  ] as const)("fails with %j, and leaves a session that can be resumed", async (end, asked) => {
    const { agent, exit } = once();
    agent.say(STARTED, end);
    expect(await exit).toBe(1);
    expect(agent.asked).toEqual(asked);
  });

  it.each([
    [DONE, 0],
    [{ ...DONE, outcome: "interrupted" }, 1],
    [{ type: "error", turn_id: "t", message: "it died" }, 1],
  ] as const)("does not complete the session on request: %j", async (end, code) => {
    const agent = testConversation();
    const exit = runOnce(agent, "go", testTerminal(), "keep");
    agent.say(STARTED, end);
    expect(await exit).toBe(code);
    expect(agent.asked).toEqual(["send go"]);
  });

  it("does not leave a running turn behind", async () => {
    const [agent, person] = [testConversation(), testTerminal()];
    const exit = runOnce(agent, "go", person, "keep");
    agent.say(STARTED);
    await until(() => person.seen().includes("○ working"), person.seen);
    person.signal("SIGTERM");
    expect(await exit).toBe(1);
    expect(agent.asked).toEqual(["send go", "suspend"]);
  });

  it("waits for its own turn, not for that of another message", async () => {
    const { agent, person, exit } = once();
    agent.say({ type: "started", turn_id: "other", content: "before" });
    agent.say({ type: "queued", turn_id: "t", content: "go" }, { ...DONE, turn_id: "other" });
    await until(() => person.seen().includes("✓ done"), person.seen);
    expect(agent.asked).toEqual(["send go"]);
    agent.say(STARTED, DONE);
    expect(await exit).toBe(0);
  });

  it("shows its position in line as it changes, and Ctrl-C withdraws it", async () => {
    const { agent, person, exit } = once();
    const line = (position: number) =>
      `○ starts when an agent is free (number ${position} in line)`;
    agent.say({ type: "queued", turn_id: "t", content: "go" }, { type: "waiting", position: 2 });
    await until(() => person.seen().endsWith(line(2)), person.seen);
    agent.say({ type: "waiting", position: 1 });
    await until(() => person.seen().endsWith(line(1)), person.seen);
    person.type("\u0003");
    await until(() => agent.asked.includes("interrupt"), person.seen);
    agent.say({ ...DONE, outcome: "cancelled", usage: null });
    expect(await exit).toBe(1);
    expect(person.seen()).not.toContain("in line");
  });

  it("without a terminal has one line per position", async () => {
    const { agent, person, exit } = once({ interactive: false, typed: false });
    agent.say({ type: "waiting", position: 1 }, STARTED, DONE);
    expect(await exit).toBe(0);
    expect(person.seen()).toContain("  starts when an agent is free (number 1 in line)\n");
  });

  it("asks for permission at a terminal", async () => {
    const { agent, person, exit } = once();
    agent.say(STARTED, PERMISSION);
    await until(() => person.seen().includes("y approve once"), person.seen);
    person.type("a");
    await until(() => agent.asked.includes("answer p-1 approved always"), person.seen);
    agent.say(DONE);
    expect(await exit).toBe(0);
  });

  it("without a terminal shows how to answer from elsewhere, and waits", async () => {
    const { agent, person, exit } = once({ interactive: false, typed: false });
    agent.say(STARTED, PERMISSION);
    const how = "? Run npm test\n  answer with: belay approve p-1 (or reject)\n";
    await until(() => person.written().includes(how), person.written);
    agent.say(
      { type: "answered", approval_id: "p-1", decision: "approved", note: null, choice: null },
      DONE,
    );
    expect(await exit).toBe(0);
    expect(person.written()).toContain("✓ approved from elsewhere: Run npm test\n");
  });

  it.each([
    ["a key", true],
    ["a signal", false],
  ])("is interrupted by Ctrl-C as %s, and suspended by the second", async (_, typed) => {
    const { agent, person, exit } = once({ typed });
    const press = () => (typed ? person.type("\u0003") : person.signal("SIGINT"));
    agent.say(STARTED);
    await until(() => person.seen().includes("○ working"), person.seen);
    press();
    await until(() => agent.asked.includes("interrupt"), person.seen);
    press();
    expect(await exit).toBe(1);
    expect(agent.asked).toEqual(["send go", "interrupt", "suspend"]);
    expect(person.seen()).toMatch(/belay resume agent-1$/);
  });

  it("fails if the message is refused", async () => {
    const agent = testConversation();
    agent.refuseNext(new Error("the session is archived"));
    await expect(runOnce(agent, "go", testTerminal())).rejects.toThrow("the session is archived");
  });
});

describe("watching a session", () => {
  it("shows events until the session ends", async () => {
    const [agent, person] = [testConversation(), testTerminal()];
    const exit = attach(agent.events, person);
    agent.say(STARTED, DONE, { type: "ended", status: "completed" });
    expect(await exit).toBe(0);
    expect(person.seen()).toBe("> go\n\n✓ done\n\nThe session is completed.");
  });

  it("continues after a suspension", async () => {
    const [agent, person] = [testConversation(), testTerminal()];
    const exit = attach(agent.events, person);
    agent.say({ type: "suspended", reason: "shutdown", checkpoint_id: null });
    agent.say({ type: "resumed", interface: "web" });
    await until(() => person.seen().includes("resumed through web"), person.seen);
    agent.end();
    expect(await exit).toBe(0);
  });

  it("leaves the session unchanged on Ctrl-C, and reports it", async () => {
    const [agent, person] = [testConversation(), testTerminal()];
    const exit = attach(agent.events, person);
    agent.say(STARTED, PERMISSION);
    await until(() => person.seen().includes("answer with: belay approve p-1"), person.seen);
    person.signal("SIGINT");
    expect(await exit).toBe(0);
    expect(agent.asked).toEqual([]);
    expect(person.seen()).toMatch(
      /\n\nDetached\. The session continues\. Watch again with: belay attach agent-1$/,
    );
  });
});

function once(options: Partial<TalkTerminal> = {}) {
  const [agent, person] = [testConversation(), testTerminal(options)];
  const exit = runOnce(agent, "go", person);
  return { agent, person, exit };
}
