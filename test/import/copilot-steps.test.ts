import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { answerRecovery } from "../../src/drive/recovery/answer-recovery.ts";
import { PLAIN_RECOVERY } from "../../src/drive/recovery/drive-context.ts";
import { recoverSession } from "../../src/drive/recovery/recover-session.ts";
import { mirrorTimeline } from "../../src/integrations/copilot/mirror-copilot-events.ts";
import { newId } from "../../src/service/new-id.ts";
import { recordSystemFact } from "../../src/service/record-system-fact.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import {
  CALLER,
  event,
  newWorkspace,
  processWith,
  stateWith,
  type TestWorkspace,
} from "./copilot-workspace.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = newWorkspace();
});
afterEach(() => place.remove());

const begun = (step: string, fields: object = {}) => event("action.started", { step, ...fields });
const done = (step: string, fields: object = {}) => event("action.completed", { step, ...fields });
/** No process can have this pid. */
const NO_PID = 2 ** 22 + 1;
const KEYED = { effects: "remote", idempotency_key: "order-7" };

describe("a remote step with a key", () => {
  it.each([
    ["that was not declared idempotent", {}],
    ["that was declared not to be", { idempotent: false }],
  ])("%s leads to a question, and is not repeated", async (_, said) => {
    place.writeLog(event("session.start"), begun("charge", { ...KEYED, ...said }));
    place.writeState(stateWith());
    expect((await place.restore()).recovery).toMatchObject({
      status: "manual-review",
      actions: [{ step: "ask" }],
    });
  });

  it("is treated the same by recover, and by restore from the mirror's files", async () => {
    const service = await keepMirror();
    const keyed = { id: "sess-own", effects: "remote", action_key: "order-7" } as const;
    await service.call("begin_action", { ...keyed, type: "charge" }, CALLER);
    await service.call("begin_action", { ...keyed, type: "notify", idempotent: true }, CALLER);
    expect(place.lines().slice(-2)).toMatchObject([{ idempotent: false }, { idempotent: true }]);
    Object.assign(place.context, { store: openMemoryStore(), onChanged: async () => {} });
    expect((await place.restore()).recovery?.actions).toMatchObject([
      { title: "charge", step: "ask" },
      { title: "notify", step: "rerun_with_key" },
    ]);
  });
});

describe("a step that is only in the list", () => {
  it("is started again by a later line of the log, which is a separate step", async () => {
    place.writeLog(event("session.start"));
    place.writeState(stateWith({ steps_completed: ["deploy"] }));
    expect((await place.restore()).recovery).toMatchObject({ status: "ok" });
    appendFileSync(place.log, `${JSON.stringify(begun("deploy", { effects: "remote" }))}\n`);
    expect((await place.restore({ dry_run: true })).recovery).toMatchObject({
      status: "manual-review",
    });
    const { recovery } = await place.restore();
    expect(recovery).toMatchObject({ status: "manual-review", actions: [{ step: "ask" }] });
    // The state file was rewritten since: it still lists the old one.
    expect(place.state()).toMatchObject({ steps_completed: ["deploy"] });
    expect(await place.restore()).toMatchObject({ changed: false });
    const ended = (await place.events()).filter(({ type }) => type === "action.completed");
    expect(ended).toHaveLength(1);
  });
});

describe("temporary files of a local step", () => {
  it("are written by the mirror, and removed by a restore before the step is repeated", async () => {
    const service = await keepMirror();
    const half = join(place.cwd, "half.tmp");
    writeFileSync(half, "half");
    const action = { type: "build", effects: "local", temporary: ["half.tmp"] } as const;
    await service.call("begin_action", { id: "sess-own", ...action }, CALLER);
    expect(place.lines().at(-1)).toMatchObject({ step: "build", temporary: [half] });
    Object.assign(place.context, { store: openMemoryStore(), onChanged: async () => {} });
    const { recovery } = await place.restore();
    expect(recovery?.actions).toMatchObject([{ step: "rerun", removed: [half] }]);
    expect(existsSync(half)).toBe(false);
  });
});

