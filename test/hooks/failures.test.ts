import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../http/until.ts";
import { createLab, type HookLab } from "./hook-lab.ts";
import { type HookRun, runHookProcess, runInTime } from "./hook-process.ts";

const MAIN = "402e7a18-1d9b-4983-815e-734ca53fd8fa";
const ERROR = '{"should_resume":false,"reason":"error"}\n';

let lab: HookLab;
beforeEach(() => {
  lab = createLab();
});
afterEach(() => lab.clean());

const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: MAIN,
  cwd: "/home/dev/project",
  hook_event_name,
  ...fields,
});
let prompts = 0;
const prompt = () => {
  prompts += 1;
  const said = { prompt_id: `prompt-${prompts}`, prompt: `words ${prompts}` };
  return { ...event("UserPromptSubmit"), ...said };
};
const run = (name: string, payload: unknown, home = lab.home) =>
  runInTime(() => runHookProcess(name, payload, { home, cwd: lab.cwd }));
const database = () => join(lab.home, "belay.db");

function expectUnharmed(done: HookRun, stdout = ""): void {
  expect(done).toMatchObject({ code: 0, signal: null, stdout });
  expect(done.ms).toBeLessThan(1000);
}

/** Hooks answer during a fault; after it, nothing is missing and nothing doubled. */
async function expectNothingLost(
  trouble: { begin(): void; end(): void },
  answer: string | null = ERROR,
): Promise<void> {
  await runHookProcess("claude-code", event("SessionStart"), lab);
  const before = prompts;
  trouble.begin();
  try {
    expectUnharmed(await run("claude-code", prompt()));
    expectUnharmed(await run("claude-code", prompt()));
    const asked = await run("pre-delegate", { agent_id: MAIN });
    if (answer !== null) expectUnharmed(asked, answer);
    expect(lab.spooled().length).toBeGreaterThanOrEqual(2);
    expect(lab.failures()).not.toBe("");
  } finally {
    trouble.end();
  }
  await runHookProcess("claude-code", event("SessionEnd", { reason: "other" }), lab);
  // A machine that was too slow for the last one delivers it with the next.
  await lab.hook("pre-delegate", { agent_name: "nobody" });
  expect(lab.spooled()).toEqual([]);
  const { turns } = await lab.call("turns", { id: MAIN });
  const said = turns.map(({ input }) => input);
  for (let n = before + 1; n <= prompts; n += 1) {
    expect(said.filter((input) => input === `words ${n}`)).toHaveLength(1);
  }
  expect(turns.at(-1)).toMatchObject({ status: "interrupted" });
}

describe("a hook whose store fails", () => {
  it("waits no longer than a second for a locked database", async () => {
    let other: DatabaseSync | undefined;
    await expectNothingLost(
      {
        begin: () => {
          other = new DatabaseSync(database());
          other.exec("BEGIN IMMEDIATE");
        },
        end: () => other?.close(),
      },
      null,
    );
  });

  it("answers questions while another process writes to the database", async () => {
    await lab.call("create", { agent_name: "Explore", session_id: "agent-123" });
    await lab.call("update", { id: "agent-123", phase: "approval" });
    const other = new DatabaseSync(database());
    other.exec("BEGIN IMMEDIATE");
    try {
      lab.wait(0);
      const { stdout } = await run("pre-delegate", { agent_id: "agent-123" });
      expect(JSON.parse(stdout).reason).toBe("session_not_resumable");
    } finally {
      other.close();
    }
  });

  it("survives a damaged database", async () => {
    const copy = join(lab.cwd, "copy.db");
    await expectNothingLost({
      begin: () => {
        copyFileSync(database(), copy);
        writeFileSync(database(), Buffer.alloc(65_536, "not a database "));
      },
      end: () => copyFileSync(copy, database()),
    });
  });

  it("does not change a newer database", async () => {
    const setVersion = (version: number) => {
      const other = new DatabaseSync(database());
      other.exec(`PRAGMA user_version = ${version}`);
      other.close();
    };
    const read = new Map<string, number>();
    await expectNothingLost({
      begin: () => {
        const other = new DatabaseSync(database());
        read.set(
          "version",
          Number(Object(other.prepare("PRAGMA user_version").get()).user_version),
        );
        other.close();
        setVersion(9999);
      },
      end: () => setVersion(read.get("version") ?? 1),
    });
  });

  it("survives a folder that cannot be used", async () => {
    await expectNothingLost({
      begin: () => {
        execFileSync("mv", [lab.home, `${lab.home}.away`]);
        writeFileSync(lab.home, "in the way");
      },
      end: () => {
        rmSync(lab.home);
        execFileSync("mv", [`${lab.home}.away`, lab.home]);
      },
    });
  });

  it("survives a full disk", async (context) => {
    mkdirSync(lab.home, { recursive: true });
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", lab.home], {
        stdio: "ignore",
      });
    } catch {
      context.skip("a small disk cannot be mounted here");
    }
    const filler = join(lab.home, "filler");
    try {
      await expectNothingLost(
        {
          begin: () => {
            const { bavail, bsize } = statfsSync(lab.home);
            writeFileSync(filler, Buffer.alloc(bavail * bsize));
            expect(statfsSync(lab.home).bavail).toBe(0);
          },
          end: () => rmSync(filler),
        },
        null,
      );
    } finally {
      execFileSync("umount", ["--lazy", lab.home]);
    }
  });

  it.each(["/dev/null/home", "/proc/1/nothing"])("needs no home folder: %s", async (home) => {
    expectUnharmed(await run("claude-code", prompt(), home));
    expectUnharmed(await run("subagent-stop", { task_info: { agent_id: "agent-123" } }, home));
    const { stdout } = await run("pre-delegate", { agent_name: "Explore" }, home);
    expect(JSON.parse(stdout).should_resume).toBe(false);
    expect(readdirSync(join(lab.cwd, ".claude", "belay-spool")).length).toBeGreaterThan(0);
  });
});

