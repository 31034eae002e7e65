import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionHead } from "../../src/contract/head.ts";
import { recordSystemFact } from "../../src/service/record-system-fact.ts";
import type { StoredEvent } from "../../src/store/stream-store.ts";
import { createLab, type HookLab, MINUTE, RECORDINGS, readPayloads } from "./hook-lab.ts";
import { createHttpLab, type HttpLab } from "./http-lab.ts";

let command: HookLab;
let http: HttpLab;
beforeEach(async () => {
  command = createLab();
  http = await createHttpLab();
});
afterEach(async () => {
  command.clean();
  await http.end();
});

/** Sends a payload twice: to a separate process and to the server. */
async function both(payload: unknown, hook = "claude-code"): Promise<string> {
  for (const lab of [command, http]) lab.wait(1000);
  const answer = await command.hook(hook, payload);
  expect(await http.post(payload)).toBe(answer);
  return answer;
}

async function expectSameLogs(): Promise<number> {
  const heads = await command.sessions();
  const ids = (list: readonly SessionHead[]) => list.map(({ session_id }) => session_id).toSorted();
  expect(ids(await http.sessions())).toEqual(ids(heads));
  let events = 0;
  for (const { session_id } of heads) {
    const [one, other] = [await command.log(session_id), await http.log(session_id)];
    expect(other.map(plain)).toEqual(one.map(plain));
    events += one.length;
  }
  return events;
}

/** An event without the fields that differ between stores. */
function plain({ hash, writer, data, ...rest }: StoredEvent) {
  const text = JSON.stringify(data).replace(/("(?:entity_id|task_id)":)"[^"]*"/g, '$1"-"');
  return { ...rest, data: JSON.parse(text) };
}

