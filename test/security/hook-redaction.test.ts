import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import { makeFolder } from "../../src/files/make-folder.ts";
import { writeRedactionMark } from "../../src/files/redaction-mark.ts";
import { startDeadline } from "../../src/integrations/claude/hooks/deadline.ts";
import { runHook } from "../../src/integrations/claude/hooks/run-hook.ts";
import { identifyProcess } from "../../src/process/process-identity.ts";
import { openStoredRedaction } from "../../src/redaction/stored-redaction.ts";
import { serverAddressFile } from "../../src/server/server-address-file.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { createLab, type HookLab } from "../hooks/hook-lab.ts";
import { runHookProcess } from "../hooks/hook-process.ts";
import { leaked } from "./leaked.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

/** With `belay redact store`, a hook writes no secret anywhere, whether it can reach the store or not. */

const shapes = Object.entries(SECRET_SHAPES);
const ALL = shapes.map(([, { text }]) => text).join("\n\n");
const SHORT = SECRET_SHAPES["github classic"]?.text ?? "";
const SESSION = "22222222-aaaa-4bbb-8ccc-0123abcd0003";

let lab: HookLab;
beforeEach(() => {
  lab = createLab();
  makeFolder(lab.home);
  writeRedactionMark(lab.home, true);
});
afterEach(() => lab.clean());

describe("a hook of a data folder that replaces secrets", () => {
  it("leaves none of them for the next command", async () => {
    // The first event creates the database, and the second one may wait.
    await runEvents();
    expect(written()).toContain("[redacted:");
    expect(secretsIn(written())).toEqual([]);
    const { stdout } = await runInProcess(lab.home, ["turns", SESSION], true);
    expect(stdout).toContain("[redacted:");
    expect(secretsIn(stdout)).toEqual([]);
    expect(secretsIn(written())).toEqual([]);
  });

  it("leaves none of them for a running server", async () => {
    writeFileSync(serverAddressFile(lab.home), JSON.stringify(identifyProcess(process.pid)));
    await runEvents();
    expect(lab.spooled()).toHaveLength(EVENTS.length);
    expect(written()).toContain("[redacted:");
    expect(secretsIn(written())).toEqual([]);
  });

  it("leaves none of them where the database cannot be used", async () => {
    writeFileSync(join(lab.home, "belay.db"), "not a database");
    await runEvents();
    expect(lab.spooled()).toHaveLength(EVENTS.length);
    expect(written()).toContain("[redacted:");
    expect(secretsIn(written())).toEqual([]);
  });

  it("leaves none of them if it runs in a server whose store fails", async () => {
    const deps = {
      ...lab.deps,
      redaction: async () => openStoredRedaction({}),
      openStore: () => Promise.reject(new BelayError(refuse("storage_full", "full"))),
      server: { caller: CALLER, asksIn: null, noteFailure: () => {} },
    };
    const prompt = JSON.stringify({ ...EVENTS[0], session_id: SESSION, cwd: lab.cwd });
    await runHook("claude-code", prompt, deps, startDeadline(0, 10_000));
    expect(lab.spooled()).toHaveLength(1);
    expect(written()).toContain("[redacted:");
    expect(secretsIn(written())).toEqual([]);
  });

  it("stores no half of one where a long text was cut", async () => {
    const { secret = "" } = SECRET_SHAPES["github classic"] ?? {};
    const left: string[] = [];
    // The cut falls somewhere into a long row of secrets.
    for (const shift of [0, 3, 6, 9, 12, 15, 18]) {
      const prompt = `${"x ".repeat(50 + shift)}${`${secret} `.repeat(20_000)}`;
      const session_id = `22222222-aaaa-4bbb-8ccc-0123abcd01${10 + shift}`;
      const event = { hook_event_name: "UserPromptSubmit", session_id, cwd: lab.cwd, prompt };
      await runHookProcess("claude-code", event, lab);
      const { stdout } = await runInProcess(lab.home, ["turns", session_id], true);
      expect(stdout.includes("[redacted:")).toBe(true);
      const halves = [secret.slice(0, 8), secret.slice(-8)].filter((half) => stdout.includes(half));
      left.push(...halves.map((half) => `${half} at ${shift}`));
    }
    expect(left).toEqual([]);
  });

  it("writes none of them to its log", async () => {
    await runHookProcess("claude-code", { hook_event_name: SHORT }, lab);
    expect(lab.failures()).toContain("unknown event [redacted:");
    expect(leaked(lab.failures(), SHORT)).toBe(false);
  });

  it("keeps the ids of prompts, by which their answers are found", async () => {
    await runEvents();
    const { stdout } = await runInProcess(lab.home, ["turns", SESSION], true);
    expect(stdout).toContain(PROMPT_ID);
  });
});

it("control: a hook leaves all of them without that setting", async () => {
  writeRedactionMark(lab.home, false);
  writeFileSync(serverAddressFile(lab.home), JSON.stringify(identifyProcess(process.pid)));
  await runEvents();
  expect(secretsIn(written())).toEqual(shapes.map(([name]) => name));
});

const CALLER = { owner: "local", actor: "ann", interface: "hook", trace_id: null } as const;
/** An id that looks like a secret. */
const PROMPT_ID = "AKIAQWERTYUIOPASDFGH";
const EVENTS = [
  { hook_event_name: "UserPromptSubmit", prompt_id: PROMPT_ID, prompt: ALL },
  { hook_event_name: "Stop", prompt_id: PROMPT_ID, last_assistant_message: ALL },
  {
    hook_event_name: "SubagentStop",
    agent_id: "a-1",
    agent_type: "t",
    last_assistant_message: ALL,
  },
];

async function runEvents(): Promise<void> {
  for (const event of EVENTS) {
    const payload = { session_id: SESSION, cwd: lab.cwd, ...event };
    expect((await runHookProcess("claude-code", payload, lab)).code).toBe(0);
  }
}

/** Everything in the data folder and the project. */
function written(): string {
  return [lab.home, lab.cwd]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    )
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

/** The names of the secrets that a text contains. */
function secretsIn(text: string): string[] {
  // The zeros of ids are also part of a shape.
  const known = text.replaceAll(/0{8,}/g, "").replaceAll(PROMPT_ID, "");
  return shapes.flatMap(([name, { secret }]) => (leaked(known, secret) ? [name] : []));
}