describe("the next step", () => {
  it("is not one that the log shows as completed after the state was written", async () => {
    place.writeLog(event("session.start"), begun("a"), done("a"), begun("b"), done("b"));
    place.writeState(stateWith({ steps_completed: ["a"], next_immediate_step: "b" }));
    expect((await place.restore()).recovery).toMatchObject({ status: "ok" });
    expect(place.state()).toMatchObject({
      steps_completed: ["a", "b"],
      next_immediate_step: null,
    });
  });

  it("is one that was completed before, if the agent planned it again", async () => {
    place.writeLog(event("session.start"), begun("test"), done("test"));
    place.writeState(stateWith({ steps_completed: ["test"], next_immediate_step: "test" }));
    await place.restore();
    expect(place.state()).toMatchObject({ next_immediate_step: "test" });
  });

  it("stays the same when a question about another step is answered", async () => {
    place.writeLog(event("session.start"), begun("test", { effects: "local" }), begun("deploy"));
    place.writeState(stateWith());
    const { recovery } = await place.restore();
    expect(recovery).toMatchObject({ status: "manual-review", next_step: "test" });
    await answerRecovery(place.context, CALLER, recovery?.approval_id ?? "", "continue", false);
    expect((await place.restore()).recovery).toMatchObject({ status: "ok", next_step: "test" });
    expect(place.state()).toMatchObject({ next_immediate_step: "test" });
  });

  it("has one name in the log, the list and the plan", async () => {
    const service = await keepMirror();
    const step = { id: "sess-own", type: "s18", details: { title: "step 18" } };
    const { action_id } = await service.call("begin_action", { ...step, effects: "local" }, CALLER);
    await service.call("complete_action", { id: "sess-own", action_id }, CALLER);
    await service.call("begin_action", { ...step, effects: "local" }, CALLER);
    await place.restore();
    expect(place.lines().find(({ type }) => type === "action.started")?.step).toBe("step 18");
    expect(place.lines().at(-1)).toMatchObject({
      type: "session.recovered",
      next_step: "step 18",
      plan: [{ step: "step 18", plan: "rerun" }],
    });
    expect(place.state()).toMatchObject({
      steps_completed: ["step 18"],
      next_immediate_step: "step 18",
    });
  });
});

describe("a remote step that failed", () => {
  const failed = [begun("push", { effects: "remote" }), done("push", { status: "failed" })];
  it.each([
    ["a step that only the list knows", { steps_completed: ["fetch", "lint"] }],
    ["a process without a time", { process_map: { lint: { pid: NO_PID, effects: "local" } } }],
  ])("leads to a question, whatever else is recorded: %s", async (_, state) => {
    place.writeLog(event("session.start"), begun("fetch"), done("fetch"), ...failed);
    place.writeState(stateWith(state));
    const { recovery } = await place.restore();
    expect(recovery?.status).toBe("manual-review");
    expect(recovery?.actions).toContainEqual(expect.objectContaining({ title: "push" }));
  });
});

describe("a workspace that Belay writes", () => {
  it("has session.start in its log as soon as there is a session", async () => {
    await keepMirror();
    expect(place.lines()).toMatchObject([{ type: "session.start", session_id: "sess-own" }]);
    expect(existsSync(place.file)).toBe(false);
  });

  it("also gets a timeline from recover", async () => {
    const service = await keepMirror();
    const step = { id: "sess-own", type: "index", effects: "local" } as const;
    await service.call("begin_action", step, CALLER);
    const recovery = {
      ...PLAIN_RECOVERY,
      folderOf: async () => place.cwd,
      writeTimeline: (id: string) => mirrorTimeline(place.context.store, id, place.cwd),
    };
    const context = { ...place.context, recovery };
    await recoverSession(context, CALLER, "sess-own", { force: true });
    const timeline = readFileSync(join(place.cwd, ".tmp", "recovery.timeline"), "utf8");
    expect(timeline.split("\n").map((line) => line.split("\t").slice(1, 3))).toEqual([
      ["session.start", "-"],
      ["action.started", "index"],
      [],
    ]);
  });
});

