import { existsSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { newPlace } from "./run-belay.ts";
import { runInProcess } from "./run-in-process.ts";
import { typeAnswer } from "./type-answer.ts";

const place = newPlace();
afterAll(() => place.remove());

const run = (...args: string[]) => runInProcess(place.home, args, false);

it("without a terminal, a command that closes names the whole id to type", async () => {
  await run("create", "--agent", "a", "--id", "fix-login");
  for (const command of [
    ["finalize", "fix", "completed"],
    ["cancel", "fix"],
    ["archive", "f"],
    ["delete", "fix-logi"],
    ["purge", "fix"],
    ["expire", "fix", "--at", "7d"],
    ["merge", "fix"],
    ["unshare", "fix", "--everyone"],
    ["update", "fix", "--phase", "completed"],
  ]) {
    const { code, stderr, stdout } = await run(...command);
    expect([command, code, stdout]).toEqual([command, 3, ""]);
    expect(stderr).toContain("Use a whole id. Did you mean fix-login?");
  }
  expect((await run("get", "fix")).stdout).toMatch(/status +created/);
  expect((await run("finalize", "fix-login", "completed")).code).toBe(0);
});

it.skipIf(!existsSync("/usr/bin/script"))(
  "at a terminal, the session is shown and asked about",
  async () => {
    await run("create", "--agent", "a", "--id", "one-way", "--title", "Try one way");
    await run("fork", "one-way", "--id", "another-way");
    const no = await typeAnswer(place, ["cancel", "one"], "\n");
    expect([no.code, no.screen]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
    expect(no.screen).toContain("belay cancel one-way (a, idle, 0 turns): Try one way? [y/N]");
    expect((await run("get", "one-way")).stdout).toMatch(/status +created/);
    // Both ids of a merge are asked about.
    const merged = await typeAnswer(place, ["merge", "anoth", "--into", "one"], "y\n");
    expect([merged.code, merged.screen]).toEqual([0, expect.stringContaining("one-way")]);
    const yes = await typeAnswer(place, ["cancel", "one"], "y\n");
    expect(yes.code).toBe(0);
    expect((await run("get", "one-way")).stdout).toMatch(/status +cancelled/);
    const gone = await typeAnswer(place, ["cancel", "absent"], "y\n");
    expect([gone.code, gone.screen]).toEqual([3, expect.stringContaining("not found")]);
  },
);
