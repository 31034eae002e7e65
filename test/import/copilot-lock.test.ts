import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace } from "../cli/run-belay.ts";
import { event, newWorkspace, stateWith, type TestWorkspace } from "./copilot-workspace.ts";

let place: TestWorkspace;
let lock: string;
beforeEach(() => {
  place = newWorkspace();
  lock = join(place.cwd, ".tmp", "agent_recovery.lock");
  place.writeLog(event("session.start"), event("action.started", { step: "a" }));
  place.writeState(stateWith());
});
afterEach(() => place.remove());

describe("the lock of a workspace", () => {
  it("of a live owner is respected, and the owner is named", async () => {
    const holder = await holdLock();
    const before = place.contents();
    try {
      const refusal = { code: "session_held", details: { holder: { pid: holder.pid } } };
      await expect(place.restore()).rejects.toMatchObject(refusal);
      await expect(place.restore({ dry_run: true })).rejects.toMatchObject(refusal);
      expect(place.contents()).toEqual(before);
    } finally {
      await end(holder, "SIGKILL");
    }
  });

  it("of a dead owner is taken over", async () => {
    await end(await holdLock(), "SIGKILL");
    expect(existsSync(lock)).toBe(true);
    expect(await place.restore()).toMatchObject({ changed: true });
    expect(readdirSync(join(place.cwd, ".tmp"))).toEqual([".gitignore", "recovery.timeline"]);
  });

  it("of an owner whose pid was reused is taken over", async () => {
    mkdirSync(join(place.cwd, ".tmp"));
    const boot_id = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    writeFileSync(lock, JSON.stringify({ pid: process.pid, start_time: 1, boot_id }));
    expect(await place.restore()).toMatchObject({ changed: true });
  });

  it.each(["SIGINT", "SIGTERM"] as const)("is removed if its owner gets %s", async (signal) => {
    const holder = await holdLock();
    expect(existsSync(lock)).toBe(true);
    expect(await end(holder, signal)).toBe(signal === "SIGINT" ? 130 : 143);
    expect(existsSync(lock)).toBe(false);
  });

  it("without an owner is respected", async () => {
    mkdirSync(join(place.cwd, ".tmp"));
    writeFileSync(lock, "");
    await expect(place.restore()).rejects.toMatchObject({ code: "session_held" });
    expect(existsSync(lock)).toBe(true);
  });

  it("is removed after a failed restore", async () => {
    mkdirSync(join(place.cwd, ".copilot", ".events.lock"));
    await expect(place.restore()).rejects.toMatchObject({ code: "storage_failed" });
    expect(existsSync(lock)).toBe(false);
  });

  it("is not created in a folder that is a link", async () => {
    const outside = newWorkspace();
    symlinkSync(outside.cwd, join(place.cwd, ".tmp"));
    await expect(place.restore()).rejects.toMatchObject({ code: "storage_failed" });
    expect(existsSync(join(outside.cwd, "agent_recovery.lock"))).toBe(false);
    outside.remove();
  });
});

describe("a workspace that cannot be written to", () => {
  it("is reported, and can still be read", async () => {
    for (const name of ["", ".copilot"]) chmodSync(join(place.cwd, name), 0o555);
    const isRoot = process.geteuid?.() === 0;
    // Root may do everything.
    if (isRoot) process.seteuid?.(65534);
    try {
      await expect(place.restore()).rejects.toMatchObject({
        code: "storage_read_only",
        message: expect.stringContaining(place.cwd),
      });
      expect(await place.restore({ dry_run: true })).toMatchObject({
        recovery: { status: "manual-review" },
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
      for (const name of ["", ".copilot"]) chmodSync(join(place.cwd, name), 0o755);
    }
  });
});

describe("belay restore", () => {
  it("run four times at once does the work once, and reports that to the others", async () => {
    const cli = newPlace();
    const args = ["restore", "--session-state", place.file, "--json"];
    // The data folder is created before the race, so that only the workspace is contested.
    await cli.belay("list");
    const ran = await Promise.all([1, 2, 3, 4].map(() => cli.belay(...args)));
    const answers = ran.map(({ json }) => Object(json));
    expect(answers.filter(({ changed }) => changed === true)).toHaveLength(1);
    for (const { error, changed } of answers) {
      expect(changed ?? error).toBeOneOf([true, false, "session_held"]);
    }
    expect(place.lines().filter(({ type }) => type === "session.recovered")).toHaveLength(1);
    expect(readdirSync(place.cwd).filter((name) => name.startsWith("CHECKPOINT"))).toHaveLength(1);
    expect(existsSync(lock)).toBe(false);
    cli.remove();
  });

  it("reports its findings, what it set aside, and its questions", async () => {
    const cli = newPlace();
    place.writeState("{");
    const { stdout, code } = await cli.belay("restore", "--session-state", place.file);
    expect(code).toBe(5);
    expect(stdout).toContain("2 records used");
    expect(stdout).toContain("session_state.json: not JSON");
    expect(stdout).toContain(join(place.cwd, ".tmp", "corrupt"));
    expect(stdout).toMatch(/belay answer \S+ continue/);
    const usage = await cli.belay("restore");
    expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining("--session-state") });
    cli.remove();
  });
});

async function holdLock(): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("hold-workspace.ts", import.meta.url));
  const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
  const child = spawn(process.execPath, [script, place.cwd], { stdio });
  await once(child.stdout, "data");
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
  return child.exitCode;
}
