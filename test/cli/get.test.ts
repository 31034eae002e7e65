import { afterEach, beforeEach, expect, it } from "vitest";
import { prepare } from "./prepare.ts";
import { newPlace } from "./run-belay.ts";

let place: ReturnType<typeof newPlace>;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

it("get shows the task, the last phases and whether the session can be resumed, and history accepts its id", async () => {
  await place.belay("create", "--agent", "a", "--id", "sess-1", "--task", "T001");
  await place.belay("update", "sess-1", "--phase", "planning", "--resume-ready", "false");
  const { stdout } = await place.belay("get", "sess-1");
  expect(stdout).toMatch(/task +T001/);
  expect(stdout).toMatch(/resume ready +no/);
  expect(stdout).toMatch(/phases +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +planning/);
  const history = await place.belay("history", "sess-1", "--json");
  expect(history.code).toBe(0);
  expect(JSON.stringify(history.json)).toContain("sess-1");
});

it("get without --json shows only the open and the newest actions, checkpoints and outcomes", async () => {
  await prepare(place.home, async ({ service, caller }) => {
    const id = "sess-1";
    await service.call("create", { agent_name: "a", session_id: id }, caller);
    const begin = (type: string, title: string) =>
      service.call("begin_action", { id, type, details: { title } }, caller);
    await begin("deploy", "open since long");
    for (let n = 1; n <= 8; n += 1) {
      const { action_id } = await begin("test", `run ${n}`);
      const ended = n === 8 ? ({ status: "failed", result: "failure" } as const) : {};
      await service.call("complete_action", { id, action_id, ...ended }, caller);
      await service.call("save_checkpoint", { id, name: `after-${n}`, state: {} }, caller);
    }
    await service.call("record_outcome", { id, type: "release", outcome_id: "R-7" }, caller);
  });
  const { stdout } = await place.belay("get", "sess-1");
  expect(stdout).toMatch(/^open actions +\d{4}-\S+ \S+ +started +deploy: open since long$/m);
  expect(stdout).toMatch(/^last actions +\d{4}-\S+ \S+ +success +test: run 4$/m);
  expect(stdout).toMatch(/ failure +test: run 8$/m);
  expect(stdout).toMatch(/^checkpoints +\d{4}-\S+ \S+ +after-4$/m);
  expect(stdout).toMatch(/^outcomes +release R-7$/m);
  expect(stdout).not.toMatch(/run 3|after-3/);
  const { json } = await place.belay("get", "sess-1", "--json");
  expect(json).toMatchObject({ session_id: "sess-1", open_actions: 1 });
});
