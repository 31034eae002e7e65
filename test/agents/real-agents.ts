/** A published agent, and the settings that connect it to a model on this machine. */
export interface RealAgent {
  readonly package: string;
  readonly version: string;
  /** The program in its package; its arguments and quirks come from Belay's preset. */
  readonly program: string;
  /** The mode in which it asks people for permission. It is lost with every process, so Belay must set it each time. */
  readonly mode?: string;
  setUp(at: { readonly user: string; readonly model: string }): SetUp;
}

export interface SetUp {
  readonly env: Readonly<Record<string, string>>;
  /** Files of the user's home folder. */
  readonly files: Readonly<Record<string, string>>;
}

export const REAL_AGENTS: Readonly<Record<string, RealAgent>> = {
  gemini: {
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    setUp: ({ model }) => ({
      env: {
        GEMINI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
      files: {
        ".gemini/settings.json": JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" } },
          general: { sessionRetention: { enabled: false } },
          privacy: { usageStatisticsEnabled: false },
        }),
      },
    }),
  },
  claude: {
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.99.0",
    program: "claude-agent-acp",
    setUp: ({ model }) => ({
      env: {
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
      files: {},
    }),
  },
  codex: {
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    program: "codex-acp",
    mode: "read-only",
    setUp: ({ user, model }) => ({
      env: { CODEX_HOME: `${user}/.codex`, OPENAI_API_KEY: "none" },
      files: {
        ".codex/config.toml": [
          'model = "stand-in"',
          'model_provider = "here"',
          "[model_providers.here]",
          'name = "here"',
          `base_url = "${model}/v1"`,
          'wire_api = "responses"',
          'env_key = "OPENAI_API_KEY"',
          "",
        ].join("\n"),
      },
    }),
  },
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    setUp: ({ model }) => ({
      env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
      files: {
        ".config/opencode/opencode.json": JSON.stringify({
          model: "here/stand-in",
          small_model: "here/stand-in",
          autoupdate: false,
          permission: { bash: "ask" },
          provider: {
            here: {
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: `${model}/v1`, apiKey: "none" },
              models: { "stand-in": { name: "stand-in" } },
            },
          },
        }),
      },
    }),
  },
  copilot: {
    package: "@github/copilot",
    version: "1.0.102",
    program: "copilot",
    setUp: ({ model }) => ({
      env: {
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_MODEL: "stand-in",
        COPILOT_OFFLINE: "true",
      },
      files: {},
    }),
  },
  qwen: {
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "qwen",
    mode: "default",
    setUp: ({ model }) => ({
      env: {
        OPENAI_API_KEY: "none",
        OPENAI_BASE_URL: `${model}/v1`,
        OPENAI_MODEL: "stand-in",
      },
      files: {
        ".qwen/settings.json": JSON.stringify({
          security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
          privacy: { usageStatisticsEnabled: false },
        }),
      },
    }),
  },
};
