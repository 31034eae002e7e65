import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import {
  CALLER,
  event,
  newWorkspace,
  processWith,
  SESSION,
  stateWith,
  type TestWorkspace,
} from "../import/copilot-workspace.ts";

/** A repository by someone else, and a project of the user's on the same computer. */
let clone: TestWorkspace;
let own: TestWorkspace;
beforeEach(() => {
  own = newWorkspace();
  clone = newWorkspace();
  Object.assign(clone.context, own.context);
  own.writeLog(
    event("session.start"),
    event("action.started", { step: "write", effects: "local" }),
  );
  own.writeState(stateWith());
  writeFileSync(join(own.cwd, "work.txt"), "a day's work");
});
afterEach(() => {
  clone.remove();
  own.remove();
});

const begun = (fields: object) =>
  clone.writeLog(
    event("session.start"),
    event("action.started", { step: "build", effects: "local", ...fields }),
  );

describe("a restore in another person's repository", () => {
  it("does not change a session of another folder that has the same trace", async () => {
    await own.restore();
    const before = await own.events();
    begun({ temporary: ["work.txt", join(own.cwd, "work.txt")] });
    clone.writeState(stateWith());
    const { session_id, recovery } = await clone.restore();
    expect(session_id).not.toBe(SESSION);
    expect(recovery?.actions).toMatchObject([{ step: "rerun", removed: [] }]);
    expect(existsSync(join(own.cwd, "work.txt"))).toBe(true);
    expect(await own.events()).toEqual(before);
    // The same files always lead to the same session.
    expect((await clone.restore()).session_id).toBe(session_id);
  });

  it("does not change a session of another folder that has the same entity id", async () => {
    const service = createService(own.context);
    const caller = { ...CALLER, project: { cwd: own.cwd, repo: null, branch: null } };
    const { entity_id } = await service.call(
      "create",
      { agent_name: "a", session_id: "sess-own" },
      caller,
    );
    const before = await own.events("sess-own");
    clone.writeLog(
      event("session.start", { entity_id }),
      event("action.started", {
        step: "build",
        effects: "local",
        entity_id,
        temporary: ["work.txt"],
      }),
    );
    clone.writeState(stateWith());
    expect((await clone.restore()).session_id).not.toBe("sess-own");
    expect(await own.events("sess-own")).toEqual(before);
    expect(existsSync(join(own.cwd, "work.txt"))).toBe(true);
  });

  it("removes no file outside of the workspace, through a link, or of git", async () => {
    mkdirSync(join(clone.cwd, ".git"));
    writeFileSync(join(clone.cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
    symlinkSync(own.cwd, join(clone.cwd, "link"));
    symlinkSync(join(own.cwd, "work.txt"), join(clone.cwd, "work.txt"));
    writeFileSync(join(clone.cwd, "half.tmp"), "half");
    const work = join(own.cwd, "work.txt");
    const temporary = [work, `../${work}`, "link/work.txt", "work.txt", ".git/HEAD", ".GIT/HEAD"];
    begun({ temporary: [...temporary, "half.tmp"] });
    clone.writeState(stateWith());
    const { recovery } = await clone.restore();
    expect(recovery?.actions).toMatchObject([{ removed: ["half.tmp"] }]);
    expect(existsSync(work)).toBe(true);
    expect(existsSync(join(clone.cwd, ".git", "HEAD"))).toBe(true);
    expect(existsSync(join(clone.cwd, "half.tmp"))).toBe(false);
  });

  it("runs no rollback, but asks with each command in the question", async () => {
    const command = `touch ${join(clone.cwd, "ran")}`;
    clone.writeLog(
      event("session.start"),
      event("action.started", { step: "deploy", effects: "remote", rollback: [command] }),
    );
    clone.writeState(stateWith());
    const { recovery, session_id } = await clone.restore();
    expect(recovery).toMatchObject({ status: "manual-review" });
    expect(existsSync(join(clone.cwd, "ran"))).toBe(false);
    const service = createService(clone.context);
    const { approvals } = await service.call("list_approvals", {}, CALLER);
    const question = approvals.find((each) => each.session_id === session_id);
    expect(JSON.stringify(question)).toContain(command);
  });

  it("ends no process and shows no file that the workspace's files name", async () => {
    const secret = join(own.cwd, "secret");
    writeFileSync(secret, "hush");
    const process_map = {
      build: processWith(process.ppid, { stdout_path: secret, stderr_path: secret }),
    };
    clone.writeLog(
      event("session.start"),
      event("action.started", { step: "build", effects: "local" }),
    );
    clone.writeState(stateWith({ process_map }));
    const report = await clone.restore();
    expect(JSON.stringify(report)).not.toContain("hush");
    expect(() => process.kill(process.ppid, 0)).not.toThrow();
    rmSync(secret);
  });
});
