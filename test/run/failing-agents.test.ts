import { describe, expect, it } from "vitest";
import { CONTINUE_MESSAGE } from "../../src/contract/continue-message.ts";
import { BelayError } from "../../src/index.ts";
import { DEMO_PROGRAM } from "../agent/demo/demo-program.ts";
import {
  answers,
  begin,
  factsOf,
  find,
  killAgent,
  type Lab,
  logOf,
  openLab,
  openLimited,
  openQuestion,
  processesMarked,
  processesOf,
  promptEnding,
  said,
  talk,
  until,
  writeAgent,
} from "./run-lab.ts";

/** Its last message about the turn. */
const failure = (events: Parameters<typeof find>[0]) => find(events, "error").at(-1)?.message ?? "";

describe("an agent that cannot be started", () => {
  it("is refused before anything starts if its command is missing", async () => {
    const lab = await openLab({ command: ["no-such-agent-anywhere"] });
    const refused = await talk(lab, "hello").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BelayError);
    expect(refused).toMatchObject({ code: "agent_not_found" });
    expect(String(refused)).toContain("no-such-agent-anywhere");
    expect((await lab.belay.sessions.list({})).sessions).toEqual([]);
  });

  it.each([
    { flags: ["--exit-on-initialize"], says: /ended \(exit code 1\)/ },
    { flags: ["--never-initialize"], timeouts: { initialize: 0.5 }, says: /did not answer/ },
    { flags: ["--login-required"], says: /requires a login/ },
  ])("fails the turn with the reason: $flags.0", async ({ says, ...settings }) => {
    const lab = await openLab(settings);
    const { id, events } = await talk(lab, "hello");
    expect(failure(events)).toMatch(says);
    expect(await lab.belay.sessions.get({ id })).toMatchObject({
      status: "active",
      error_count: 1,
    });
    expect(await processesOf(lab, id)).toEqual([]);
    writeAgent(lab.home, {});
    await answers(lab, id);
    expect(promptEnding(lab, "/say still here")).toContain("> - hello");
    await lab.belay.close();
  });
});

describe("an agent that dies", () => {
  it("fails the turn, keeps its text, and is reopened with its memory", async () => {
    const lab = await openLab();
    const { id, events } = await talk(lab, "/say before the end\n/crash");
    expect(failure(events)).toContain("SIGKILL");
    expect(said(events)).toBe("before the end");
    const { turns } = await lab.belay.turns.list({ id });
    expect(turns).toMatchObject([{ status: "failed", output: "before the end" }]);
    const next = await answers(lab, id);
    expect(find(next.events, "agent")).toMatchObject([{ state: "started", how: "load" }]);
    expect(promptEnding(lab, "/say still here")).toContain("was interrupted before it ended");
  });

  it("has its questions expired, which need no recovery because the calls never ran", async () => {
    const lab = await openLab();
    const { id, done } = await begin(lab, "/run touch never", {
      async on(event) {
        if (event.type === "permission") await killAgent(lab, event.session_id);
      },
      decide: "nobody",
    });
    const { events } = await done;
    expect(failure(events)).toContain("SIGKILL");
    expect(find(events, "answered")).toMatchObject([{ decision: "expired" }]);
    expect(find(events, "answered")[0]?.note).toContain("interrupted");
    expect(await factsOf(lab, id, "action.completed")).toMatchObject([
      { status: "interrupted", result: "interrupted", details: { outcome: "never_ran" } },
    ]);
    expect(await lab.belay.sessions.get({ id })).toMatchObject({
      status: "active",
      pending_approvals: 0,
    });
    await answers(lab, id);
  });

  it("has its shell ended, and a person is asked about the outcome", async () => {
    const lab = await openLab();
    const { id, done } = await begin(lab, "/run sleep 30");
    await until("the shell", async () => (await processesOf(lab, id)).length > 1);
    await killAgent(lab, id);
    const { events } = await done;
    expect(find(events, "suspended")).toMatchObject([{ reason: "approval" }]);
    expect(await factsOf(lab, id, "action.completed")).toMatchObject([
      { status: "interrupted", details: { outcome: "unknown" } },
    ]);
    expect(await processesOf(lab, id)).toEqual([]);
    expect(await lab.belay.sessions.get({ id })).toMatchObject({ status: "suspended" });

    const question = await openQuestion(lab, id);
    expect(question).toMatchObject({ kind: "recovery" });
    expect(question.body).toContain("sleep 30");
    await expect(lab.belay.sessions.resume({ id })).rejects.toMatchObject({
      code: "recovery_pending",
    });
    await expect(talk(lab, "go on", { id })).rejects.toMatchObject({ code: "recovery_pending" });
    await lab.belay.recovery.answer({ approval_id: question.approval_id, answer: "continue" });
    expect((await lab.belay.sessions.get({ id })).status).toBe("active");
    await answers(lab, id);
    const prompt = promptEnding(lab, CONTINUE_MESSAGE);
    expect(prompt).toContain("> - sleep 30: it is unknown whether it ran");
    expect(prompt).toContain("Check whether a call of unknown outcome has happened");
    await lab.belay.close();
  });

  it("is noticed between turns, and the next message starts it again", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/say one");
    await killAgent(lab, id);
    await until("its end", async () => (await lab.belay.sessions.get({ id })).driver === null);
    expect(await factsOf(lab, id, "agent.stopped")).toMatchObject([{ reason: "died" }]);
    const { events } = await answers(lab, id);
    expect(find(events, "agent")).toMatchObject([{ how: "load" }]);
  });

  it("loses no turn if it exits after each answer", async () => {
    const lab = await openLab({ command: ["sh", "-c", oneAnswer(process.execPath)] });
    const { id } = await talk(lab, "/say one");
    for (const word of ["two", "three"]) {
      await until("its end", async () => (await lab.belay.sessions.get({ id })).driver === null);
      await answers(lab, id, word);
    }
  });
});

