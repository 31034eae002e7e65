import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { Mirror } from "../../src/contract/vocabulary.ts";
import { syncBacklog, writeBacklog } from "../../src/integrations/copilot/sync-backlog.ts";
import { importGaia } from "../../src/integrations/gaia/import-gaia.ts";
import { findProject } from "../../src/service/find-project.ts";
import { newId } from "../../src/service/new-id.ts";
import { recordSystemFact } from "../../src/service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../src/service/service-context.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { newPlace } from "../cli/run-belay.ts";
import { newWorkspace } from "../import/copilot-workspace.ts";

let cwd: string;
let victim: string;
let caller: Caller;
let context: ServiceContext;
let service: ReturnType<typeof createService>;
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), "belay-workspace-"));
  cwd = join(folder, "workspace");
  victim = join(folder, "victim");
  mkdirSync(cwd);
  mkdirSync(join(victim, "Documents", "letters"), { recursive: true });
  writeFileSync(join(victim, "Documents", "letters", "own.txt"), "mine");
  writeFileSync(join(victim, "own.ndjson"), '{"id":"T1","title":"theirs"}\n');
  const project = { cwd, repo: null, branch: null };
  caller = { owner: "local", actor: "user:t", interface: "cli", trace_id: newId(), project };
  context = createContext(openMemoryStore());
  service = createService(context);
});
afterEach(() => rmSync(join(cwd, ".."), { recursive: true, force: true }));

async function mirror(...mirrors: Mirror[]): Promise<void> {
  const fact = { type: "workspace.initialized", data: { cwd, mirrors } } as const;
  await recordSystemFact(context, caller, fact, newId());
}
const create = (session_id: string) =>
  service.call("create", { session_id, agent_name: "a" }, caller);
const remove = (id: string) => service.call("delete", { id }, caller);
const isVictimWhole = (): boolean =>
  readFileSync(join(victim, "Documents", "letters", "own.txt"), "utf8") === "mine" &&
  readdirSync(victim).toSorted().join() === "Documents,own.ndjson" &&
  readdirSync(join(victim, "Documents")).join() === "letters";

describe("the Claude mirror", () => {
  it.each([
    [".claude/session", ""],
    [".claude", "../"],
  ])("writes and removes nothing through a link at %s", async (at) => {
    await mirror("claude");
    mkdirSync(join(cwd, at, ".."), { recursive: true });
    symlinkSync(victim, join(cwd, at));
    await create("Documents");
    await remove("Documents");
    expect(isVictimWhole()).toBe(true);
  });

  it("writes and removes nothing through a link at a session's folder", async () => {
    await mirror("claude");
    mkdirSync(join(cwd, ".claude", "session"), { recursive: true });
    symlinkSync(join(victim, "Documents"), join(cwd, ".claude", "session", "Documents"));
    await create("Documents");
    await remove("Documents");
    expect(isVictimWhole()).toBe(true);
  });

  it("removes its own file and keeps the user's files beside it", async () => {
    await mirror("claude");
    await create("sess-1");
    await create("sess-2");
    const folder = join(cwd, ".claude", "session", "sess-1");
    expect(existsSync(join(folder, "state.json"))).toBe(true);
    writeFileSync(join(folder, "notes.md"), "mine");
    await remove("sess-1");
    await remove("sess-2");
    expect(readdirSync(folder)).toEqual(["notes.md"]);
    expect(existsSync(join(folder, "..", "sess-2"))).toBe(false);
  });

  it("keeps a state file of another session", async () => {
    await mirror("claude");
    await create("sess-1");
    const file = join(cwd, ".claude", "session", "sess-1", "state.json");
    writeFileSync(file, '{"agent_id":"someone-else"}');
    await remove("sess-1");
    expect(readFileSync(file, "utf8")).toBe('{"agent_id":"someone-else"}');
  });

  it("does not write through a link at a temporary name or at the file's own name", async () => {
    await mirror("claude");
    const folder = join(cwd, ".claude", "session", "sess-1");
    mkdirSync(folder, { recursive: true });
    symlinkSync(join(victim, "own.ndjson"), join(folder, `.state.json.${process.pid}`));
    symlinkSync(join(victim, "own.ndjson"), join(folder, "state.json"));
    await create("sess-1");
    expect(readFileSync(join(victim, "own.ndjson"), "utf8")).toContain("theirs");
    expect(lstatSync(join(folder, "state.json")).isFile()).toBe(true);
  });

  it("creates folders and files for their owner only, with any umask", async () => {
    await mirror("claude");
    const before = process.umask(0);
    try {
      await create("sess-1");
    } finally {
      process.umask(before);
    }
    const folder = join(cwd, ".claude", "session", "sess-1");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "state.json")).mode & 0o777).toBe(0o600);
  });
});

