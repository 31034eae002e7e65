import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeSpool } from "../../src/integrations/claude/describe-spool.ts";
import { putInSpool } from "../../src/integrations/claude/spool.ts";
import { createLab, type HookLab, START } from "../hooks/hook-lab.ts";

let lab: HookLab;
let own: string;
let foreign: string;
beforeEach(() => {
  lab = createLab();
  own = join(lab.home, "spool");
  foreign = join(lab.cwd, ".claude", "belay-spool");
});
afterEach(() => lab.clean());

const SESSION = "planted-session";
const entryOf = (owner: string) => ({
  owner,
  sighting: {
    key: `planted ${owner}`,
    at: START,
    actor: "mallory",
    trace_id: null,
    session_id: SESSION,
    begin: { agent_name: "Explore", cwd: "/x", metadata: {}, supports_resume: false },
    seen: { kind: "delegated" as const },
  },
});
const filesIn = (folder: string) => readdirSync(folder).filter((name) => name !== ".gitignore");
const deliver = () => lab.hook("pre-delegate", { agent_name: "nobody" });
const ids = async () => (await lab.sessions()).map(({ session_id }) => session_id);

/** Like a hook while the data folder cannot be used. */
function spoolInProject(owner: string): void {
  const away = `${lab.home}.away`;
  mkdirSync(lab.home, { recursive: true });
  renameSync(lab.home, away);
  writeFileSync(lab.home, "in the way");
  putInSpool(lab, entryOf(owner), "01990000-0000-7000-8000-000000000001");
  rmSync(lab.home);
  renameSync(away, lab.home);
}

/** Packs a spool and unpacks it again, like someone who sends an archive of a project. */
function sendAsArchive(folder: string): void {
  const archive = join(lab.cwd, "..", "spool.tar");
  execFileSync("tar", ["-cpf", archive, "-C", folder, "."]);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  execFileSync("tar", ["-xpf", archive, "-C", folder]);
}

describe("a spool file in a project", () => {
  it("is delivered if a hook of this user wrote it", async () => {
    spoolInProject("local");
    await deliver();
    expect(await ids()).toEqual([SESSION]);
    expect(filesIn(foreign)).toEqual([]);
  });

  it.each(["local", "ann"])(
    "from an archive is set aside, although it is complete, for %s",
    async (owner) => {
      spoolInProject(owner);
      sendAsArchive(foreign);
      await deliver();
      expect(await ids()).toEqual([]);
      expect(filesIn(foreign)).toEqual([expect.stringMatching(/\.json\.rejected$/)]);
      expect(lab.failures()).toContain("checksum does not match");
    },
  );

  it.each(["local", "ann"])("without a checksum is set aside, for %s", async (owner) => {
    mkdirSync(foreign, { recursive: true });
    writeFileSync(join(foreign, "1.json"), JSON.stringify(entryOf(owner)), { mode: 0o400 });
    await deliver();
    expect(await ids()).toEqual([]);
    expect(filesIn(foreign)).toEqual(["1.json.rejected"]);
  });

  it("of another owner waits for that owner, and delays no one", async () => {
    spoolInProject("ann");
    await lab.hook("claude-code", {
      session_id: "sess-1",
      cwd: "/x",
      hook_event_name: "SessionStart",
    });
    expect(await ids()).toEqual(["sess-1"]);
    expect(filesIn(foreign)).toHaveLength(1);
  });

  it("behind a link is not read", async () => {
    const victim = join(lab.cwd, "..", "victim");
    mkdirSync(victim);
    writeFileSync(join(victim, "settings.json"), "{}");
    mkdirSync(join(lab.cwd, ".claude"));
    symlinkSync(victim, foreign);
    await deliver();
    expect(readdirSync(victim)).toEqual(["settings.json"]);
  });
});

describe("a spool file with the data", () => {
  it("with any flipped bit is set aside, never delivered, and reported by doctor", async () => {
    putInSpool(lab, entryOf("local"), "x");
    const [name = ""] = readdirSync(own);
    const whole = readFileSync(join(own, name));
    // In place, so that only the bit differs. The first control flips none.
    for (let at = 0; at < whole.length; at += 41) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      chmodSync(join(own, name), 0o600);
      writeFileSync(join(own, name), bytes);
      chmodSync(join(own, name), 0o400);
      await deliver();
      expect(readdirSync(own)).toEqual([`${name}.rejected`]);
      expect(await ids()).toEqual([]);
      const facts = describeSpool(lab);
      expect(facts).toContainEqual(
        expect.objectContaining({ name: "rejected hook events", value: "1", ok: false }),
      );
      renameSync(join(own, `${name}.rejected`), join(own, name));
    }
    chmodSync(join(own, name), 0o600);
    writeFileSync(join(own, name), whole);
    chmodSync(join(own, name), 0o400);
    await deliver();
    expect(await ids()).toEqual([SESSION]);
  });

  it("without a checksum, from older versions, is delivered only for the data's own user", async () => {
    mkdirSync(own, { recursive: true });
    for (const owner of ["ann", "local"]) {
      writeFileSync(join(own, `${owner}.json`), JSON.stringify(entryOf(owner)), { mode: 0o400 });
    }
    await deliver();
    expect(await ids()).toEqual([SESSION]);
    expect(readdirSync(own)).toEqual(["ann.json.rejected"]);
  });

  it("that was copied from elsewhere is set aside", async () => {
    putInSpool(lab, entryOf("ann"), "x");
    cpSync(own, `${own}.copy`, { recursive: true });
    rmSync(own, { recursive: true });
    renameSync(`${own}.copy`, own);
    await deliver();
    expect(readdirSync(own)).toEqual([expect.stringMatching(/\.rejected$/)]);
  });
});
