import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { answerRecovery } from "../../src/drive/recovery/answer-recovery.ts";
import { newId } from "../../src/service/new-id.ts";
import { recordSystemFact } from "../../src/service/record-system-fact.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { fullMetadata } from "../service/full-metadata.ts";
import {
  CALLER,
  event,
  newWorkspace,
  SESSION,
  stateWith,
  type TestWorkspace,
} from "./copilot-workspace.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = newWorkspace();
});
afterEach(() => place.remove());

const LONG_STEP = "publish ".repeat(12).trim();
const begun = (step: string) => event("action.started", { step });
const done = (step: string) => event("action.completed", { step });

describe("a restored session", () => {
  it("that may continue after a question is restored without the question", async () => {
    place.writeLog(event("session.start"), begun("deploy"));
    place.writeState(stateWith({ next_immediate_step: "deploy" }));
    const { recovery } = await place.restore();
    await answerRecovery(place.context, CALLER, recovery?.approval_id ?? "", "continue", false);
    expect((await place.restore()).recovery).toMatchObject({ status: "ok", approval_id: null });
    // A step that may have happened is never the next one.
    expect(place.state()).toMatchObject({ next_immediate_step: null, process_map: {} });
    expect(place.lines().slice(-2)).toMatchObject([
      { type: "action.completed", step: "deploy", status: "interrupted" },
      { type: "session.recovered", status: "ok" },
    ]);
    const files = place.contents();
    expect((await place.restore()).changed).toBe(false);
    expect(place.contents()).toEqual(files);
  });

  it("that was aborted stays aborted, whatever its files say later", async () => {
    place.writeLog(event("session.start"), begun("deploy"));
    place.writeState(stateWith());
    const { recovery } = await place.restore();
    await answerRecovery(place.context, CALLER, recovery?.approval_id ?? "", "abort", false);
    const text = readFileSync(place.log, "utf8");
    place.writeLog(text.trimEnd(), begun("more"));
    const again = await place.restore();
    expect(again.recovery?.happened).toContain("cancelled");
    expect(again.damaged).toMatchObject([{ why: expect.stringContaining("cancelled") }]);
  });

  it("gets the later work of its agent once, even if its metadata is full", async () => {
    place.writeLog(event("session.start"), begun("a"), done("a"));
    place.writeState(stateWith({ steps_completed: ["a"] }));
    await place.restore();
    const service = createService(place.context);
    const metadata = fullMetadata(await service.call("get", { id: SESSION }, CALLER));
    await service.call("update", { id: SESSION, metadata }, CALLER);
    const text = readFileSync(place.log, "utf8");
    place.writeLog(text.trimEnd(), begun("b"), done("b"), begun("a"));
    place.writeState(stateWith({ steps_completed: ["a"], next_immediate_step: LONG_STEP }));
    expect((await place.restore()).recovery).toMatchObject({
      status: "manual-review",
      actions: [{ title: "a" }],
    });
    expect(place.state()).toMatchObject({ steps_completed: ["a", "b"] });
    const { next_immediate_step } = (await service.call("get", { id: SESSION }, CALLER)).metadata;
    expect(next_immediate_step).toBe(LONG_STEP);
    const started = (await place.events()).filter(({ type }) => type === "action.started");
    expect(started).toHaveLength(3);
  });
});

describe("a workspace that Belay writes", () => {
  beforeEach(async () => {
    const { context, cwd } = place;
    const data = { cwd, mirrors: ["copilot" as const] };
    await recordSystemFact(context, CALLER, { type: "workspace.initialized", data }, newId());
    const service = createService(context);
    const by = { ...CALLER, project: { cwd, repo: null, branch: null } };
    await service.call("create", { agent_name: "mine", session_id: "sess-own" }, by);
    const { action_id } = await service.call("begin_action", { id: "sess-own", type: "a" }, by);
    await service.call("complete_action", { id: "sess-own", action_id }, by);
    await service.call("begin_action", { id: "sess-own", type: "b", effects: "remote" }, by);
  });

  it("leads to the existing session", async () => {
    const { session_id, recovery } = await place.restore();
    expect(session_id).toBe("sess-own");
    expect(recovery).toMatchObject({ status: "manual-review", actions: [{ title: "b" }] });
    const starts = (await place.events("sess-own")).filter(({ type }) => type === "action.started");
    expect(starts).toHaveLength(2);
    const files = place.contents();
    expect((await place.restore()).changed).toBe(false);
    expect(place.contents()).toEqual(files);
  });

  it("restores the session if the database was lost", async () => {
    const store = openMemoryStore();
    Object.assign(place.context, { store, onChanged: async () => {} });
    const { session_id, recovery } = await place.restore();
    expect(session_id).toBe(`copilot-${CALLER.trace_id}`);
    expect(recovery).toMatchObject({
      status: "manual-review",
      actions: [{ title: "b", effects: "remote" }],
    });
    expect(place.state()).toMatchObject({ steps_completed: ["a"] });
    const files = place.contents();
    expect((await place.restore()).changed).toBe(false);
    expect(place.contents()).toEqual(files);
    expect(readFileSync(join(place.cwd, "events.ndjson"), "utf8")).not.toContain(SESSION);
  });
});
