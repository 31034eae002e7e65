import { describe, expect, it } from "vitest";
import { recoverAll } from "../../src/drive/recovery/recover-all.ts";
import type { Sighting } from "../../src/integrations/claude/record-sighting.ts";
import { listSpool, putInSpool } from "../../src/integrations/claude/spool.ts";
import { spoolChore } from "../../src/integrations/claude/spool-chore.ts";
import type { Chore } from "../../src/server/chores/chores.ts";
import { serverChores } from "../../src/server/chores/server-chores.ts";
import type { ChoresLab } from "./chores-lab.ts";
import { HOUR, NEVER, openChoresLab, SERVER } from "./chores-lab.ts";

function choresOf({ context, home, cwd, uptime }: ChoresLab): (name: string) => Chore {
  const runner = {
    wakeDue: async () => 0,
    driveWaiting: async () => ({ driven: 0, refused: [] }),
    reap: async () => 0,
    endRefused: async () => 0,
  };
  const chores = [
    ...serverChores({ context, runner, owner: "servers", uptime }),
    spoolChore(context, { home, cwd, owner: "ann" }),
  ];
  return (name) => {
    const chore = chores.find((one) => one.name === name);
    if (!chore) throw new Error(`there is no chore ${name}`);
    return chore;
  };
}

async function abandon(lab: ChoresLab, session_id: string, owner: string): Promise<void> {
  await lab.call("create", { agent_name: "a", session_id }, owner);
  await lab.call("begin_action", { id: session_id, type: "deploy", effects: "remote" }, owner);
}

describe("a server", () => {
  it("runs these chores", async () => {
    const lab = await openChoresLab();
    const runner = {
      wakeDue: async () => 0,
      driveWaiting: async () => ({ driven: 0, refused: [] }),
      reap: async () => 0,
      endRefused: async () => 0,
    };
    const chores = serverChores({ ...lab, runner, owner: "servers" });
    expect(chores.map(({ name, every_ms }) => [name, every_ms / 1000])).toEqual([
      ["recovery", 10],
      ["wake", 60],
      ["queue", 10],
      ["reap", 60],
      ["refused", 1],
      ["retention", 3600],
    ]);
  });

  it("recovers the sessions of everyone, each in its owner's name", async () => {
    const lab = await openChoresLab();
    await abandon(lab, "same-id", "ann");
    await abandon(lab, "same-id", "bob");
    lab.wait(HOUR);
    const recovery = choresOf(lab)("recovery");
    expect(await recovery.run(NEVER)).toEqual({
      counts: { recovered: 2, asked: 2, continued: 0, unrecovered: 0 },
      notes: [],
    });
    for (const owner of ["ann", "bob"]) {
      expect(await lab.call("get", { id: "same-id" }, owner)).toMatchObject({
        status: "suspended",
      });
      expect((await lab.call("list_approvals", {}, owner)).approvals).toHaveLength(1);
    }
    expect(await recovery.run(NEVER)).toMatchObject({ counts: { recovered: 0 } });
  });

  it("recovers only the caller's own sessions by default", async () => {
    const lab = await openChoresLab();
    await abandon(lab, "of-ann", "ann");
    await abandon(lab, "of-bob", "bob");
    lab.wait(HOUR);
    const { sessions, checked } = await recoverAll(lab.context, { ...SERVER, owner: "ann" });
    expect(checked).toBe(1);
    expect(sessions).toMatchObject([{ session_id: "of-ann" }]);
    const everyone = await recoverAll(lab.context, SERVER, { owner: null, dry_run: true });
    expect(everyone.sessions).toMatchObject([{ session_id: "of-bob", changed: false }]);
  });

  it("delivers events that hooks could not write, from a project only for its own user", async () => {
    const lab = await openChoresLab();
    const spool = choresOf(lab)("spool");
    expect(await spool.run(NEVER)).toEqual({ counts: { delivered: 0 } });
    const noHome = { home: "/proc/nowhere", cwd: lab.cwd };
    putInSpool(noHome, { owner: "ann", sighting: sighting("main-of-ann") }, "1");
    putInSpool(lab, { owner: "bob", sighting: sighting("main-of-bob") }, "2");
    putInSpool(noHome, { owner: "bob", sighting: sighting("claimed-by-bob") }, "3");
    expect(listSpool(lab)).toHaveLength(3);
    const counts = { delivered: 2, rejected: 0, blocked: 1 };
    expect(await spool.run(NEVER)).toMatchObject({ counts });
    expect(listSpool(lab)).toHaveLength(1);
    expect(await lab.call("get", { id: "main-of-ann" }, "ann")).toMatchObject({ owner: "ann" });
    expect(await lab.call("get", { id: "main-of-bob" }, "bob")).toMatchObject({ owner: "bob" });
  });

  it("removes old sessions, and reports that it waits for a second run", async () => {
    const lab = await openChoresLab();
    await lab.failed("old-failed", "ann");
    lab.wait(48 * HOUR);
    const retention = choresOf(lab)("retention");
    const { notes } = await retention.run(NEVER);
    expect(notes).toEqual([expect.stringContaining("clock")]);
    lab.wait(24 * HOUR);
    expect(await retention.run(NEVER)).toEqual({ counts: { removed: 1, purged: 0 } });
    expect(await retention.run(NEVER)).toEqual({ counts: { removed: 0, purged: 0 } });
  });
});

function sighting(session_id: string): Sighting {
  return {
    key: `opened:${session_id}`,
    at: Date.UTC(2026, 0, 8, 17),
    actor: "hook:claude-code",
    trace_id: null,
    session_id,
    begin: { agent_name: "claude-code", cwd: "/home/dev", metadata: {}, supports_resume: true },
    seen: { kind: "opened" },
  };
}
