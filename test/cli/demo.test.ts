import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { newPlace } from "./run-belay.ts";

it("the guided demo kills Belay and its agent, loses nothing, and leaves nothing behind", async () => {
  const place = newPlace();
  try {
    const ran = await place.with({ TMPDIR: place.root }, "demo");
    expect(ran.stderr).toBe("");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("kill -9: Belay and the agent are killed");
    expect(ran.stdout).toContain("execute: sleep 60 was interrupted. It may already have run.");
    expect(ran.stdout).toContain("I remember 3 messages from you:");
    expect(ran.stdout).toContain("no damage found");
    expect(readdirSync(place.root).filter((name) => name.startsWith("belay-demo"))).toEqual([]);
    expect(
      readdirSync("/proc")
        .filter((pid) => /^\d+$/.test(pid))
        .flatMap(commandOf),
    ).not.toContain("sh\0-c\0sleep 60\0");
  } finally {
    place.remove();
  }
});

function commandOf(pid: string): string[] {
  try {
    return [readFileSync(`/proc/${pid}/cmdline`, "utf8")];
  } catch {
    return [];
  }
}