describe("files of mirrors", () => {
  it("are ignored by git", async () => {
    execFileSync("git", ["init", "-q"], { cwd });
    await mirror("claude", "copilot");
    await create("sess-1");
    await service.call("begin_action", { id: "sess-1", type: "t" }, caller);
    const offered = execFileSync("git", ["status", "--porcelain", "-uall"], { cwd }).toString();
    expect(existsSync(join(cwd, ".copilot", "session_state.json"))).toBe(true);
    // Git reads rules for the workspace's own folder only from the user's files: `init` shows the lines.
    expect(offered).toBe("?? events.ndjson\n");
  });

  it("do not change a .gitignore of the user", async () => {
    mkdirSync(join(cwd, ".copilot"));
    writeFileSync(join(cwd, ".copilot", ".gitignore"), "mine\n");
    await mirror("copilot");
    await create("sess-1");
    await service.call("begin_action", { id: "sess-1", type: "t" }, caller);
    expect(readFileSync(join(cwd, ".copilot", ".gitignore"), "utf8")).toBe("mine\n");
  });
});

describe("the backlog", () => {
  it.each(["doc", "doc/todo-archive.ndjson"])(
    "is not read or written through a link at %s",
    async (at) => {
      writeFileSync(join(victim, "todo-archive.ndjson"), '{"id":"T1","title":"theirs"}\n');
      mkdirSync(join(cwd, at, ".."), { recursive: true });
      symlinkSync(at === "doc" ? victim : join(victim, "todo-archive.ndjson"), join(cwd, at));
      await expect(syncBacklog(context, caller, cwd)).rejects.toMatchObject({
        code: "invalid_input",
      });
      const task = await service.call("add_task", { title: "ours" }, caller);
      expect(() => writeBacklog(cwd, task)).toThrow("link");
      expect(readFileSync(join(victim, "todo-archive.ndjson"), "utf8")).not.toContain("ours");
    },
  );

  it("is refused at once when it is a pipe", async () => {
    mkdirSync(join(cwd, "doc"));
    execFileSync("mkfifo", [join(cwd, "doc", "todo-archive.ndjson")]);
    await expect(syncBacklog(context, caller, cwd)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("is not a regular file"),
    });
  });
});

describe("MASTER_BACKLOG.md", () => {
  it("is not written through a link", async () => {
    const place = newPlace();
    try {
      symlinkSync(join(victim, "own.ndjson"), join(place.root, "MASTER_BACKLOG.md"));
      const { code } = await place.belay("tasks", "list", "--format", "md");
      expect(code).toBe(0);
      expect(isVictimWhole()).toBe(true);
      expect(readFileSync(join(victim, "own.ndjson"), "utf8")).toContain("theirs");
      expect(lstatSync(join(place.root, "MASTER_BACKLOG.md")).isFile()).toBe(true);
    } finally {
      place.remove();
    }
  });
});

describe("a restore", () => {
  it.each([".copilot/session_state.json", "events.ndjson", "gaia.db"])(
    "does not wait for a pipe at %s",
    async (name) => {
      const place = newWorkspace();
      try {
        place.writeState({});
        place.writeLog({ type: "session.start", trace_id: newId() });
        rmSync(join(place.cwd, name), { force: true });
        execFileSync("mkfifo", [join(place.cwd, name)]);
        if (name === "gaia.db") {
          const { damaged } = await place.restore();
          expect(damaged).toContainEqual(
            expect.objectContaining({ file: name, why: expect.stringContaining("regular file") }),
          );
        } else {
          await expect(place.restore()).rejects.toThrow("is not a regular file");
        }
      } finally {
        place.remove();
      }
    },
  );
});

describe("an import", () => {
  it("does not wait for pipes", async () => {
    mkdirSync(join(cwd, "one"));
    mkdirSync(join(cwd, ".git"));
    execFileSync("mkfifo", [join(cwd, "one", "state.json"), join(cwd, ".git", "HEAD")]);
    expect(await importGaia(context, caller, cwd)).toMatchObject({ imported: [], damaged: [] });
    expect(findProject(cwd)).toEqual({ cwd, repo: cwd, branch: null });
  });
});
