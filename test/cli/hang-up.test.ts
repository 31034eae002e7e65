import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { openBelay } from "../../src/index.ts";
import { processesMarked, until } from "../run/run-lab.ts";
import { newPlace } from "./run-belay.ts";

const BIN = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));
const place = newPlace();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => place.remove());

/** A turn with regular output that lasts longer than any test. */
const TALKATIVE = "/slow 300\n/say and on\n".repeat(200);

function start(id: string, under: readonly string[], message = TALKATIVE): ChildProcess {
  const run = [process.execPath, BIN, "run", "demo", "--once", "--id", id, message];
  const [command = "", ...args] = [...under, ...run];
  const env = { PATH: process.env.PATH ?? "", HOME: place.root, BELAY_HOME: place.home };
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(command, args, { cwd: place.root, env, stdio: [...stdio] });
  child.stdout?.resume();
  children.push(child);
  return child;
}

/** Disconnects the user once the agent talks, and returns the state of the session. */
async function cutOff(id: string, child: ChildProcess, cut: () => void) {
  const belay = await openBelay({ home: place.home });
  try {
    const { entity_id } = await until("the agent's words", async () => {
      const session = await belay.sessions.get({ id }).catch(() => null);
      const { events } = session ? await belay.sessions.log({ id }) : { events: [] };
      return events.some(({ type }) => type === "turn.part") ? session : null;
    });
    cut();
    await until("its end", () => child.exitCode !== null || child.signalCode !== null);
    await until("its processes' end", () => processesMarked(entity_id).length === 0);
    await until(
      "that nobody drives it",
      async () => (await belay.sessions.get({ id })).driver === null,
    );
    const { status } = await belay.sessions.get({ id });
    const { turns } = await belay.turns.list({ id });
    return { status, turn: turns[0]?.status };
  } finally {
    await belay.close();
  }
}

const SUSPENDED = { status: "suspended", turn: "interrupted" };

describe("a run that loses its user", () => {
  it("suspends the session and ends the agent when its reader closes the pipe", async () => {
    const child = start("piped", []);
    expect(await cutOff("piped", child, () => child.stdout?.destroy())).toEqual(SUSPENDED);
  });

  it("suspends the session and ends the agent on SIGHUP", async () => {
    const child = start("hung-up", []);
    expect(await cutOff("hung-up", child, () => child.kill("SIGHUP"))).toEqual(SUSPENDED);
  });

  it.skipIf(!existsSync("/usr/bin/script")).each([
    ["closed", []],
    // A process without this controlling terminal gets no SIGHUP, only EIO.
    ["closed-without-SIGHUP", ["setsid", "-w"]],
  ])("suspends the session and ends the agent when its terminal is %s", async (id, under) => {
    // Everything that `script` runs has a terminal of its own, which closes with it.
    const quoted = (word: string) => `'${word}'`;
    const run = [...under, process.execPath, BIN, "run", "demo", "--id", id, TALKATIVE];
    const child = spawn("script", ["-qec", `exec ${run.map(quoted).join(" ")}`, "/dev/null"], {
      cwd: place.root,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: place.root,
        BELAY_HOME: place.home,
        TERM: "xterm",
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdout.resume();
    children.push(child);
    expect(await cutOff(id, child, () => child.kill("SIGKILL"))).toEqual(SUSPENDED);
  });
});

describe("the launcher", () => {
  it("ends the program that it started, however the launcher ends", async () => {
    // Like an older Node that starts a newer one.
    const script = `const { spawn } = require("node:child_process");
      const env = { ...process.env, BELAY_LAUNCHER: String(process.pid) };
      spawn(process.argv[1], process.argv.slice(2), { stdio: "inherit", env });`;
    const child = start("launched", [process.execPath, "-e", script, "--"]);
    const ended = once(child, "exit");
    expect(await cutOff("launched", child, () => child.kill("SIGKILL"))).toMatchObject({
      status: "suspended",
    });
    await ended;
  });
});
