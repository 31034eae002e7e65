import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { readMachineUptime } from "../../../src/process/read-proc.ts";
import { DEADLINE_SIGNAL, supervise, writeDeadline } from "../../../src/process/supervise.ts";
import { processesMarked, until } from "../../run/run-parts.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

let marks = 0;

/** A command with a child that has left its group, under a supervisor that reads deadlines. */
function start(ms: number) {
  marks += 1;
  const mark = `deadline ${process.pid} ${marks}`;
  const env = { PATH: process.env.PATH, BELAY_AGENT_PROCESS: mark };
  const script = "setsid sleep 1000 & trap '' TERM; sleep 1000 & wait; wait";
  const at = readMachineUptime().up_ms + ms;
  const { command, args } = supervise({ command: "/bin/sh", args: ["-c", script] }, env, "/", at);
  const child = spawn(command, args, { env, stdio: ["pipe", "ignore", "ignore", "pipe"] });
  children.push(child);
  const beat = child.stdio[3];
  if (!(beat instanceof Socket)) throw new Error("it cannot be told anything");
  const ended = new Promise<{ up: number; signal: string | null }>((resolve) =>
    child.once("exit", (_, signal) => resolve({ up: readMachineUptime().up_ms, signal })),
  );
  return { at, beat, ended, left: () => processesMarked(mark) };
}

describe("the supervisor of an agent with a deadline", () => {
  it("kills everything at that time, and not before", async () => {
    const { at, ended, left } = start(700);
    const { up, signal } = await ended;
    expect(up).toBeGreaterThanOrEqual(at - 20);
    expect(signal).toBe(DEADLINE_SIGNAL);
    expect(left()).toEqual([]);
  });

  it("waits while the deadline is extended", async () => {
    const { at, beat, ended } = start(700);
    const later = at + 800;
    beat.write(`${writeDeadline(later)}\n`);
    expect((await ended).up).toBeGreaterThanOrEqual(later - 20);
  });

  it("kills everything at once when the process that started it is gone", async () => {
    const { beat, ended, left } = start(3_600_000);
    await until("its processes", () => left().length >= 3);
    beat.destroy();
    expect((await ended).signal).toBe("SIGKILL");
    expect(left()).toEqual([]);
  });
});
