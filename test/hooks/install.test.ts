import { execFileSync } from "node:child_process";
import {
  chmodSync,
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
import { BelayError } from "../../src/contract/errors.ts";
import { runHooksCommand } from "../../src/integrations/claude/hooks/run-hooks-command.ts";
import { createLab } from "./hook-lab.ts";
import { ENTRY } from "./hook-process.ts";

const SETTINGS = '{\n  "model": "opus"\n}\n';

let folder = "";
let said = "";
const path = () => join(folder, ".claude", "settings.json");
const run = (...args: string[]) =>
  runHooksCommand(args, {
    cwd: folder,
    userHome: join(folder, "user"),
    node: "/opt/node/bin/node",
    entry: "/srv/belay/bin/belay.mjs",
    json: false,
    write: (text) => {
      said += text;
    },
  });
const install = () => run("install", "claude-code");
const uninstall = () => run("uninstall", "claude-code");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "belay-install-"));
  said = "";
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function settings(text: string): void {
  mkdirSync(join(folder, ".claude"), { recursive: true });
  writeFileSync(path(), text);
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof BelayError) return error.code;
    throw error;
  }
  return "none";
}

describe("belay hooks install claude-code", () => {
  it("creates a missing folder and file, and uninstall removes the file again", () => {
    expect(install()).toBe(0);
    expect(Object.keys(JSON.parse(readFileSync(path(), "utf8")).hooks)).toHaveLength(8);
    expect(uninstall()).toBe(0);
    expect(existsSync(path())).toBe(false);
  });

  it("shows its changes as a diff", () => {
    settings(SETTINGS);
    install();
    expect(said).toContain(`--- ${path()}\n+++ ${path()}\n@@ -1,3 +1,`);
    expect(said).toContain('\n-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n');
    expect(said).toContain("\n }\n");
  });

  it("changes nothing with --print", () => {
    settings(SETTINGS);
    run("install", "claude-code", "--print");
    expect(said).toContain('+  "hooks": {');
    expect(readFileSync(path(), "utf8")).toBe(SETTINGS);
    rmSync(join(folder, ".claude"), { recursive: true });
    run("install", "claude-code", "--print");
    expect(existsSync(join(folder, ".claude"))).toBe(false);
  });

  it("reports that there is nothing to do", () => {
    install();
    said = "";
    install();
    expect(said).toBe(`Belay's hooks are already in ${path()}.\n`);
    uninstall();
    said = "";
    expect(uninstall()).toBe(0);
    expect(said).toBe(`Belay's hooks are not in ${path()}.\n`);
  });

  it("keeps the file's mode and leaves no other file behind", () => {
    settings(SETTINGS);
    chmodSync(path(), 0o640);
    install();
    expect(statSync(path()).mode & 0o7777).toBe(0o640);
    uninstall();
    expect(statSync(path()).mode & 0o7777).toBe(0o640);
    expect(readFileSync(path(), "utf8")).toBe(SETTINGS);
    expect(readdirSync(join(folder, ".claude"))).toEqual(["settings.json"]);
  });

  it("writes to the target of a link and keeps the link", () => {
    const target = join(folder, "dotfiles.json");
    writeFileSync(target, SETTINGS);
    mkdirSync(join(folder, ".claude"));
    symlinkSync(target, path());
    install();
    expect(lstatSync(path()).isSymbolicLink()).toBe(true);
    expect(lstatSync(target).isFile()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain("hook claude-code");
    uninstall();
    expect(readFileSync(target, "utf8")).toBe(SETTINGS);
  });

  it.each(["nowhere", "folder"])("refuses a link without a target file: %s", (to) => {
    mkdirSync(join(folder, ".claude"));
    mkdirSync(join(folder, "folder"));
    symlinkSync(join(folder, to), path());
    expect(codeOf(install)).toBe("invalid_input");
    expect(lstatSync(path()).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(folder, ".claude"))).toEqual(["settings.json"]);
  });

  it.each(["not json", '{"hooks": 1}', "[]"])(
    "does not change a file that is not settings: %s",
    (text) => {
      settings(text);
      expect(codeOf(install)).toBe("invalid_input");
      expect(codeOf(uninstall)).toBe("invalid_input");
      expect(readFileSync(path(), "utf8")).toBe(text);
    },
  );

  it("explains a problem and its position in one line", () => {
    settings('{\n  "a": 1\n  "b": 2\n}');
    expect(install).toThrow(
      `${path()} has invalid settings (line 3: comma expected). It was not changed.`,
    );
  });

  it("does not change text that is not UTF-8", () => {
    mkdirSync(join(folder, ".claude"));
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    writeFileSync(path(), bytes);
    expect(codeOf(install)).toBe("invalid_input");
    expect(readFileSync(path())).toEqual(bytes);
  });

  it("refuses a read-only file and a read-only folder, for root too", () => {
    settings(SETTINGS);
    chmodSync(path(), 0o444);
    expect(codeOf(install)).toBe("not_allowed");
    chmodSync(path(), 0o644);
    chmodSync(join(folder, ".claude"), 0o555);
    expect(codeOf(install)).toBe("not_allowed");
    chmodSync(join(folder, ".claude"), 0o755);
    expect(readFileSync(path(), "utf8")).toBe(SETTINGS);
  });

  it("edits the user's own settings on request", () => {
    run("install", "claude-code", "--user");
    expect(existsSync(join(folder, "user", ".claude", "settings.json"))).toBe(true);
    expect(existsSync(path())).toBe(false);
  });

  it.each([
    [],
    ["install"],
    ["install", "cursor"],
    ["frob", "claude-code"],
    ["install", "claude-code", "extra"],
    ["install", "claude-code", "--nope"],
    ["install", "claude-code", "--user", "--project"],
  ])("prints its usage for %j", (...args) => {
    expect(codeOf(() => run(...args))).toBe("usage");
  });
});

describe("the installed command", () => {
  it("runs in a shell, and Belay answers", async () => {
    const lab = createLab();
    try {
      const entry = join(lab.cwd, 'a $b `c` "d"', "belay.mjs");
      mkdirSync(join(entry, ".."));
      symlinkSync(ENTRY, entry);
      runHooksCommand(["install", "claude-code"], {
        cwd: lab.cwd,
        userHome: lab.cwd,
        node: process.execPath,
        entry,
        json: true,
        write: () => {},
      });
      const settings = JSON.parse(readFileSync(join(lab.cwd, ".claude", "settings.json"), "utf8"));
      const session_id = "402e7a18-1d9b-4983-815e-734ca53fd8fa";
      execFileSync("sh", ["-c", settings.hooks.SessionStart[0].hooks[0].command], {
        cwd: lab.cwd,
        env: { PATH: process.env.PATH ?? "", BELAY_HOME: lab.home },
        input: JSON.stringify({ hook_event_name: "SessionStart", session_id, cwd: lab.cwd }),
      });
      await lab.hook("pre-delegate", { agent_name: "nobody" });
      expect((await lab.sessions()).map((head) => head.session_id)).toEqual([session_id]);
    } finally {
      lab.clean();
    }
  });
});
