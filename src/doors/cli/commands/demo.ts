import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { isRecord } from "../../../contract/is-record.ts";
import type { RunEvent } from "../../../contract/run-event.ts";
import { colors } from "../colors.ts";
import type { Program, ResumableConversation } from "../program.ts";
import * as show from "../show/show.ts";
import { createRunView } from "../talk/run-view.ts";

const SESSION = "demo-session";

/**
 * A guided tour in a temporary folder: Belay and its agent are killed with SIGKILL at work, and the session continues.
 */
export async function demo(args: readonly string[], program: Program): Promise<number> {
  if (args.length > 0) throw new BelayError(refuse("usage", "Usage: belay demo"));
  const root = mkdtempSync(join(tmpdir(), "belay-demo-"));
  const clean = (): void => rmSync(root, { recursive: true, force: true });
  const leave = (): never => {
    clean();
    process.exit(130);
  };
  process.once("SIGINT", leave);
  process.once("SIGTERM", leave);
  try {
    return await tour(program.at(join(root, "home")), join(root, "work"));
  } finally {
    process.off("SIGINT", leave);
    process.off("SIGTERM", leave);
    clean();
  }
}

async function tour(program: Program, cwd: string): Promise<number> {
  mkdirSync(cwd, { recursive: true });
  const { terminal, caller } = program;
  const say = async (text: string): Promise<void> => {
    terminal.write(`\n${colors.bold(text)}\n`);
    if (terminal.interactive) await pause(900);
  };

  await say(
    "1. An agent answers a message in a session. Belay stores its answer while it streams.",
  );
  const belay = await program.open();
  try {
    const print = createPrinter(program);
    const conversation = await belay.converse({ agent: "demo", session_id: SESSION, cwd });
    await turn(conversation, "remember that the release is called Ahorn", print);
    await conversation.suspend();
    conversation.close();

    await say(
      "2. Another process resumes the session. You approve a command, and the agent runs it.",
    );
    const lost = await workUntilKilled(program, print);

    await say(
      "3. The session and the prompt are still there. It is unknown whether the command finished:",
    );
    const back = await belay.converse({ id: SESSION });
    await back.resume();
    const { approvals } = await belay.service.call("list_approvals", {}, caller);
    const question = approvals.find((approval) => approval.kind === "recovery");
    if (!question) throw new BelayError(refuse("internal", "The demo expected a question."));
    terminal.write(indent(show.approval(question)));

    await say(
      "4. So Belay asks you instead of running it again. You answer: continue. The agent still knows the conversation.",
    );
    await back.continue(question.approval_id);
    await turn(back, "what do you remember?", print);
    await back.complete();
    back.close();

    await say("5. The log shows everything that happened:");
    const log = await belay.service.call("log", { id: SESSION, limit: 200 }, caller);
    const told = log.events.filter(({ type }) => !UNTOLD.has(type));
    terminal.write(
      indent(show.log({ ...log, events: told }, { ...terminal, columns: terminal.columns - 3 })),
    );
    const kept = log.events.some(({ data }) => data.content === lost);
    if (!kept) throw new BelayError(refuse("internal", "The demo lost a prompt."));

    await say("6. Belay checks that nothing stored was lost or changed:");
    const result = await belay.maintenance.verify();
    terminal.write(
      `   verify: ${result.ok ? colors.green("no damage found") : colors.red("damage")}\n`,
    );
    terminal.write(
      `\nTry it yourself: ${colors.cyan('npx belay run demo "hello"')}, ${colors.cyan("npx belay agents")}, ${colors.cyan("npx belay list")}\n`,
    );
    return result.ok ? 0 : 1;
  } finally {
    await belay.close();
  }
}

/** Events that the tour leaves out; `belay log` shows them all. */
const UNTOLD: ReadonlySet<string> = new Set(["phase.changed", "turn.part", "session.activated"]);

function createPrinter({ terminal }: Program): (event: RunEvent) => void {
  const view = createRunView({
    columns: terminal.columns - 3,
    color: colors.isColorSupported,
    interactive: false,
  });
  let atStart = true;
  return (event) => {
    for (const line of view.show(event).split(/(?<=\n)/)) {
      terminal.write(atStart && /[^\n]/.test(line) ? `   ${line}` : line);
      if (line !== "") atStart = line.endsWith("\n");
    }
  };
}

async function turn(
  conversation: ResumableConversation,
  message: string,
  print: (event: RunEvent) => void,
): Promise<void> {
  const turn_id = await conversation.send(message);
  let begun = false;
  for await (const event of conversation.events) {
    begun ||= event.type === "started" && event.turn_id === turn_id;
    if (!begun) continue;
    print(event);
    if (event.type === "completed") return;
    if (event.type === "error") throw new BelayError(refuse("agent_failed", event.message));
  }
}

/**
 * Another Belay process sends a message. Once the agent's command runs, the process and its agent are killed. Returns
 * the message.
 */
async function workUntilKilled(
  program: Program,
  print: (event: RunEvent) => void,
): Promise<string> {
  const message = "/say Deploying Ahorn.\n/run sleep 60";
  const belay = await program.open();
  const onlooker = await belay.converse({ id: SESSION });
  const [script = ""] = process.argv.slice(1);
  await belay.service.call("resume", { id: SESSION }, program.caller);
  const other = spawn(process.execPath, [script, "send", SESSION, message], {
    env: { ...process.env, BELAY_HOME: program.home },
    stdio: "ignore",
  });
  const gone = new Promise((resolve) => other.once("exit", resolve));
  const failed = gone.then(() => onlooker.close());
  try {
    for await (const event of onlooker.events) {
      if (event.type !== "permission") print(event);
      if (event.type === "permission") {
        await onlooker.answer(event.approval_id, { decision: "approved" });
      }
      if (event.type === "answered") break;
    }
    await pause(300);
    const { events } = await belay.service.call("log", { id: SESSION, limit: 200 }, program.caller);
    const started = events.findLast(({ type }) => type === "agent.started");
    other.kill("SIGKILL");
    killAgent(started?.data.process);
    await failed;
    program.terminal.write(
      colors.red("   kill -9: Belay and the agent are killed in the middle of it\n"),
    );
    return message;
  } finally {
    onlooker.close();
    await belay.close();
  }
}

function killAgent(told: unknown): void {
  if (isRecord(told) && typeof told.pid === "number") process.kill(told.pid, "SIGKILL");
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "   ");
}
