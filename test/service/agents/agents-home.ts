import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentPreset } from "../../../src/agent/agent-preset.ts";
import type { AgentCatalog } from "../../../src/drive/agents/agent-catalog.ts";
import { createAgentCatalog } from "../../../src/drive/agents/agent-catalog.ts";

export interface AgentsHome {
  readonly home: string;
  readonly userHome: string;
  readonly workspace: string;
  readonly bin: string;
  readonly catalog: AgentCatalog;
  write(path: string, content: unknown): string;
  program(path: string): string;
}

/** A user with a data folder, a workspace that is a repository, and a PATH of one folder; removed after the test. */
export function agentsHome(): AgentsHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "belay-agents-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const userHome = join(root, "user");
  const home = join(userHome, ".belay");
  const workspace = join(userHome, "code", "project");
  const bin = join(root, "bin");
  for (const folder of [home, join(workspace, ".git"), bin]) mkdirSync(folder, { recursive: true });
  const env = { PATH: bin, HOME: userHome, SECRET: "s", GEMINI_API_KEY: "key" };
  return {
    home,
    userHome,
    workspace,
    bin,
    catalog: createAgentCatalog({ home, env, presets: PRESETS }),
    write(path, content) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
    program(path) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "#!/bin/sh\n");
      chmodSync(path, 0o755);
      return path;
    },
  };
}

const quirks = {
  reopen_in_next_minute: true,
  silent_end_is_failure: false,
  failure_text: null,
  usage_is_total: false,
  usage_in_updates: false,
  replay_settles_ms: 500,
};
const limits = { initialize: 20_000, open: 10_000, end: 3_000 };

const PRESETS: Readonly<Record<string, AgentPreset>> = {
  demo: {
    command: process.execPath,
    args: ["demo.js"],
    env: {},
    pass_env: [],
    install: null,
    login: null,
    quirks,
    limits,
  },
  gemini: {
    command: "gemini",
    args: ["--acp"],
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
    pass_env: ["GEMINI_*"],
    install: "@google/gemini-cli",
    login: "run gemini once and log in",
    quirks,
    limits,
  },
};