describe("a hook that is interrupted", () => {
  it("can be killed at any moment and leaves no partial write", async () => {
    await runHookProcess("claude-code", event("SessionStart"), lab);
    for (let n = 0; n < 12; n += 1) {
      await runHookProcess("claude-code", prompt(), {
        ...lab,
        onStart: (child) => void setTimeout(() => child.kill("SIGKILL"), 15 * n),
      });
    }
    const last = prompt();
    await runHookProcess("claude-code", last, lab);
    await lab.hook("pre-delegate", { agent_name: "nobody" });
    expect(lab.spooled().filter((name) => !name.endsWith(".tmp"))).toEqual([]);
    const { turns } = await lab.call("turns", { id: MAIN });
    expect(new Set(turns.map(({ turn_id }) => turn_id)).size).toBe(turns.length);
    expect(turns.filter(({ status }) => status === "started")).toHaveLength(1);
    expect(turns.at(-1)).toMatchObject({ status: "started", turn_id: last.prompt_id });
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "finishes its work in spite of %s",
    async (signal) => {
      const payload = prompt();
      const done = await runHookProcess("claude-code", payload, {
        ...lab,
        onStart: async (child) => {
          await until(() => catchesSighup(child.pid));
          child.kill(signal);
          child.stdin?.end();
        },
        keepStdinOpen: true,
      });
      expect(done).toMatchObject({ code: 0, signal: null });
      await lab.hook("pre-delegate", { agent_name: "nobody" });
      expect(await lab.call("turns", { id: MAIN })).toMatchObject({
        turns: [{ input: payload.prompt }],
      });
    },
  );
});

describe("a hook with unusual input", () => {
  it("does not wait for a payload that never ends", async () => {
    const options = { ...lab, keepStdinOpen: true };
    expectUnharmed(
      await runInTime(() => runHookProcess("pre-delegate", '{"agent', options)),
      ERROR,
    );
    expectUnharmed(await runInTime(() => runHookProcess("claude-code", "", options)));
    expect(lab.failures()).toContain("the time for an answer is over");
  });

  it("succeeds if its answer is not read", async () => {
    const done = await runHookProcess(
      "pre-delegate",
      { agent_name: "Explore" },
      { ...lab, onStart: (child) => child.stdout?.destroy() },
    );
    expect(done.code).toBe(0);
  });

  it.each(["", "frobnicate", "__proto__", "../x"])("ignores hook %j", async (name) => {
    expectUnharmed(await run(name, event("SomethingNew")));
  });

  it("runs in a folder that has been removed", async () => {
    const gone = join(lab.cwd, "gone");
    mkdirSync(gone);
    const done = await runHookProcess("claude-code", prompt(), {
      home: lab.home,
      cwd: gone,
      onStart: () => rmSync(gone, { recursive: true }),
    });
    expect(done.code).toBe(0);
    expect(existsSync(gone)).toBe(false);
  });

  it("explains its use", async () => {
    const done = await runHookProcess("--help", "", { ...lab, keepStdinOpen: true });
    expect(done.stdout).toContain("Usage: belay hook pre-delegate");
  });

  it("tests itself", async () => {
    const done = await runHookProcess(["pre-delegate", "--test"], "", lab);
    expect(done.code).toBe(0);
    expect(done.stdout).toContain("All checks passed.\n");
  });
});

/** SIGHUP is the last of the signals that a hook starts to listen for. */
function catchesSighup(pid = 0): boolean {
  const caught = /^SigCgt:\t(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}
