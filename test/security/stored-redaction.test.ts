import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { composeAgents } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { shortenText } from "../../src/contract/visible-text.ts";
import { Recorder } from "../../src/drive/run/recorder.ts";
import { makeFolder } from "../../src/files/make-folder.ts";
import { writeRedactionMark } from "../../src/files/redaction-mark.ts";
import { importConversations } from "../../src/import/import-conversations.ts";
import { answerHookRequest } from "../../src/integrations/claude/hooks/answer-hook-request.ts";
import { startDeadline } from "../../src/integrations/claude/hooks/deadline.ts";
import { runHook } from "../../src/integrations/claude/hooks/run-hook.ts";
import { IMPORTERS } from "../../src/integrations/importers.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { openStoredRedaction } from "../../src/redaction/stored-redaction.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { cpuTimeOf } from "../cpu-time.ts";
import { createLab } from "../hooks/hook-lab.ts";
import { ClaudeLines } from "../import/conversations/claude-lines.ts";
import { lines } from "../import/conversations/import-place.ts";
import { writeAgent } from "../run/run-parts.ts";
import { leaked } from "./leaked.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

/** With `belay redact store`, no secret reaches the store, through whichever door its text comes. */

const shapes = Object.entries(SECRET_SHAPES);
const ALL = shapes.map(([, { text }]) => text).join("\n\n");
const SHORT = SECRET_SHAPES["github classic"]?.text ?? "";
const CALLER = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The names of the secrets that a text still contains. */
function found(text: string): string[] {
  // The zeros of ids are also part of a shape.
  const known = text.replaceAll(/0{8,}/g, "");
  return shapes.flatMap(([name, { secret }]) => (leaked(known, secret) ? [name] : []));
}

/** True if a text has a part of a secret that is long enough to be of use. */
function halfOf(text: string, secret: string): boolean {
  const most = Math.max(10, Math.floor(secret.length / 3));
  for (let at = 0; at + most <= secret.length; at += 1) {
    if (text.includes(JSON.stringify(secret.slice(at, at + most)).slice(1, -1))) return true;
  }
  return false;
}

describe("a data folder that replaces secrets", () => {
  it("stores none of them, through any interface", async () => {
    const { stored, folder } = await fill(true);
    expect(found(stored)).toEqual([]);
    expect(stored).toContain("[redacted:");
    expect(stored).toContain("harmless");
    const raw = readdirSync(folder).filter((name) => /^belay\.db/.test(name));
    for (const name of raw) expect(found(readFileSync(join(folder, name), "latin1"))).toEqual([]);
  });

  it("control: stores all of them without that setting", async () => {
    const { stored } = await fill(false);
    expect(found(stored)).toEqual(shapes.map(([name]) => name));
  });

  it("stores no half of a secret where a long text was shortened", () => {
    const { value } = openStoredRedaction({});
    const left: string[] = [];
    for (const [name, { text, secret }] of shapes) {
      // Every place at which the cut can fall, for one of the two halves.
      const length = 4000;
      for (
        let shift = 0;
        shift <= text.length;
        shift += Math.max(1, Math.floor(text.length / 40))
      ) {
        for (const at of [length - shift, length * 3 - shift]) {
          const whole = `${"word ".repeat(at / 5)}\n${text}\n${"word ".repeat(length)}`;
          const stored = JSON.stringify(value({ output: shortenText(whole, length * 2) }));
          if (halfOf(stored, secret)) left.push(`${name} at ${shift}`);
        }
      }
    }
    expect(left).toEqual([]);
  });

  it.each([
    ["marks of a cut", (mark: string) => mark.repeat(40_000)],
    ["a long word before a cut", (mark: string) => `${"a".repeat(1_000_000)} ${mark}x`],
    [
      "starts of keys before a cut",
      (mark: string) => `${"-----BEGIN PRIVATE KEY-----".repeat(40_000)}-----END ${mark}x`,
    ],
  ])("looks at a megabyte of %s in limited time", async (_, write) => {
    const text = write(" … 5 characters hidden … ");
    const took = await cpuTimeOf(() => openStoredRedaction({}).text(text));
    expect(took).toBeLessThan(6000);
  });

  it("stores no part of a key that was cut twice", () => {
    const { text, secret } = SECRET_SHAPES["rsa private key"] ?? { text: "", secret: "" };
    const mark = " … 5 characters hidden … ";
    const twice = text.slice(0, 200) + mark + text.slice(300, 600) + mark + text.slice(700);
    const stored = openStoredRedaction({}).text(`before ${twice}\nafter`);
    expect(secret.split("\n").filter((line) => stored.includes(line.slice(0, 16)))).toEqual([]);
    expect(stored).toMatch(/^before .*after$/s);
  });

  it("is chosen with a command, and shown by doctor", async () => {
    const home = newFolder();
    expect((await runInProcess(home, ["create", "--agent", "demo"], true)).code).toBe(0);
    const chosen = await runInProcess(home, ["redact", "store"], false);
    expect(chosen.stdout).toContain("This cannot be undone.");
    expect((await runInProcess(home, ["doctor"], false)).stdout).toContain("cannot be undone");
    await runInProcess(home, ["create", "--agent", "demo", "--title", `use ${SHORT}`], true);
    const listed = await runInProcess(home, ["list"], true);
    expect(listed.stdout).toContain("use [redacted:");
    expect((await runInProcess(home, ["redact", "exports"], false)).code).toBe(0);
    expect((await runInProcess(home, ["doctor"], false)).stdout).not.toContain("redaction");
  });
});

