import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { progressBar } from "../../src/doors/cli/commands/import-command.ts";
import { ClaudeLines } from "../import/conversations/claude-lines.ts";
import { lines } from "../import/conversations/import-place.ts";
import { runInProcess } from "./run-in-process.ts";

const BIN = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));
const ID = "11111111-aaaa-4bbb-8ccc-0000000000cc";
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "belay-import-cli-"));
  file = join(folder, "claude", "projects", "p", `${ID}.jsonl`);
  mkdirSync(join(file, ".."), { recursive: true });
  const claude = new ClaudeLines(ID);
  claude.user("Hello?");
  claude.says("Hello.");
  writeFileSync(file, lines(claude.records));
  process.env.CLAUDE_CONFIG_DIR = join(folder, "claude");
});
afterEach(() => {
  delete process.env.CLAUDE_CONFIG_DIR;
  rmSync(folder, { recursive: true, force: true });
});

const belay = (...args: string[]) =>
  runInProcess(join(folder, "home"), args, args.includes("--json"));

it("imports from the tool's folder, reports damage, and adds nothing the second time", async () => {
  appendFileSync(file, "half a rec\n");
  const dry = await belay("import", "claude-code", "--dry-run");
  expect(dry.stdout).toContain("Would import 1 turn from 1 conversation in 1 file");
  const first = await belay("import", "claude-code");
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout).toContain(`damaged: ${file} line 3: not a complete record`);
  expect(first.stdout).toContain(`new    ${ID}  Hello?  (1 turn)`);
  const again = await belay("import", "claude-code");
  expect(again.stdout).toContain(
    "Imported 0 turns from 1 conversation in 1 file: 1 unchanged, 1 damaged place.",
  );
  const other = await belay("import", "codex", dirname(file));
  expect(other.stdout).toBe(`No conversations of codex found in ${dirname(file)}.\n`);
});

it("answers a tool, a time or a place that it does not know with what to do", async () => {
  expect(await belay("import", "never")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Cannot import from "never". Choose one of: claude-code,'),
  });
  expect(await belay("import", "claude-code", "--since", "soon")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Invalid time "soon". Use ISO 8601'),
  });
  expect(await belay("import", "codex", join(folder, "none"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("File or folder not found:"),
  });
});

it("shows its progress", () => {
  expect(progressBar(3, 12)).toBe("[######                  ] 3 of 12 files");
  expect(progressBar(0, 0)).toBe("[########################] 0 of 0 files");
});

it.skipIf(!existsSync("/usr/bin/script"))(
  "asks on a terminal before it reads a folder that was not named, and draws a progress bar",
  async () => {
    const atTerminal = async (answer: string): Promise<string> => {
      const run = `exec '${process.execPath}' '${BIN}' import claude-code`;
      const env = {
        ...{ PATH: process.env.PATH ?? "", HOME: folder, TERM: "xterm" },
        ...{ BELAY_HOME: join(folder, "home"), CLAUDE_CONFIG_DIR: join(folder, "claude") },
      };
      const child = spawn("script", ["-qec", run, "/dev/null"], {
        env,
        stdio: ["pipe", "pipe", "inherit"],
      });
      let seen = "";
      for await (const chunk of child.stdout) {
        const isAsked = seen.includes("[Y/n]");
        seen += chunk;
        if (!isAsked && seen.includes("[Y/n]")) child.stdin.write(answer);
      }
      return seen;
    };
    const no = await atTerminal("n\n");
    expect(no).toContain(`Import the claude-code conversations in ${join(folder, "claude")}`);
    expect(no).not.toContain("Imported");
    const yes = await atTerminal("\n");
    expect(yes).toContain("[########################] 1 of 1 files, 1 turn");
    expect(yes).toContain("Imported 1 turn from 1 conversation in 1 file: 1 new session.");
  },
  60_000,
);