describe("marks in the process map", () => {
  it("apply if the line of the log says nothing", async () => {
    const rollback = [{ title: "undo", command: "true" }];
    const marks = { effects: "local", detachable: true, orphanable: true, rollback };
    place.writeLog(event("session.start"), begun("index"));
    place.writeState(stateWith({ process_map: { index: processWith(NO_PID, marks) } }));
    expect((await place.restore()).recovery).toMatchObject({ status: "ok", next_step: "index" });
    const [started] = (await place.events()).filter(({ type }) => type === "action.started");
    expect(started?.data).toMatchObject(marks);
  });

  it("do not override the line of the log", async () => {
    place.writeLog(event("session.start"), begun("index", { effects: "remote" }));
    place.writeState(
      stateWith({ process_map: { index: processWith(NO_PID, { effects: "local" }) } }),
    );
    expect((await place.restore()).recovery).toMatchObject({ status: "manual-review" });
  });
});

describe("a state file with a bad field", () => {
  it("keeps its valid fields, and is reviewed by a person", async () => {
    place.writeLog(event("session.start"), begun("a"), done("a"));
    const map = { deploy: processWith(NO_PID), odd: { pid: "12" } };
    place.writeState(
      stateWith({ steps_completed: ["a", "b", 7], process_map: map, events_cursor: "soon" }),
    );
    const report = await place.restore();
    expect(report.quarantined).toHaveLength(1);
    expect(report.damaged.map(({ why }) => why)).toEqual([
      expect.stringContaining("steps_completed.2"),
      expect.stringContaining("process_map.odd"),
      expect.stringContaining("events_cursor"),
    ]);
    expect(report.recovery).toMatchObject({
      status: "manual-review",
      actions: [{ title: "deploy" }, { title: "odd" }],
    });
    expect(place.state()).toMatchObject({ notes: "as it was", steps_completed: ["a", "b"] });
  });

  it("leads to a question even without an open step, and the answer is kept", async () => {
    place.writeLog(event("session.start"), begun("a"), done("a"));
    place.writeState(stateWith({ next_immediate_step: 7 }));
    const first = await place.restore();
    expect(first.recovery).toMatchObject({ status: "manual-review", actions: [] });
    const asked = first.recovery?.approval_id ?? "";
    const files = place.contents();
    expect(await place.restore()).toMatchObject({
      changed: false,
      recovery: { status: "manual-review", approval_id: asked },
    });
    expect(place.contents()).toEqual(files);
    await answerRecovery(place.context, CALLER, asked, "continue", false);
    expect((await place.restore()).recovery).toMatchObject({ status: "ok", approval_id: null });
  });
});

it("accepts an event with its step in the payload", async () => {
  place.writeLog(
    event("session.start"),
    event("action.started", { payload: { step: "charge", effects: "local" } }),
  );
  place.writeState(stateWith());
  const { recovery, damaged } = await place.restore();
  expect(damaged).toEqual([]);
  expect(recovery).toMatchObject({ status: "ok", next_step: "charge" });
});

/** A session of Belay's own in a workspace with a mirror. */
async function keepMirror() {
  const { context, cwd } = place;
  const data = { cwd, mirrors: ["copilot" as const] };
  await recordSystemFact(context, CALLER, { type: "workspace.initialized", data }, newId());
  const service = createService(context);
  const by = { ...CALLER, project: { cwd, repo: null, branch: null } };
  await service.call("create", { agent_name: "mine", session_id: "sess-own" }, by);
  return service;
}