describe("an event that waited since before the setting", () => {
  it("is stored by the next command without the secrets", async () => {
    const lab = createLab();
    makeFolder(lab.home);
    const session_id = HOOKED;
    const deps = {
      ...lab.deps,
      openStore: () => Promise.reject(new BelayError(refuse("storage_full", "full"))),
    };
    const prompt = { hook_event_name: "UserPromptSubmit", session_id, cwd: lab.cwd, prompt: ALL };
    await runHook("claude-code", JSON.stringify(prompt), deps, startDeadline(0, 10_000));
    expect(lab.spooled()).toHaveLength(1);
    writeRedactionMark(lab.home, true);
    const shown = await runInProcess(lab.home, ["turns", session_id], true);
    expect(lab.spooled()).toEqual([]);
    expect(shown.stdout).toContain("[redacted:");
    expect(found(shown.stdout)).toEqual([]);
    lab.clean();
  });
});

describe("an answer that arrives in chunks", () => {
  it.each(shapes)("contains no %s in the parts that are stored and shown", async (_, shape) => {
    const said = `Before.\n${"filler line\n".repeat(700)}so: ${shape.text}\n${"more\n".repeat(1500)}`;
    const kept = await record(said, true);
    expect(leaked(kept.stored, shape.secret)).toBe(false);
    expect(kept.stored).toBe(kept.shown);
    expect(kept.stored.endsWith("more\n")).toBe(true);
    expect(kept.parts).toBeGreaterThan(2);
  });

  it("control: is stored unchanged without that setting", async () => {
    const kept = await record(ALL, false);
    expect(kept.stored).toBe(ALL);
    expect(found(kept.stored)).toEqual(shapes.map(([name]) => name));
  });
});

/** Records a text that an agent says in small pieces. */
async function record(said: string, redacts: boolean) {
  const parts: Extract<SessionCommand, { type: "append_part" }>[] = [];
  let shown = "";
  const recorder = new Recorder({
    write: async (commands) =>
      parts.push(...commands.flatMap((one) => (one.type === "append_part" ? one : []))),
    publish: ({ offset, text }) => {
      expect(offset).toBe(shown.length);
      shown += text;
    },
    stored: () => {},
    newId: () => "id",
    onFailure: (error) => {
      throw error;
    },
    effects: {},
    redaction: redacts ? openStoredRedaction({}) : undefined,
    flush: { ms: 60_000, chars: 500 },
  });
  recorder.beginTurn("turn-1", 1);
  for (let at = 0; at < said.length; at += 17) {
    await recorder.hear({ kind: "message", text: said.slice(at, at + 17) });
  }
  await recorder.settle();
  let stored = "";
  for (const { offset, text } of parts) {
    expect(offset).toBe(stored.length);
    stored += text;
  }
  return { stored, shown, parts: parts.length };
}

