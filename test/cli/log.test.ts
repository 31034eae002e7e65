import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
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
  it("shows events in pages, and all of them as NDJSON", async () => {
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

  it("names everyone if a session is shared with all people", async () => {
    await place.belay("people", "add", "bob");
    await place.belay("share", "sess-1", "--everyone");
    await place.belay("unshare", "sess-1", "--everyone");
    const { stdout } = await place.belay("log", "sess-1");
    expect(stdout).toMatch(/session\.shared +person=everyone role=viewer/);
    expect(stdout).toMatch(/session\.unshared +person=everyone/);
  });

  it("starts at the end of the log, and says how to read earlier events", async () => {
    await place.belay("update", "sess-1", "--phase", "planning");
    const last = await place.belay("log", "sess-1", "--last", "2", "--json");
    expect(last.json).toMatchObject({ events: [{ seq: 2 }, { seq: 3 }], next_cursor: 2 });
    expect((await place.belay("log", "sess-1", "--last=2")).stdout).toContain("--before 2,");
    const first = await place.belay("log", "sess-1", "--before", "2");
    expect(first.stdout).toContain("session.created");
    expect(first.stdout).not.toContain("phase.changed");
    expect(first.stdout).not.toContain("--before");
    for (const wrong of [["--last", "no"], ["--last=0"], ["--last", "1", "--follow"]]) {
      expect((await place.belay("log", "sess-1", ...wrong)).code).toBe(2);
    }
  });

  it("shows the newest events first without --json, and all or the oldest on request", async () => {
    await place.belay("update", "sess-1", "--phase", "planning");
    const seen = async (...flags: string[]) => {
      const { stdout } = await place.belay("log", "sess-1", ...flags);
      const seqs = stdout.matchAll(/^ *(\d+) +\d{4}-/gm);
      return [...[...seqs].map(([, seq]) => Number(seq)), /^.*\badd --.*$/m.exec(stdout)?.[0]];
    };
    const hint = "1 earlier event: add --before 2, --first or --all";
    expect(await seen("--limit", "2")).toEqual([2, 3, hint]);
    expect(await seen()).toEqual([1, 2, 3, undefined]);
    expect(await seen("--first", "--limit", "2")).toEqual([1, 2, "More: add --after 2"]);
    expect(await seen("--all")).toEqual([1, 2, 3, undefined]);
    const all = await place.belay("log", "sess-1", "--all", "--json");
    expect(all.json).toMatchObject({ events: [{ seq: 1 }, {}, { seq: 3 }], next_cursor: null });
    const first = await place.belay("log", "sess-1", "--first", "--json", "--limit", "1");
    expect(first.json).toMatchObject({ events: [{ seq: 1 }], next_cursor: 1 });
  });

  it("continues after a cursor, and says if an older copy of the data was restored", async () => {
    const copy = `${place.home}-copy`;
    cpSync(place.home, copy, { recursive: true });
    await place.belay("rename", "sess-1", "Lost");
    const log = await place.belay("log", "sess-1", "--all", "--json");
    const [, cursor = ""] = /"cursor": ?"(2-[0-9a-f]{8})"/.exec(log.stdout) ?? [];
    await place.belay("update", "sess-1", "--phase", "planning");
    const rest = await place.belay("log", "sess-1", "--after", cursor, "--json");
    expect(rest.json).toMatchObject({ events: [{ seq: 3 }, { seq: 4 }] });
    rmSync(place.home, { recursive: true });
    cpSync(copy, place.home, { recursive: true });
    await place.belay("rename", "sess-1", "Other");
    await place.belay("rename", "sess-1", "Another");
    for (const flags of [["--json"], ["--all"], ["--follow"]]) {
      const ran = await place.belay("log", "sess-1", "--after", cursor, ...flags);
      expect([ran.code, ran.stdout + ran.stderr]).toEqual([4, expect.stringContaining("history")]);
    }
    const wrong = await place.belay("log", "sess-1", "--all", "--after", "2-xyz");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("--after") });
  });

  it("follows events of another process, and stops on Ctrl-C", async () => {
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
