import type { AgentLimits } from "../agent-connection.ts";
import type { AgentPreset } from "../agent-preset.ts";
import { QUIRKS } from "./quirks.ts";

const LIMITS: AgentLimits = {
  // The slowest took 13 s on an idle machine.
  initialize: 60_000,
  open: 60_000,
  end: 3_000,
};

/** The agents that Belay knows by name. They also get the environment variables that every program needs. */
export const PRESETS = {
  gemini: {
    command: "gemini",
    args: ["--acp"],
    // Without it the process that we start only starts another one.
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
    pass_env: ["GEMINI_*", "GOOGLE_*"],
    install: "@google/gemini-cli",
    login: "run `gemini` once and choose how to log in, or set GEMINI_API_KEY",
    quirks: QUIRKS.gemini,
    limits: LIMITS,
  },
  claude: {
    command: "claude-agent-acp",
    args: [],
    env: {},
    pass_env: ["ANTHROPIC_*", "CLAUDE_*"],
    install: "@agentclientprotocol/claude-agent-acp",
    login: "run `claude` once and type /login, or set ANTHROPIC_API_KEY",
    quirks: QUIRKS.claude,
    limits: LIMITS,
  },
  codex: {
    command: "codex-acp",
    args: [],
    env: {},
    pass_env: ["OPENAI_*", "CODEX_*"],
    install: "@agentclientprotocol/codex-acp",
    login: "run `codex login`, or set OPENAI_API_KEY",
    quirks: QUIRKS.codex,
    limits: LIMITS,
  },
  opencode: {
    command: "opencode",
    args: ["acp"],
    env: {},
    // It supports many models and needs the key of the chosen one.
    pass_env: ["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*"],
    install: "opencode-ai",
    login: "run `opencode auth login`",
    quirks: QUIRKS.opencode,
    limits: LIMITS,
  },
  copilot: {
    command: "copilot",
    args: ["--acp"],
    env: {},
    pass_env: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
    install: "@github/copilot",
    login: "run `copilot` once and type /login, or set GH_TOKEN",
    quirks: QUIRKS.copilot,
    limits: LIMITS,
  },
  qwen: {
    command: "qwen",
    args: ["--acp"],
    env: {},
    pass_env: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*"],
    install: "@qwen-code/qwen-code",
    login: "run `qwen` once and choose how to log in, or set OPENAI_API_KEY",
    quirks: QUIRKS.qwen,
    limits: LIMITS,
  },
  demo: {
    // The composition root sets the path of our own program, because PATH may lead to another.
    command: "belay",
    args: ["demo-agent"],
    env: {},
    pass_env: ["BELAY_DEMO_FOLDER"],
    install: null,
    login: null,
    quirks: QUIRKS.demo,
    limits: LIMITS,
  },
} as const satisfies Record<string, AgentPreset>;
