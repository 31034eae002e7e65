import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { newPlace } from "./run-belay.ts";

it("the guided demo kills a real process, loses nothing, and leaves nothing behind", async () => {
  const place = newPlace();
  try {
    const ran = await place.with({ TMPDIR: place.root }, "demo");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("acknowledged turns: 3, in the log: 3, lost: 0");
    expect(ran.stdout).toContain("everything is as it was written");
    expect(readdirSync(place.root).filter((name) => name.startsWith("belay-demo"))).toEqual([]);
  } finally {
    place.remove();
  }
});
