import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  event,
  newWorkspace,
  processWith,
  SESSION,
  stateWith,
  type TestWorkspace,
} from "./copilot-workspace.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = newWorkspace();
});
afterEach(() => place.remove());

const FETCHED = [
  event("session.start"),
  event("action.started", { step: "fetch" }),
  event("action.completed", { step: "fetch" }),
];
const KEYED = { effects: "remote", idempotent: true, idempotency_key: "order-7" };
/** No process can have this pid. */
const NO_PID = 2 ** 22 + 1;

describe("a workspace whose agent", () => {
  it("ended between two steps continues with the next one", async () => {
    place.writeLog(...FETCHED);
    place.writeState(stateWith({ steps_completed: ["fetch"], next_immediate_step: "build" }));
    const { recovery } = await restoreTwice();
    expect(recovery).toMatchObject({ status: "ok", actions: [], approval_id: null });
    expect(place.state()).toMatchObject({
      steps_completed: ["fetch"],
      next_immediate_step: "build",
      notes: "as it was",
    });
    expect(place.lines().at(-1)).toMatchObject({ type: "session.recovered", status: "ok" });
  });

  it("ended after its last step is restored unchanged", async () => {
    place.writeLog(...FETCHED);
    place.writeState(stateWith({ steps_completed: ["fetch"] }));
    const { recovery } = await restoreTwice();
    expect(recovery).toMatchObject({ status: "ok", next_step: null });
    expect(place.state()).toMatchObject({ next_immediate_step: null, process_map: {} });
  });

  it("died in a step with unknown effects leads to a question, and the step stays open", async () => {
    place.writeLog(...FETCHED, event("action.started", { step: "deploy" }));
    place.writeState(
      stateWith({ steps_completed: ["fetch"], process_map: { deploy: processWith(NO_PID) } }),
    );
    const { recovery } = await restoreTwice();
    expect(recovery).toMatchObject({
      status: "manual-review",
      actions: [{ title: "deploy", effects: "unknown", process: "gone", step: "ask" }],
    });
    expect(readFileSync(join(place.cwd, "CHECKPOINT_1.md"), "utf8")).toContain("deploy");
    expect(place.lines().at(-1)).toMatchObject({ status: "manual-review", session_id: SESSION });
    expect(place.state()).toMatchObject({ process_map: { deploy: { pid: NO_PID } } });
  });

  it("died in a harmless step may repeat it", async () => {
    place.writeLog(...FETCHED, event("action.started", { step: "test", effects: "local" }));
    place.writeState(stateWith({ process_map: { test: processWith(NO_PID) } }));
    const { recovery } = await restoreTwice();
    expect(recovery).toMatchObject({ status: "ok", next_step: "test" });
    expect(place.state()).toMatchObject({ next_immediate_step: "test", process_map: {} });
  });

  it("died in a step with a key may send it again under that key", async () => {
    const said = { step: "charge", ...KEYED };
    place.writeLog(...FETCHED, event("action.started", said));
    place.writeState(stateWith({ process_map: { charge: processWith(NO_PID) } }));
    const { recovery } = await restoreTwice();
    expect(recovery).toMatchObject({
      status: "ok",
      actions: [{ step: "rerun_with_key", why: expect.stringContaining("order-7") }],
    });
  });

  it("left a process running leads to a question, and the process survives", async () => {
    const decoy = spawn("sleep", ["60"], { stdio: "ignore" });
    try {
      await once(decoy, "spawn");
      place.writeLog(...FETCHED, event("action.started", { step: "deploy", effects: "local" }));
      place.writeState(stateWith({ process_map: { deploy: processWith(Number(decoy.pid)) } }));
      const { recovery } = await restoreTwice();
      expect(recovery).toMatchObject({
        status: "manual-review",
        actions: [{ process: "unproven", pid: decoy.pid, step: "ask" }],
      });
      expect(decoy.exitCode).toBeNull();
      expect(decoy.signalCode).toBeNull();
    } finally {
      decoy.kill("SIGKILL");
    }
  });

  it("names a process in its files gives no proof, however precise", async () => {
    const mine = {
      start_time: 1,
      boot_id: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    };
    const said = { step: "deploy", effects: "local", pid: process.pid, ...mine };
    place.writeLog(event("action.started", said));
    place.writeState(stateWith({ process_map: { deploy: processWith(process.pid, mine) } }));
    const { recovery } = await restoreTwice();
    expect(recovery?.actions).toMatchObject([{ process: "unproven", step: "ask" }]);
  });

  it.each([
    ["in its log", { status: "failed" }, {}],
    ["by its exit code", { exit_code: 2 }, {}],
    ["in its process map", null, { status: "failed", exit_code: 1 }],
  ])("saw a step fail (%s) leads to a question unless it was harmless", async (_, ended, entry) => {
    const over = (step: string) => (ended ? [event("action.completed", { step, ...ended })] : []);
    const map = { process_map: { push: processWith(NO_PID, entry) } };
    place.writeLog(event("action.started", { step: "push", effects: "remote" }), ...over("push"));
    place.writeState(stateWith(map));
    expect((await restoreTwice()).recovery).toMatchObject({ status: "manual-review" });

    const other = newWorkspace();
    other.writeLog(event("action.started", { step: "push", effects: "none" }), ...over("push"));
    other.writeState(stateWith(map));
    expect((await other.restore()).recovery).toMatchObject({ status: "ok", next_step: "push" });
    other.remove();
  });

  it("failed three times at a harmless step is not told to retry", async () => {
    const said = { step: "test", effects: "none" };
    const attempt = () => [
      event("action.started", said),
      event("action.completed", { ...said, status: "failed" }),
    ];
    place.writeLog(...attempt(), ...attempt(), ...attempt());
    place.writeState(stateWith());
    expect((await restoreTwice()).recovery).toMatchObject({ status: "manual-review" });
  });

  it("died after it recorded a process, before its line in the log, leads to a question", async () => {
    place.writeLog(...FETCHED);
    place.writeState(
      stateWith({ steps_completed: ["fetch"], process_map: { deploy: processWith(NO_PID) } }),
    );
    expect((await restoreTwice()).recovery).toMatchObject({
      status: "manual-review",
      actions: [{ title: "deploy" }],
    });
  });

  it("puts the subject of an event into its data is understood", async () => {
    const data = { step: "charge", ...KEYED };
    place.writeLog(event("session.start"), event("action.started", { data }));
    place.writeState(stateWith());
    expect((await restoreTwice()).recovery?.actions).toMatchObject([
      { title: "charge", effects: "remote", step: "rerun_with_key" },
    ]);
  });

  it("kept the process of a completed step in its map leads to no question", async () => {
    place.writeLog(...FETCHED);
    place.writeState(
      stateWith({
        steps_completed: ["fetch"],
        process_map: { fetch: processWith(NO_PID, { started_at: "2026-01-08T18:00:01Z" }) },
      }),
    );
    expect((await restoreTwice()).recovery).toMatchObject({ status: "ok", actions: [] });
  });

  it.each([
    ["two hours back", -2 * 3_600_000],
    ["a day ahead", 24 * 3_600_000],
  ])("had its clock set %s in the meantime is restored", async (_, shift) => {
    const at = (ms: number) => ({ timestamp: new Date(Date.now() + ms).toISOString() });
    place.writeLog(
      event("session.start", at(-1000)),
      event("action.started", { step: "fetch", ...at(-900) }),
      event("action.completed", { step: "fetch", ...at(shift) }),
      event("action.started", { step: "deploy", ...at(shift + 100) }),
    );
    place.writeState(
      stateWith({
        last_sync: at(shift).timestamp,
        process_map: {
          fetch: processWith(NO_PID, { started_at: at(-900).timestamp }),
          deploy: processWith(NO_PID, { started_at: at(shift + 100).timestamp }),
        },
      }),
    );
    const { recovery } = await restoreTwice();
    expect(recovery?.actions).toMatchObject([{ title: "deploy", step: "ask" }]);
    const latest = Math.max(...(await place.events()).map((one) => one.at));
    expect(latest).toBeLessThanOrEqual(Date.now());
  });
});

/** The second restore changes nothing: no file, no line, no event, and the same answer. */
async function restoreTwice() {
  const first = await place.restore();
  const files = place.contents();
  const events = await place.events();
  const second = await place.restore();
  expect(place.contents()).toEqual(files);
  expect(await place.events()).toEqual(events);
  expect(first.changed).toBe(true);
  expect(second.changed).toBe(false);
  expect(second.recovery).toMatchObject({
    session_id: SESSION,
    status: first.recovery?.status,
    approval_id: first.recovery?.approval_id,
    next_step: first.recovery?.next_step,
    changed: false,
  });
  return first;
}
