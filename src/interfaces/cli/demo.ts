import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import colors from "picocolors";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { OpenBelay, Program } from "./program.ts";
import * as show from "./show.ts";

const SESSION = "demo-session";

/** A guided tour in a folder of its own: an agent at work is killed with SIGKILL, and its session goes on. */
export async function demo(args: readonly string[], program: Program): Promise<number> {
  if (args[0] === "--worker") return work(program);
  if (args.length > 0) throw new BelayError(refuse("usage", "use it like this: belay demo"));
  const home = mkdtempSync(join(tmpdir(), "belay-demo-"));
  const clean = (): void => rmSync(home, { recursive: true, force: true });
  const leave = (): never => {
    clean();
    process.exit(130);
  };
  process.once("SIGINT", leave);
  process.once("SIGTERM", leave);
  try {
    return await tour(program.at(home), home);
  } finally {
    process.off("SIGINT", leave);
    process.off("SIGTERM", leave);
    clean();
  }
}

async function tour(program: Program, home: string): Promise<number> {
  const { terminal, caller } = program;
  const say = async (text: string): Promise<void> => {
    terminal.write(`\n${colors.bold(text)}\n`);
    if (terminal.interactive) await pause(700);
  };

  await say(
    "1. An agent process starts a session and works. Each line is acknowledged, so it is on disk.",
  );
  const acknowledged = await workUntilKilled(home, (line) => terminal.write(`   ${line}\n`));
  terminal.write(colors.red("   kill -9: the agent is gone in the middle of a deployment\n"));

  const belay = await program.open();
  try {
    const before = await belay.service.call("get", { id: SESSION }, caller);
    await say("2. The session is still there.");
    terminal.write(indent(show.session(before)));
    const { turns } = await belay.service.call("turns", { id: SESSION }, caller);
    const lost = acknowledged - turns.length;
    terminal.write(
      `\n   acknowledged turns: ${acknowledged}, in the log: ${turns.length}, lost: ${lost}\n`,
    );
    if (lost > 0) throw new BelayError(refuse("internal", "the demo lost an acknowledged turn"));

    await say(
      "3. Suspend it here, resume it anywhere. The deployment's outcome is not known, so it is not repeated.",
    );
    await goOn(belay, program);
    const after = await belay.service.call("get", { id: SESSION }, caller);
    terminal.write(indent(show.session(after)));

    await say("4. What happened, from the log alone:");
    const log = await belay.service.call("log", { id: SESSION }, caller);
    terminal.write(indent(show.log(log, { ...terminal, columns: terminal.columns - 3 })));

    await say("5. Nothing was changed behind our back:");
    const result = await belay.maintenance.verify();
    terminal.write(
      `   verify: ${result.ok ? colors.green("everything is as it was written") : colors.red("damage")}\n`,
    );
    terminal.write(
      `\nYour turn: ${colors.cyan("npx belay create --agent NAME --purpose WHY")}, then ${colors.cyan("npx belay list")}\n`,
    );
    return result.ok ? 0 : 1;
  } finally {
    await belay.close();
  }
}

async function goOn({ service }: OpenBelay, { caller }: Program): Promise<void> {
  const { events } = await service.call("log", { id: SESSION }, caller);
  const open = events.find((event) => event.type === "action.started");
  await service.call("suspend", { id: SESSION }, caller);
  await service.call("resume", { id: SESSION }, { ...caller, interface: "library" });
  await service.call(
    "complete_action",
    {
      id: SESSION,
      action_id: String(open?.data.action_id),
      status: "interrupted",
      result: "outcome unknown",
    },
    caller,
  );
  await service.call(
    "record_turn",
    { id: SESSION, input: "Did the deployment happen?", output: "It did; I looked. Done." },
    caller,
  );
  await service.call(
    "finalize",
    { id: SESSION, outcome: "completed", summary: "Deployed once" },
    caller,
  );
}

/** Starts the agent process, counts what it was told is durable, and kills it once its deployment has begun. */
async function workUntilKilled(home: string, onLine: (line: string) => void): Promise<number> {
  const [script = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [script, "demo", "--worker"], {
    env: { ...process.env, BELAY_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    onLine(line);
    if (line.startsWith("turn")) acknowledged += 1;
    if (line.startsWith("action")) child.kill("SIGKILL");
  }
  await gone;
  return acknowledged;
}

const SCRIPT = [
  ["Why is the deployment slow?", "The image is rebuilt on every commit."],
  ["Can we cache it?", "Yes: the lockfile rarely changes."],
  ["Do it.", "Cached the install step; the build takes 40 s now."],
] as const;

/** The agent of the tour. It waits to be killed. */
async function work(program: Program): Promise<number> {
  const belay = await program.open();
  const { caller, terminal } = program;
  const { service } = belay;
  await service.call(
    "create",
    { agent_name: "deploy-bot", purpose: "speed up the deployment", session_id: SESSION },
    caller,
  );
  for (const [input, output] of SCRIPT) {
    const { version } = await service.call("record_turn", { id: SESSION, input, output }, caller);
    terminal.write(`turn ${version}: ${input} ${output}\n`);
    if (program.terminal.interactive) await pause(300);
  }
  await service.call("update", { id: SESSION, phase: "executing" }, caller);
  await service.call("begin_action", { id: SESSION, type: "deploy", effects: "remote" }, caller);
  terminal.write("action: deploying to production...\n");
  await pause(60_000);
  return 70;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "   ");
}
