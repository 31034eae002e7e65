import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { identifyProcess, isAlive } from "../../src/process/process-identity.ts";
import {
  endMarked,
  endTree,
  MARKER_VARIABLE,
  sendSignal,
  snapshotTree,
} from "../../src/process/process-tree.ts";
import { readStat } from "../../src/process/read-proc.ts";
import { PATIENCE_MS } from "../patience.ts";

const IGNORES_TERM = "trap '' TERM; while :; do sleep 0.1; done";
const children: ChildProcess[] = [];

function run(script: string, marker?: string): ChildProcess & { readonly pid: number } {
  const env = { PATH: process.env.PATH, ...(marker && { [MARKER_VARIABLE]: marker }) };
  const child = spawn("sh", ["-c", script], { env, detached: true, stdio: "ignore" });
  children.push(child);
  const { pid } = child;
  if (pid === undefined) throw new Error("it did not start");
  return Object.assign(child, { pid });
}

async function waitFor<T>(look: () => T | null | undefined | false, what: string): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(10)) {
    const found = look();
    if (found) return found;
  }
  throw new Error(`waited in vain for ${what}`);
}

afterEach(() => {
  for (const { pid } of children.splice(0)) {
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // Its group is already gone.
    }
  }
});

describe("a snapshot", () => {
  it("contains the process and its descendants in any process group", async () => {
    const child = run("setsid sleep 1000 & sleep 1001 & wait");
    const members = await waitFor(() => {
      const found = snapshotTree(identifyProcess(child.pid));
      return found.length >= 3 && found;
    }, "three processes");
    expect(members.map(({ pid }) => pid)).toContain(child.pid);
    expect(members.every(isAlive)).toBe(true);
    await endTree(identifyProcess(child.pid), { grace: 1_000 });
    expect(members.some(isAlive)).toBe(false);
  });

  it("finds orphans and their children by the marker", async () => {
    const marker = randomUUID();
    const child = run("setsid sh -c 'env -i sleep 1000 & wait' &", marker);
    const dead = identifyProcess(child.pid);
    await once(child, "exit");
    const members = await waitFor(() => {
      const found = snapshotTree(dead, marker);
      return found.length >= 2 && found;
    }, "the orphan and its child");
    expect(members.map(({ pid }) => pid)).not.toContain(child.pid);
    expect(snapshotTree(dead)).toEqual([]);
    await endMarked(marker, 1_000);
    expect(members.some(isAlive)).toBe(false);
  });

  it("never contains the process that takes it", () => {
    const members = snapshotTree(identifyProcess(process.pid));
    expect(members.map(({ pid }) => pid)).not.toContain(process.pid);
  });
});

describe("ending a tree", () => {
  it("kills processes that ignore SIGTERM, after the grace period", async () => {
    const child = run(IGNORES_TERM);
    const root = identifyProcess(child.pid);
    await waitFor(() => snapshotTree(root).length >= 2, "its loop");
    const begin = performance.now();
    await endTree(root, { grace: 300 });
    expect(performance.now() - begin).toBeGreaterThan(290);
    expect(isAlive(root)).toBe(false);
  });

  it("lets a process exit by itself on SIGTERM", async () => {
    const child = run("trap 'exit 7' TERM; while :; do sleep 0.05; done");
    const exit = once(child, "exit");
    const root = identifyProcess(child.pid);
    await waitFor(() => snapshotTree(root).length >= 2, "its trap");
    await endTree(root, { grace: 5_000 });
    expect((await exit)[0]).toBe(7);
  });

  it("ends processes that are started in the meantime", async () => {
    const marker = randomUUID();
    const child = run("trap 'setsid sleep 1000 & exit' TERM; while :; do sleep 0.05; done", marker);
    const root = identifyProcess(child.pid);
    await waitFor(() => snapshotTree(root).length >= 2, "its trap");
    await endTree(root, { marker, grace: 2_000 });
    expect(snapshotTree(root, marker)).toEqual([]);
  });

  it("ends a process seen before, although its parent is gone and it has no marker", async () => {
    const child = run("setsid sleep 1000 & wait");
    const root = identifyProcess(child.pid);
    const known = await waitFor(() => {
      const found = snapshotTree(root);
      return found.length >= 2 && found;
    }, "the sleeper");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(known.filter(isAlive)).toHaveLength(1);
    await endTree(root, { grace: 1_000, known });
    expect(known.filter(isAlive)).toHaveLength(0);
  });

  it("sends no signal to another process with a reused pid", async () => {
    const child = run("sleep 1000");
    const real = identifyProcess(child.pid);
    const before = { ...real, start_time: (real.start_time ?? 0) - 1 };
    await endTree(before, { grace: 100, known: [before] });
    expect(sendSignal(before, "SIGKILL")).toBe(true);
    await sleep(50);
    expect(isAlive(real)).toBe(true);
    expect(child.signalCode).toBeNull();
  });

  it("ends by a marker only processes with exactly that marker", async () => {
    const [marker, other] = [randomUUID(), randomUUID()];
    const [marked, spared] = [run("sleep 1000", marker), run("sleep 1000", other)];
    await waitFor(
      () => snapshotTree(identifyProcess(marked.pid), marker).length > 0,
      "the marked one",
    );
    const exit = once(marked, "exit");
    await endMarked(marker, 1_000);
    await exit;
    expect(isAlive(identifyProcess(spared.pid))).toBe(true);
  });

  it("refuses an empty marker", async () => {
    await expect(endMarked("", 100)).rejects.toThrow("empty marker");
  });
});

describe("a zombie process", () => {
  it("is not alive", async () => {
    // The shell becomes a program that never waits for its inherited children.
    const child = run("sh -c 'exit 0' & exec sleep 1000");
    const zombie = await waitFor(
      () => childrenOf(child.pid).find((pid) => readStat(pid)?.is_zombie),
      "a zombie",
    );
    expect(isAlive(identifyProcess(zombie))).toBe(false);
  });
});

function childrenOf(parent: number): number[] {
  return readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8")
    .split(" ")
    .filter((pid) => pid !== "")
    .map(Number);
}
