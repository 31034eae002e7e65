import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, startBelay } from "./run-belay.ts";

let place: ReturnType<typeof newPlace>;
beforeEach(async () => {
  place = newPlace();
  await place.belay("create", "--agent", "a", "--purpose", "p", "--id", "sess-1");
});
afterEach(() => place.remove());

describe("belay log", () => {
  it("tells events in pages, and all of them as NDJSON", async () => {
    await place.belay("update", "sess-1", "--phase", "planning");
    const page = await place.belay("log", "sess-1", "--limit", "2", "--json");
    expect(page.json).toMatchObject({
      events: [{ seq: 1, type: "session.created" }, { seq: 2 }],
      next_cursor: 2,
    });
    const { stdout } = await place.belay("log", "sess-1", "--ndjson");
    const events = stdout
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(events).toMatchObject([{ seq: 1 }, { seq: 2 }, { seq: 3, type: "phase.changed" }]);
  });

  it("follows what another process appends, and ends with Ctrl-C", async () => {
    const follower = startBelay(["log", "sess-1", "--follow", "--ndjson"], {
      cwd: place.root,
      home: place.home,
    });
    const lines = createInterface({ input: follower.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null");
    expect(await next()).toMatchObject({ seq: 1 });
    await place.belay("rename", "sess-1", "A title");
    expect(await next()).toMatchObject({ seq: 2, type: "session.renamed" });
    follower.kill("SIGINT");
    const [code] = await once(follower, "close");
    expect(code).toBe(0);
  });
});
