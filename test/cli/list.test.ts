import { afterEach, beforeEach, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { prepare } from "./prepare.ts";
import { newPlace } from "./run-belay.ts";

let place: ReturnType<typeof newPlace>;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

it("finds sessions by words, however many others are more recent", async () => {
  await fill(place.home, LIMITS.SEARCHED + 50);
  const found = await place.belay("list", "--search", "needle HAY", "--json");
  expect(found.json).toMatchObject({ sessions: [{ session_id: "needle-1" }], next_cursor: null });
  const shown = await place.belay("list", "--search", "needle");
  expect(shown.stdout).toContain("needle-1");
  expect(shown.stdout).not.toContain("straw-");
  const some = await place.belay("list", "--search", "straw", "--limit", "7", "--json");
  expect(some.json).toMatchObject({ next_cursor: expect.any(String) });
  expect((await place.belay("list", "--search", "nowhere")).stdout).toContain("No sessions found");
  expect((await place.belay("list", "--search", " ")).code).toBe(2);
});

it("shows where and when a session started, and never shows a failed or interrupted one as working", async () => {
  await prepare(place.home, async ({ service, caller, clock }) => {
    for (const session_id of ["fail-1", "dead-1", "work-1"]) {
      await service.call("create", { agent_name: "a", session_id }, caller);
    }
    await service.call("finalize", { id: "fail-1", outcome: "failed" }, caller);
    await service.call("begin_action", { id: "dead-1", type: "deploy" }, caller);
    clock.now += 3_600_000;
    await service.call("begin_action", { id: "work-1", type: "deploy" }, caller);
  });
  const { stdout } = await place.with({ FORCE_COLOR: "1" }, "list");
  const [header, ...lines] = stdout.split("\n");
  expect(header).toMatch(/STATUS +PHASE +INTERFACE +CREATED/);
  const lineOf = (id: string) => lines.find((line) => line.includes(id)) ?? "";
  expect(lineOf("work-1")).toMatch(/ library .*\d{4}-\d\d-\d\d \d\d:\d\d/);
  const green = "\u001b[32m";
  expect(lineOf("work-1")).toContain(`${green}working`);
  for (const [id, word] of [
    ["fail-1", "failed"],
    ["dead-1", "interrupted"],
  ] as const) {
    expect(lineOf(id)).toContain(`\u001b[31m${word}`);
    expect(lineOf(id)).not.toContain("working");
    expect(lineOf(id)).not.toContain(green);
    const shown = await place.belay("get", id);
    expect(shown.stdout).toMatch(new RegExp(`^status +${word} `, "m"));
  }
});

/** One needle, followed by this much straw. */
function fill(folder: string, straws: number): Promise<void> {
  return prepare(folder, async ({ service, caller, clock }) => {
    await service.call("create", { agent_name: "hay", session_id: "needle-1" }, caller);
    clock.now += 600_000;
    await Promise.all(
      Array.from({ length: straws }, (_, n) =>
        service.call("create", { agent_name: "hay", session_id: `straw-${n}` }, caller),
      ),
    );
  });
}
