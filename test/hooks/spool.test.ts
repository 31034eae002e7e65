import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deliverSpool } from "../../src/integrations/claude/deliver-spool.ts";
import { startDeadline } from "../../src/integrations/claude/hooks/deadline.ts";
import { runHook } from "../../src/integrations/claude/hooks/run-hook.ts";
import { newId } from "../../src/service/new-id.ts";
import { createLab, type HookLab, MINUTE, readPayloads, START } from "./hook-lab.ts";

const MAIN = "402e7a18-1d9b-4983-815e-734ca53fd8fa";
const SUB = "a53460a707d5a6dc3";

let lab: HookLab;
beforeEach(() => {
  lab = createLab();
});
afterEach(() => lab.clean());

const hasty = (payload: unknown) =>
  runHook("claude-code", JSON.stringify(payload), lab.deps, startDeadline(0, 300));
const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: MAIN,
  cwd: "/home/dev/project",
  hook_event_name,
  ...fields,
});
const ours = readPayloads("sub").filter(
  ({ hook_event_name }) => !/^Post/.test(String(hook_event_name)),
);

/** Another process that writes and holds its lock. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  await lab.hook("claude-code", event("SessionStart"));
  const other = new DatabaseSync(join(lab.home, "belay.db"));
  other.exec("BEGIN IMMEDIATE");
  try {
    await work();
  } finally {
    other.exec("ROLLBACK");
    other.close();
  }
}

describe("an event that cannot be written now", () => {
  it("waits in the spool, and is delivered in order by the next hook that can write", async () => {
    await whileLocked(async () => {
      for (const payload of ours) {
        lab.wait(1000);
        await hasty(payload);
      }
    });
    expect(lab.spooled()).toHaveLength(8);
    expect(lab.failures()).toContain("claude-code: ");
    lab.wait(5 * MINUTE);
    await lab.hook("pre-delegate", { agent_name: "nobody" });
    expect(lab.spooled()).toEqual([]);
    const { turns } = await lab.call("turns", { id: MAIN });
    expect(turns).toMatchObject([
      { input: "SUBAGENT go", output: "STUB-REPLY n=49 seen=[] after-tool", status: "completed" },
      { output: "STUB-REPLY n=51 seen=[] after-tool" },
    ]);
    expect(await lab.call("turns", { id: SUB })).toMatchObject({
      turns: [{ output: "STUB-REPLY n=47 seen=[] from-subagent" }],
    });
  });

  it("keeps its original time, unless its session has continued since", async () => {
    const started = { agent_id: SUB, agent_type: "Explore", prompt_id: "prompt-1" };
    await whileLocked(async () => void (await hasty(event("SubagentStart", started))));
    lab.wait(45 * MINUTE);
    await lab.hook("pre-delegate", { agent_name: "nobody" });
    expect(await lab.call("get", { id: SUB })).toMatchObject({
      updated_at: new Date(START).toISOString(),
    });
    await whileLocked(async () => void (await hasty(event("SessionEnd", { reason: "other" }))));
    const { updated_at } = await lab.call("update", { id: MAIN, metadata: { a: 1 } });
    lab.wait(MINUTE);
    await lab.hook("pre-delegate", { agent_name: "nobody" });
    expect(await lab.call("get", { id: MAIN })).toMatchObject({ updated_at });
  });

  it("is delivered once, even if it had been written and is repeated", async () => {
    const payload = event("SubagentStop", {
      agent_id: SUB,
      agent_type: "Explore",
      last_assistant_message: "found",
      prompt_id: "prompt-1",
    });
    await whileLocked(async () => void (await hasty(payload)));
    const [name = ""] = lab.spooled();
    const folder = join(lab.home, "spool");
    const text = readdirSync(folder);
    expect(text).toHaveLength(1);
    await lab.hook("claude-code", payload);
    expect(lab.spooled()).toEqual([]);
    await whileLocked(async () => void (await hasty(payload)));
    await Promise.all([1, 2, 3].map(() => lab.hook("pre-delegate", { agent_name: "nobody" })));
    expect(await lab.call("turns", { id: SUB })).toMatchObject({ turns: [{ output: "found" }] });
    expect((await lab.log(SUB)).filter(({ type }) => type === "agent.stopped")).toHaveLength(1);
    expect(name).toMatch(/^\d{15}-[0-9a-f-]{36}-[0-9a-f]{16}\.json$/);
  });

  it("is delivered by the next process that opens the store", async () => {
    await whileLocked(
      async () => void (await hasty(event("UserPromptSubmit", { prompt: "hello" }))),
    );
    const store = await lab.deps.openStore({ home: lab.home, busyMs: 1000, readOnly: false });
    try {
      expect(await deliverSpool({ store, now: lab.deps.now, newId }, lab.deps)).toEqual({
        delivered: 1,
        rejected: [],
        blocked: 0,
        left: 0,
      });
    } finally {
      await store.close();
    }
    expect(await lab.call("turns", { id: MAIN })).toMatchObject({ turns: [{ input: "hello" }] });
  });

  it("has its own file, which is complete, private and read-only", async () => {
    await whileLocked(async () => void (await hasty(event("SessionEnd", { reason: "other" }))));
    const folder = join(lab.home, "spool");
    const [name = ""] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o400);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("contains only the listed fields of a payload", async () => {
    const secret = { token: "s3cret", env: { CLAUDE_TOKEN: "s3cret" }, transcript_path: "/s3cret" };
    await whileLocked(
      async () => void (await hasty(event("UserPromptSubmit", { prompt: "hello", ...secret }))),
    );
    const folder = join(lab.home, "spool");
    const { readFileSync } = await import("node:fs");
    const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(text.join()).toContain("hello");
    expect(text.join()).not.toContain("s3cret");
  });

  it("has a limited size", async () => {
    await lab.hook("claude-code", event("SessionStart"));
    const folder = join(lab.home, "spool");
    mkdirSync(folder);
    for (let n = 0; n < 1000; n += 1) writeFileSync(join(folder, `${n}.rejected`), "");
    await whileLocked(async () => void (await hasty(event("SessionEnd", { reason: "other" }))));
    expect(readdirSync(folder)).toHaveLength(1000);
    expect(lab.spooled()).toHaveLength(1001);
  });
});

describe("a home that cannot be used", () => {
  it("makes hooks use the spool in the project", async () => {
    writeFileSync(lab.home, "in the way");
    await lab.hook("claude-code", event("UserPromptSubmit", { prompt: "hello" }));
    expect(lab.spooled()).toHaveLength(1);
    renameSync(lab.home, `${lab.home}.gone`);
    await lab.hook("claude-code", event("Stop", { last_assistant_message: "hi" }));
    expect(lab.spooled()).toEqual([]);
    expect(await lab.call("turns", { id: MAIN })).toMatchObject({
      turns: [{ input: "hello", output: "hi" }],
    });
  });

  it("does not lead outside the project", async () => {
    writeFileSync(lab.home, "in the way");
    const outside = join(lab.cwd, "..", "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(lab.cwd, ".claude"));
    await lab.hook("claude-code", event("UserPromptSubmit", { prompt: "hello" }));
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe("a spool with files of others", () => {
  const planted = {
    owner: "local",
    sighting: {
      key: "planted",
      at: START,
      actor: "mallory",
      trace_id: null,
      session_id: "planted-session",
      begin: { agent_name: "Explore", cwd: "/x", metadata: {}, supports_resume: false },
      seen: { kind: "delegated" },
    },
  };

  it("delivers nothing that came with a checkout", async () => {
    const folder = join(lab.cwd, ".claude", "belay-spool");
    mkdirSync(folder, { recursive: true });
    for (const mode of [0o644, 0o600, 0o755]) {
      const path = join(folder, `000000000000000-${mode}.json`);
      writeFileSync(path, JSON.stringify(planted));
      chmodSync(path, mode);
    }
    await lab.hook("claude-code", event("SessionStart"));
    expect((await lab.sessions()).map(({ session_id }) => session_id)).toEqual([MAIN]);
    expect(lab.spooled().every((name) => name.endsWith(".rejected"))).toBe(true);
  });

  it.each([
    "",
    "{",
    "null",
    JSON.stringify({ ...planted, owner: 5 }),
    JSON.stringify({ ...planted, sighting: { ...planted.sighting, session_id: "../x" } }),
    JSON.stringify({ ...planted, sighting: { ...planted.sighting, seen: { kind: "exec" } } }),
    JSON.stringify({ ...planted, sighting: { ...planted.sighting, at: -1 } }),
    JSON.stringify({ ...planted, sighting: { ...planted.sighting, begin: "x" } }),
  ])("sets aside a file that is not a sighting, and continues: %s", async (text) => {
    const folder = join(lab.home, "spool");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "000000000000000-x.json"), text, { mode: 0o400 });
    await lab.hook("claude-code", event("SessionStart"));
    expect((await lab.sessions()).map(({ session_id }) => session_id)).toEqual([MAIN]);
    expect(readdirSync(folder)).toEqual(["000000000000000-x.json.rejected"]);
    expect(lab.failures()).toContain("not delivered: 000000000000000-x.json");
  });

  it("follows no link", async () => {
    const folder = join(lab.home, "spool");
    mkdirSync(folder, { recursive: true });
    symlinkSync("/etc/passwd", join(folder, "000000000000000-x.json"));
    await lab.hook("claude-code", event("SessionStart"));
    expect((await lab.sessions()).map(({ session_id }) => session_id)).toEqual([MAIN]);
  });
});