/** Sends the secrets through every way in. Returns all that the store has afterwards. */
async function fill(redacts: boolean) {
  const folder = newFolder();
  writeAgent(folder, { permissions: { "*": "allow" } });
  writeRedactionMark(folder, redacts);
  const store = await openSqliteStore({ folder, isAlive });
  const runner = composeAgents(folder, createContext(store), "library");
  const { context } = runner;
  const service = createService(context);
  const { call } = service;
  const as = CALLER;
  try {
    const project = { cwd: folder, repo: null, branch: null };
    const made = { agent_name: "agent", project, title: SHORT, purpose: SHORT };
    const metadata = { note: ALL, harmless: "harmless", nested: [{ [`${SHORT}`]: ALL }] };
    const { session_id: id } = await call("create", { ...made, metadata }, as);
    await call("update", { id, metadata: { again: ALL } }, as);
    await call("rename", { id, title: `named ${SHORT}` }, as);
    await call("record_turn", { id, input: ALL, output: ALL }, as);
    const begun = await call("begin_action", { id, type: "execute", details: { input: ALL } }, as);
    const { action_id } = begun;
    await call("complete_action", { id, action_id, result: SHORT, details: { output: ALL } }, as);
    await call("save_checkpoint", { id, name: `at ${SHORT}`, state: { key: ALL } }, as);
    const filler = "x".repeat(LIMITS.STATE_INLINE);
    const large = { id, name: "large", state: { filler, key: ALL } };
    await call("save_checkpoint", large, as);
    const asked = await call("request_approval", { id, title: SHORT, body: ALL }, as);
    const { approval_id } = asked;
    await call("decide_approval", { approval_id, decision: "rejected", note: SHORT }, as);
    await call("record_outcome", { id, type: "done", details: { ALL } }, as);
    await call("record_artifact", { id, name: SHORT, details: { ALL } }, as);
    await call("fork", { id, title: `fork ${SHORT}` }, as);
    await call("add_task", { task_id: "t", title: SHORT }, as);
    await call("update_task", { task_id: "t", title: `other ${SHORT}` }, as);
    const details = { ALL };
    const action = { type: "look", result: "success", details };
    const observation = {
      session_id: "observed",
      actions: [action],
      checkpoints: [{ name: "c", state: details, timestamp: "2026-01-01T00:00:00Z" }],
      started_at: "2026-01-01T00:00:00Z",
    };
    await call("submit_observation", observation, as);
    writeFileSync(join(folder, "secrets.txt"), ALL);
    for await (const _ of runner.run(as, { id, message: `/read secrets.txt` }));
    for await (const _ of runner.run(as, { id, message: `/run echo ${SHORT}` }));
    await call("suspend", { id, reason: SHORT }, as);
    await importClaude(join(folder, "claude"), context);
    const hook = (fields: object) =>
      answerHookRequest(
        JSON.stringify({ session_id: HOOKED, cwd: folder, ...fields }),
        { ...as, scope: "record", token_id: "t" },
        { context, home: folder, cwd: folder, env: {}, noteFailure: (_, why) => expect.fail(why) },
      );
    await hook({ hook_event_name: "SessionStart", source: "startup" });
    await hook({ hook_event_name: "UserPromptSubmit", prompt: ALL });
    const tool = { tool_name: "Bash", tool_use_id: "toolu_1", tool_input: { command: ALL } };
    await hook({ hook_event_name: "PreToolUse", ...tool });
    await hook({ hook_event_name: "PostToolUse", ...tool, tool_response: { stdout: ALL } });
    await hook({ hook_event_name: "Stop", last_assistant_message: ALL });
    const restored = await call("show_checkpoint", { id, name: "large" }, as);
    return { stored: `${await readAll(store)}\n${JSON.stringify(restored)}`, folder };
  } finally {
    await runner.close();
    await store.close();
  }
}

const HOOKED = "22222222-aaaa-4bbb-8ccc-0123abcd0002";
const IMPORTED = "11111111-aaaa-4bbb-8ccc-0123abcd0001";

async function importClaude(
  home: string,
  context: Parameters<typeof importConversations>[0],
): Promise<void> {
  const claude = new ClaudeLines(IMPORTED);
  claude.user(ALL);
  claude.calls("toolu_1", "Bash", { command: ALL });
  claude.returns("toolu_1", ALL);
  claude.says(ALL);
  mkdirSync(join(home, "-x"), { recursive: true });
  writeFileSync(join(home, "-x", `${IMPORTED}.jsonl`), lines(claude.records));
  const options = { path: home, dry_run: false, since: null };
  const report = await importConversations(context, CALLER, IMPORTERS["claude-code"], options);
  expect(report.turns).toBe(1);
}

/** Everything that the store returns: heads, events and rows. */
async function readAll(store: Awaited<ReturnType<typeof openSqliteStore>>): Promise<string> {
  const texts: string[] = [];
  for (const kind of ["session", "task"] as const) {
    const { streams } = await store.list({ kind, owner: "ann", filter: {}, limit: 100 });
    texts.push(JSON.stringify(streams));
  }
  let cursor = "";
  for (;;) {
    const page = await store.readFeed({ after: cursor, limit: 500 });
    texts.push(JSON.stringify(page));
    if (page.events.length === 0) break;
    cursor = page.cursor;
  }
  return texts.join("\n");
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "belay-stored-"));
  folders.push(folder);
  return folder;
}
