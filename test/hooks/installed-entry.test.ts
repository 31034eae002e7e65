import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../http/until.ts";
import { ENTRY } from "./hook-process.ts";

const root = mkdtempSync(join(tmpdir(), "belay-entry-"));
const env = { PATH: process.env.PATH, HOME: root, BELAY_HOME: join(root, "home") };

const ASK = ["hook", "pre-delegate"];
const QUESTION = JSON.stringify({ agent_name: "writer", agent_id: "session-1" });

beforeAll(() => {
  mkdirSync(join(root, "project"));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the command that is installed into Claude Code", () => {
  it("uses its own entry file instead of the launcher", () => {
    run(ENTRY, ["create", "--agent", "writer", "--id", "session-1"]);
    run(ENTRY, ["hooks", "install", "claude-code"]);
    const settings = readFileSync(join(root, "project", ".claude", "settings.json"), "utf8");
    const entry = ENTRY.replace("belay.mjs", "belay-hook.cjs");
    expect(settings).toContain(`\\"${entry}\\" hook claude-code`);
    expect(JSON.parse(run(entry, ASK, QUESTION))).toMatchObject({
      agent_id: "session-1",
    });
    run(ENTRY, ["hooks", "uninstall", "claude-code"]);
  });

  it("stores its compiled code beside the bundle, and does not trust damaged code", async () => {
    const installed = join(root, "installed");
    const bundle = join(ENTRY, "..", "..", "dist", "hook");
    cpSync(join(ENTRY, ".."), join(installed, "bin"), { recursive: true });
    const isCode = (path: string) => !path.includes(".cache");
    cpSync(bundle, join(installed, "dist", "hook"), { recursive: true, filter: isCode });
    const cache = join(installed, "dist", "hook", ".cache");
    const damaged = 1000;
    const isStored = () => {
      const asked = run(join(installed, "bin", "belay-hook.cjs"), ASK, QUESTION);
      expect(JSON.parse(asked)).toMatchObject({ reason: "session_not_resumable" });
      const sizes = codeIn(cache).map((path) => statSync(path).size);
      return sizes.length > 1 && sizes.every((size) => size > damaged);
    };
    // A slow machine stores it a few hooks later.
    await until(isStored);
    for (const size of [0, damaged]) {
      for (const path of codeIn(cache)) truncateSync(path, size);
      await until(isStored);
    }
    for (const path of codeIn(cache)) {
      const bytes = readFileSync(path);
      // Node itself would crash.
      bytes.fill("not compiled code", bytes.length / 4, bytes.length / 4 + 200);
      writeFileSync(path, bytes);
    }
    await until(isStored);
    await until(isStored);
  });

  it("does not fail if the package is not built", () => {
    cpSync(join(ENTRY, ".."), join(root, "unbuilt", "bin"), { recursive: true });
    expect(run(join(root, "unbuilt", "bin", "belay-hook.cjs"), ["hook", "claude-code"], "{}")).toBe(
      "",
    );
  });
});

function codeIn(cache: string): string[] {
  return existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name)) : [];
}

function run(entry: string, args: readonly string[], input = ""): string {
  const cwd = join(root, "project");
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], {
    ...{ env, cwd, input },
    encoding: "utf8",
  });
  expect({ status, stderr: entry === ENTRY ? stderr : "" }).toEqual({ status: 0, stderr: "" });
  return stdout;
}
