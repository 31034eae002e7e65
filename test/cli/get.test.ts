import { afterEach, beforeEach, expect, it } from "vitest";
import { newPlace } from "./run-belay.ts";

let place: ReturnType<typeof newPlace>;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

it("get tells the task, the last phases and whether it may be resumed, and history takes the id", async () => {
  await place.belay("create", "--agent", "a", "--id", "sess-1", "--task", "T001");
  await place.belay("update", "sess-1", "--phase", "planning", "--resume-ready", "false");
  const { stdout } = await place.belay("get", "sess-1");
  expect(stdout).toMatch(/task +T001/);
  expect(stdout).toMatch(/resume ready +no/);
  expect(stdout).toMatch(/phases +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +planning/);
  const history = await place.belay("history", "sess-1", "--json");
  expect(history.code).toBe(0);
  expect(JSON.stringify(history.json)).toContain("sess-1");
}, 60_000);
