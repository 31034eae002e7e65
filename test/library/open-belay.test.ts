import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Belay, BelayError, openBelay } from "../../src/index.ts";

let home: string;
let belay: Belay;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "belay-library-"));
  belay = await openBelay({ home });
});
afterEach(async () => {
  await belay.close();
  rmSync(home, { recursive: true });
});

describe("the library", () => {
  it("does what the README shows, and stores it for the next process", async () => {
    const { session_id: id } = await belay.sessions.create({
      agent_name: "reviewer",
      purpose: "review",
    });
    await belay.turns.record({ id, input: "Review it.", output: "Two findings." });
    const { action_id } = await belay.actions.begin({
      id,
      type: "post_comment",
      effects: "remote",
    });
    expect((await belay.sessions.get({ id })).open_actions).toBe(1);
    await belay.actions.complete({ id, action_id, result: "success" });
    await belay.close();

    belay = await openBelay({ home });
    const { turns } = await belay.turns.list({ id });
    expect(turns).toMatchObject([{ input: "Review it.", output: "Two findings." }]);
    expect(await belay.sessions.get({ id })).toMatchObject({
      open_actions: 0,
      interface: "library",
    });
    expect(await belay.maintenance.verify()).toMatchObject({ ok: true, findings: [] });
  });

  it("follows a session that another handle writes to", async () => {
    const { session_id: id } = await belay.sessions.create({ agent_name: "a" });
    const other = await openBelay({ home, actor: "someone-else" });
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const event of belay.follow(id, 0, stop.signal)) {
        seen.push(`${event.actor} ${event.type}`);
        if (event.type === "session.renamed") stop.abort();
      }
    })();
    await other.sessions.rename({ id, title: "A title" });
    await following;
    await other.close();
    expect(seen).toEqual(["library session.created", "someone-else session.renamed"]);
  });

  it("continues to follow from a cursor, which names one event", async () => {
    const { session_id: id } = await belay.sessions.create({ agent_name: "a" });
    await belay.sessions.rename({ id, title: "A title" });
    const { signal } = new AbortController();
    const first = (await belay.follow(id, 0, signal).next()).value;
    expect(first).toMatchObject({ seq: 1, cursor: expect.stringMatching(/^1-[0-9a-f]{8}$/) });
    const rest = belay.follow(id, first.cursor, signal);
    expect((await rest.next()).value).toMatchObject({ seq: 2, type: "session.renamed" });
    await rest.return(undefined);
    await expect(belay.follow(id, "1-00000000", signal).next()).rejects.toMatchObject({
      code: "history_changed",
      details: { seq: 1, newest: 2 },
    });
  });

  it("throws errors with a code from the closed list", async () => {
    const wrong = belay.sessions.get({ id: "nothing-here" });
    await expect(wrong).rejects.toBeInstanceOf(BelayError);
    await expect(wrong).rejects.toMatchObject({ code: "session_not_found" });
    await expect(belay.sessions.create({ agent_name: "" })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("makes a backup while it is in use, which can be opened", async () => {
    const { session_id: id } = await belay.sessions.create({ agent_name: "a" });
    const folder = join(home, "copy");
    await belay.maintenance.backup(folder);
    await belay.sessions.rename({ id, title: "Later" });
    const copy = await openBelay({ home: folder });
    try {
      expect((await copy.sessions.get({ id })).title).toBeNull();
      expect(await copy.maintenance.verify()).toMatchObject({ ok: true });
    } finally {
      await copy.close();
    }
  });
});
