import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../patience.ts";
import { until } from "../run/run-lab.ts";
import { newPlace } from "./run-belay.ts";

const BIN = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));
const place = newPlace();
afterAll(() => place.remove());

function piped(input: string, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? "", HOME: place.root, BELAY_HOME: place.home };
  return spawnSync(process.execPath, [BIN, ...args], {
    cwd: place.root,
    env,
    input,
    encoding: "utf8",
    timeout: PATIENCE_MS,
  });
}

describe("belay run with piped input", () => {
  it("sends all of it as one message, which is also the title", async () => {
    const ran = piped("line one\nline two\n", "run", "demo", "--id", "piped-1");
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining("✓ done") });
    const { json } = await place.belay("turns", "piped-1", "--json");
    expect(json).toMatchObject({ turns: [{ input: "line one\nline two" }] });
    expect((await place.belay("list")).stdout).toMatch(/^piped-1 .*line one/m);
  });

  it.each([
    ["", "run", "demo", "--id", "empty-1"],
    ["  \n", "run", "demo", "--id", "empty-1"],
    ["ignored", "run", "demo", "", "--id", "empty-1"],
  ])("creates no session without a message: %j", async (input, ...args) => {
    const refused = piped(input, ...args);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("A message is") });
    expect((await place.belay("get", "empty-1")).code).toBe(3);
  });
});

describe("belay resume with piped input", () => {
  it("sends it as a message, also to a completed session, but not with --json", async () => {
    expect((await place.belay("run", "demo", "--once", "--id", "first-1", "hello")).code).toBe(0);
    const answered = piped("/say and on\n", "resume", "first-1");
    expect(answered).toMatchObject({ status: 0, stdout: expect.stringContaining("and on") });
    const session = await place.belay("get", "first-1", "--json");
    expect(session.json).toMatchObject({ status: "active", turn_count: 2, run: 2 });
    expect(piped("again", "resume", "first-1", "--json").stdout).toContain("session_not_suspended");
    // Without a message it is the operation.
    expect(piped("", "resume", "first-1").stderr).toContain("first-1 is");
  });
});

describe("belay resume at a terminal", () => {
  it.skipIf(!existsSync("/usr/bin/script"))(
    "continues a completed session, repeatedly",
    async () => {
      await place.belay("run", "demo", "--once", "--id", "typed-1", "hello");
      for (const nth of [2, 3]) {
        const ended = await typeInto("typed-1", `/say answer number ${nth}`);
        expect(ended).toMatchObject({ code: 0, screen: expect.stringContaining("✓ completed") });
      }
      const session = await place.belay("get", "typed-1", "--json");
      expect(session.json).toMatchObject({ status: "completed", turn_count: 3, run: 3 });
    },
  );
});

/** Resumes a session at a terminal, sends a message, waits for the answer, and leaves with Ctrl-D. */
async function typeInto(id: string, message: string) {
  const command = [process.execPath, BIN, "resume", id].map((word) => `'${word}'`).join(" ");
  const env = { PATH: process.env.PATH ?? "", HOME: place.root, BELAY_HOME: place.home };
  const child = spawn("script", ["-qec", `exec ${command}`, "/dev/null"], {
    cwd: place.root,
    env: { ...env, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
  });
  const shown = (text: string) =>
    until(text, () => screen.includes(text) || child.exitCode !== null);
  try {
    await shown("Ctrl-D completes");
    child.stdin.write(`${message}\r`);
    await shown("✓ done");
    child.stdin.write("\u0004");
    await shown("✓ completed");
    const [code] = await ended;
    return { code, screen };
  } finally {
    child.kill("SIGKILL");
  }
}

describe("the hint after an answer", () => {
  it("suggests resume only if the session is suspended", async () => {
    await place.belay("create", "--agent", "a", "--id", "asked-1");
    const asked = await place.belay("approvals", "request", "asked-1", "Go?", "--json");
    const id = String(Object(asked.json).approval_id);
    expect((await place.belay("approve", id)).stdout).toBe(
      "approved.\nResume it with: belay resume asked-1\n",
    );
    await place.belay("create", "--agent", "a", "--id", "asked-2");
    const more = await place.belay("approvals", "request", "asked-2", "Go?", "--json");
    await place.belay("resume", "asked-2");
    const second = String(Object(more.json).approval_id);
    expect((await place.belay("reject", second)).stdout).toBe("rejected.\n");
  });
});
