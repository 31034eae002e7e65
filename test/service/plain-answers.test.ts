import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { openBelay } from "../../src/index.ts";
import { HOUR, onMemory } from "./on-memory.ts";

afterEach(() => vi.unstubAllEnvs());

it("a checkpoint is found by its id or its name", async () => {
  const { service, caller } = await lab("saved-1");
  const ids: (string | null)[] = [];
  for (let n = 0; n < 60; n++) {
    const saved = { id: "saved-1", name: `step ${n}`, state: { n } };
    ids.push((await service.call("save_checkpoint", saved, caller)).checkpoint_id);
  }
  for (const n of [0, 30, 59]) {
    const asked = { id: "saved-1", name: ids[n] };
    expect(await service.call("show_checkpoint", asked, caller)).toMatchObject({
      name: `step ${n}`,
      state: { n },
    });
  }
  const nowhere = service.call("show_checkpoint", { id: "saved-1", name: "nowhere" }, caller);
  await expect(nowhere).rejects.toMatchObject({ code: "checkpoint_not_found" });
});

it("an empty update is refused", async () => {
  const { service, caller } = await lab("quiet-1");
  await expect(service.call("update", { id: "quiet-1" }, caller)).rejects.toMatchObject({
    code: "invalid_input",
    message: 'Nothing to update. Give "phase", "metadata", "error" or "resume_ready".',
  });
});

it("an ambiguous id names its candidates", async () => {
  const { service, caller } = await lab("twin-1", "twin-2");
  await expect(service.call("get", { id: "twin-" }, caller)).rejects.toMatchObject({
    code: "ambiguous_id",
    message: expect.stringContaining("candidates: twin-1, twin-2"),
  });
});

it("a message to a session whose agent runs elsewhere is refused with the session's status", async () => {
  const { service, caller } = await lab("live-1", "held-1", "done-1", "fail-1", "gone-1", "away-1");
  await service.call("suspend", { id: "held-1" }, caller);
  await service.call("finalize", { id: "done-1", outcome: "completed" }, caller);
  await service.call("finalize", { id: "fail-1", outcome: "failed" }, caller);
  await service.call("cancel", { id: "gone-1" }, caller);
  await service.call("archive", { id: "away-1" }, caller);
  const codes = {
    "live-1": "agent_not_found",
    "held-1": "session_suspended",
    "done-1": "session_completed",
    "fail-1": "session_failed",
    "gone-1": "session_cancelled",
    "away-1": "session_archived",
  };
  for (const [id, code] of Object.entries(codes)) {
    const sent = service.call("send_message", { id, message: "hello" }, caller);
    await expect(sent).rejects.toMatchObject({ code });
  }
});

it("the time in which a session may be resumed is a setting", async () => {
  const { service, caller, advance } = await lab("rest-1");
  await service.call("update", { id: "rest-1", phase: "planning" }, caller);
  advance(HOUR);
  const may = () => service.call("should_resume", { id: "rest-1" }, caller);
  expect(await may()).toMatchObject({ should_resume: false, reason: "idle_too_long" });
  vi.stubEnv("BELAY_RESUME_WINDOW", "90");
  expect(await may()).toMatchObject({ should_resume: true });
  vi.stubEnv("BELAY_RESUME_WINDOW", "soon");
  await expect(may()).rejects.toMatchObject({ code: "invalid_input" });
});

it.each([
  ["BELAY_DATABASE_URL", "mysql://ann:secret@db/belay", "has the scheme mysql"],
  ["BELAY_REDIS_URL", "redis://cache", "is set without BELAY_DATABASE_URL"],
  ["BELAY_REDIS_URL", "http://ann:secret@cache", "is not an address of a Redis server"],
  ["BELAY_DATABASE_URL", "", "is empty"],
])("%s=%s is refused, never ignored", async (variable, value, why) => {
  vi.stubEnv(variable, value);
  const home = mkdtempSync(join(tmpdir(), "belay-elsewhere-"));
  const opened = await openBelay({ home }).catch((error: Error) => error);
  if (!(opened instanceof Error)) await opened.close();
  rmSync(home, { recursive: true });
  expect(opened).toMatchObject({ code: "storage_unsupported" });
  expect(String(opened)).toContain(why);
  expect(String(opened)).not.toContain("secret");
});

async function lab(...ids: string[]) {
  const opened = onMemory();
  for (const session_id of ids) {
    await opened.service.call("create", { agent_name: "elsewhere", session_id }, opened.caller);
  }
  return opened;
}