/** The demo agent, ended as soon as it has answered a prompt. */
function oneAnswer(node: string): string {
  return `exec ${node} -e '
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["${DEMO_PROGRAM}"], { stdio: ["pipe", "pipe", "inherit"] });
    process.stdin.pipe(child.stdin);
    let rest = "";
    child.stdout.on("data", (data) => {
      rest += data;
      const lines = rest.split("\\n");
      rest = lines.pop();
      for (const line of lines) {
        process.stdout.write(line + "\\n");
        if (line.includes("stopReason")) { child.kill("SIGKILL"); process.exit(0); }
      }
    });
  '`;
}

describe("an agent that hangs", () => {
  it("gets more time while one of its tools runs", async () => {
    const lab = await openLab({ timeouts: { turn: 0.5 }, permissions: { "*": "allow" } });
    const { events } = await talk(lab, "/run sleep 1.5\n/say done");
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "completed" });
  });

  it("fails the turn after it was silent for too long, and is ended", async () => {
    const { home } = await openLab({ timeouts: { turn: 1 } });
    const lab = await openLimited(home, { cancel: 100 });
    const { id, events } = await talk(lab, "/say hm\n/hang");
    expect(failure(events)).toContain("the agent was silent for too long");
    expect(await processesOf(lab, id)).toEqual([]);
    await answers(lab, id);
  });
});

describe("an agent that sends too much", () => {
  it("is recorded in order, in a limited number of rows", async () => {
    const lab = await openLab();
    const { id } = await talk(lab, "/flood 50000");
    const log = await logOf(lab, id);
    expect(log.length).toBeLessThan(200);
    const { turns } = await lab.belay.turns.list({ id });
    const expected = Array.from({ length: 50_000 }, (_, at) => `${at + 1} `).join("");
    expect(turns[0]?.output).toBe(expected);
  });

  it("is recorded completely if one message is larger than an event", async () => {
    const lab = await openLab();
    const { id, events } = await talk(lab, "/huge 10\n/say done");
    expect(find(events, "error")).toEqual([]);
    const { turns } = await lab.belay.turns.list({ id });
    const said = 10 * 1024 * 1024 + "\ndone".length;
    // The turn itself is cut at the size of a page, and marked.
    expect(turns[0]?.output.length).toBeLessThan(said);
    expect(turns[0]?.whole_bytes).toBe(said + (turns[0]?.input.length ?? 0));
    expect(await messageLength(lab, id)).toBe(said);
  });

  it("is recorded with a note if a message is too large to read", async () => {
    const lab = await openLab();
    const { id, events } = await talk(lab, "/huge 20\n/say done");
    expect(find(events, "note").map(({ text }) => text)).toEqual([
      expect.stringContaining("too large to read"),
    ]);
    expect(said(events)).toContain("done");
    await answers(lab, id);
  });

  it("is recorded with a note if a message is of an unknown kind", async () => {
    const lab = await openLab();
    const { events } = await talk(lab, "/unknown\n/say done");
    expect(find(events, "note").map(({ text }) => text)).toEqual([
      expect.stringContaining("weather_report"),
    ]);
    expect(said(events)).toBe("done");
  });

  it("is not disturbed by other lines on stdout", async () => {
    const lab = await openLab({ flags: ["--noise"] });
    const { id, events } = await talk(lab, "/noise hello\n/say clear");
    expect(said(events)).toBe("clear");
    await answers(lab, id);
  });
});

describe("an agent that does not exit", () => {
  it("is ended with all its child processes", async () => {
    const lab = await openLab({ flags: ["--ignore-term", "--ignore-end", "--relaunch"] });
    const { id } = await talk(lab, "/say hello");
    const { entity_id } = await lab.belay.sessions.get({ id });
    expect((await processesOf(lab, id)).length).toBe(2);
    await lab.belay.close();
    expect(processesMarked(entity_id)).toEqual([]);
  });
});

/** The length of all the agent's text in the log. */
async function messageLength({ belay }: Lab, id: string): Promise<number> {
  let length = 0;
  for (let after = 0; ; ) {
    const { events } = await belay.sessions.log({ id, after, limit: 1000 });
    for (const { type, data } of events) {
      if (type === "turn.part" && data.kind === "message") length += String(data.text).length;
    }
    const last = events.at(-1);
    if (!last) return length;
    after = last.seq;
  }
}