describe("hooks over HTTP", () => {
  it.each(RECORDINGS)("leave the same log as the command: %s", async (name) => {
    for (const payload of readPayloads(name)) await both(payload);
    expect(await expectSameLogs()).toBeGreaterThan(2);
    const failures = command.failures().split("\n").filter(Boolean);
    expect(http.failed).toEqual(failures.map((line) => line.slice(line.indexOf(" ") + 1)));
  });

  it("leave the same log for all recordings in a row, and for repeated events", async () => {
    for (const name of RECORDINGS) {
      for (const payload of readPayloads(name)) {
        await both(payload);
        await both(payload);
      }
    }
    expect(await expectSameLogs()).toBeGreaterThan(20);
  });

  it("give a resumed agent its notes", async () => {
    const cwd = "/home/dev/project";
    const start = { session_id: "claude-main", cwd, hook_event_name: "SessionStart" };
    await both({ ...start, source: "startup" });
    await both({
      ...start,
      hook_event_name: "UserPromptSubmit",
      prompt_id: "p-1",
      prompt: "Find the leak",
    });
    await both({
      ...start,
      hook_event_name: "Stop",
      prompt_id: "p-1",
      last_assistant_message: "It is in the cache",
    });
    const answer = await both({ ...start, source: "resume" });
    expect(JSON.parse(answer)).toMatchObject({
      hookSpecificOutput: {
        hookEventName: "SessionStart",
        additionalContext: expect.stringContaining("It is in the cache"),
      },
    });
  });

  it("answer before work is delegated, and record its end", async () => {
    expect(JSON.parse(await both({ agent_name: "Explore" }, "pre-delegate"))).toMatchObject({
      reason: "no_existing_session",
    });
    for (const lab of [command, http]) {
      const project = { cwd: "/home/dev/project", repo: null, branch: null };
      await lab.call("create", { agent_name: "Explore", session_id: "agent-123", project });
      await lab.call("update", { id: "agent-123", phase: "approval" });
    }
    const asked = { agent_name: "Explore", agent_id: "agent-123" };
    expect(JSON.parse(await both(asked, "pre-delegate"))).toMatchObject({
      should_resume: true,
      reason: "session_resumable",
      resume_metadata: { previous_phase: "approval" },
    });
    for (const lab of [command, http]) {
      await lab.call("update", { id: "agent-123", phase: "executing" });
    }
    const stop = { task_info: { agent_id: "agent-123", status: "failed", error: "no disk" } };
    expect(await both(stop, "subagent-stop")).toBe("");
    await expectSameLogs();
    expect(await http.call("get", { id: "agent-123" })).toMatchObject({ status: "failed" });
  });

  it("look for earlier work in the caller's folder, not in the server's", async () => {
    const project = { cwd: http.project, repo: null, branch: null };
    await http.call("create", { agent_name: "Explore", session_id: "agent-there", project });
    await http.call("update", { id: "agent-there", phase: "approval" });
    const found = await http.post({ agent_name: "Explore", cwd: http.project });
    expect(JSON.parse(found)).toMatchObject({ agent_id: "agent-there", should_resume: true });
    expect(JSON.parse(await http.post({ agent_name: "Explore" }))).toMatchObject({
      should_resume: false,
    });
  });

  it("record for the owner of the token, who sees no data of others", async () => {
    const [payload] = readPayloads("plain");
    await http.post(payload, {}, { ...http.caller, owner: "ann" });
    expect(await http.sessions()).toEqual([]);
    const { streams } = await http.store.list({
      kind: "session",
      owner: "ann",
      filter: {},
      limit: 5,
    });
    expect(streams).toHaveLength(1);
  });

  it("report to the server which sessions they changed", async () => {
    const changed: string[] = [];
    const onChanged = async ({ head }: { head: SessionHead }) => void changed.push(head.session_id);
    await http.post({ session_id: "claude-main", hook_event_name: "SessionStart" }, { onChanged });
    expect(changed).toEqual(["claude-main"]);
  });

  it("deliver events in the spool first", async () => {
    const said = (prompt_id: string) => ({
      session_id: "claude-main",
      hook_event_name: "UserPromptSubmit",
      prompt_id,
      prompt: `words of ${prompt_id}`,
    });
    const broken = { ...http.store, read: () => Promise.reject(new Error("no disk")) };
    expect(await http.post(said("p-1"), { store: broken })).toBe("");
    expect(http.spooled()).toHaveLength(1);
    http.wait(MINUTE);
    await http.post(said("p-2"));
    expect(http.spooled()).toEqual([]);
    const { turns } = await http.call("turns", { id: "claude-main" });
    expect(turns.map(({ input }) => input)).toEqual(["words of p-1", "words of p-2"]);
  });
});

describe("a folder that a payload names", () => {
  const start = () => ({
    session_id: "claude-main",
    hook_event_name: "SessionStart",
    cwd: http.project,
  });

  it("is never written to", async () => {
    await http.post(start());
    await http.post({ ...start(), hook_event_name: "Nonsense" });
    await http.post({ agent_name: 5, cwd: http.project });
    const broken = { ...http.store, transact: () => Promise.reject(new Error("no disk")) };
    await http.post({ ...start(), session_id: "claude-other" }, { store: broken });
    expect(http.failed.length).toBeGreaterThanOrEqual(3);
    expect(http.spooled()).toHaveLength(1);
    expect(http.written()).toEqual([]);
  });

  it("gets the mirrors that its owner enabled, and only of that owner", async () => {
    const data = { cwd: http.project, mirrors: ["claude" as const] };
    const fact = { type: "workspace.initialized", data } as const;
    await recordSystemFact(http.context, http.caller, fact, "init");
    await http.post({ ...start(), session_id: "claude-ann" }, {}, { ...http.caller, owner: "ann" });
    expect(http.written()).toEqual([]);
    await http.post(start());
    const mirror = join(http.project, ".claude", "session", "claude-main", "state.json");
    expect(existsSync(mirror)).toBe(true);
    expect(JSON.parse(readFileSync(mirror, "utf8"))).toMatchObject({ agent_id: "claude-main" });
  });
});
